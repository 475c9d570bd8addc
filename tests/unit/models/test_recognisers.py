"""Moonshine and PocketSphinx with their real weights, and the folders of Vosk."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import load_model
from auricle.core.errors import SpecError
from tests.support.extras import require_extra
from tests.support.recogniser_checks import RecogniserChecks, word_error_rate

pytestmark = pytest.mark.slow


class TestPocketSphinx(RecogniserChecks):
    model_name = "pocketsphinx"


class TestMoonshine(RecogniserChecks):
    model_name = "moonshine"

    def test_real_recordings_are_recognised(self, recogniser: Any, real_speech: Any) -> None:
        rows = [json.loads(line) for line in (real_speech / "manifest.jsonl").read_text().splitlines()[:6]]
        clips = [(real_speech / row["audio_path"], row["answer"]) for row in rows]
        assert word_error_rate(recogniser, clips) < 0.4


def test_vosk_finds_a_model_by_name_in_its_model_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    require_extra("vosk")
    import vosk as library

    (tmp_path / "vosk-model-mine").mkdir()
    monkeypatch.setattr(library, "MODEL_DIRS", [None, tmp_path])
    with pytest.raises(SpecError, match=f"{tmp_path}/vosk-model-mine is not a Vosk model"):
        load_model("vosk", model="vosk-model-mine")
