"""Models under another Python."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from auricle import AsyncModel, BatchModel, SpecError
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


@pytest.mark.parametrize(
    ("stderr", "message"), [("Traceback\\nImportError: no orjson", "ImportError: no orjson"), ("", "no error message")]
)
def test_python_that_cannot_import_the_model_is_explained_with_its_last_line(
    tmp_path: Path, stderr: str, message: str
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nprintf '{stderr}' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(SpecError, match=rf"^python={python} cannot import echo: {message}\. It needs orjson"):
        describe_model_class("echo", str(python))


def test_described_class_accepts_arguments_but_no_calls(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import AsyncModel, Generation\n"
        "class Mine(AsyncModel):\n"
        "    async def generate(self, request):\n"
        "        return Generation(text='x')\n"
    )
    model_class: Any = describe_model_class(f"{tmp_path / 'mine.py'}:Mine", sys.executable, {"TOKEN": "x"})
    assert issubclass(model_class, AsyncModel)
    with pytest.raises(AssertionError, match="called in a worker process"):
        model_class(anything=1).generate(None)


def test_environment_without_an_inherited_path_has_only_auricle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    folder = Path(worker_environment()["PYTHONPATH"])
    assert sorted(path.name.partition("-")[0] for path in folder.iterdir()) == ["auricle", "auricle"]
    (metadata,) = folder.glob("auricle-*.dist-info")
    assert "Name: auricle" in (metadata / "METADATA").read_text()
    assert "[" in (metadata / "entry_points.txt").read_text()


def test_the_added_folder_is_removed_at_the_end(tmp_path: Path) -> None:
    code = "from auricle.engine.workers.other_python import worker_environment; worker_environment({})"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert not [*tmp_path.iterdir()]
