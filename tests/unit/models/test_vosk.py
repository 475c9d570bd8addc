"""Vosk models."""

from pathlib import Path

import pytest

from auricle import load_model
from auricle.core.errors import SpecError

pytestmark = pytest.mark.slow


def test_vosk_finds_a_model_by_name_in_its_model_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    library = pytest.importorskip("vosk", reason="an optional extra")
    (tmp_path / "vosk-model-mine").mkdir()
    monkeypatch.setattr(library, "MODEL_DIRS", [None, tmp_path])
    with pytest.raises(SpecError, match=f"{tmp_path}/vosk-model-mine is not a Vosk model"):
        load_model("vosk", model="vosk-model-mine")
