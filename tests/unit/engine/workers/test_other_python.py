"""Models under another Python."""

import sys
from pathlib import Path

import pytest

from auricle import BatchModel, SpecError
from auricle.engine.workers.other_python import describe_model_class, worker_environment
from auricle.models import abilities

pytestmark = pytest.mark.slow


def test_class_has_the_abilities_and_limits_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import BatchModel, Generation\n"
        "class Mine(BatchModel):\n"
        "    batch_size = 3\n"
        "    def generate(self, batch):\n"
        "        return [Generation(text='x') for _ in batch]\n"
    )
    model_class = describe_model_class(f"{tmp_path / 'mine.py'}:Mine", sys.executable)
    assert issubclass(model_class, BatchModel)
    assert list(abilities(model_class)) == ["generate"]
    assert model_class.batch_size == 3


def test_error_names_the_other_python(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=rf"There is no file .*gone\.py\. \(under {sys.executable}\)"):
        describe_model_class(f"{tmp_path / 'gone.py'}:Mine", sys.executable)
    with pytest.raises(SpecError, match="python=/no/python cannot be run"):
        describe_model_class("echo", "/no/python")


def test_environment_adds_auricle_to_the_inherited_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/inherited")
    environment = worker_environment({"TOKEN": "x"})
    folder, inherited = environment["PYTHONPATH"].split(":")
    assert inherited == "/inherited"
    assert (Path(folder) / "auricle" / "__init__.py").exists()
    assert environment["TOKEN"] == "x"
