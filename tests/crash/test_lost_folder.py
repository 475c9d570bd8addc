"""Run directories that are deleted or moved during the run."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROWS = [{"id": f"s{row}", "question": "q", "answer": "q"} for row in range(40)]


def delete(folder: Path) -> None:
    shutil.rmtree(folder)


def move(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))


@pytest.mark.parametrize("lose", [delete, move])
@pytest.mark.parametrize("delay", [0.2, 60])
def test_run_stops_with_one_line_when_its_folder_is_gone(
    begin: Any, manifest: Any, tmp_path: Path, lose: Callable[[Path], None], delay: float
) -> None:
    """The longer delay has no answer to write, so the journal alone cannot notice."""
    progress = tmp_path / "run" / "progress.json"
    child = begin("run", manifest(ROWS), "--as", "qa", "-m", "fake-api", "-M", f"delay={delay}", "-j", 2, "-o", "run")
    while not progress.exists():
        time.sleep(0.01)
    lose(progress.parent)
    assert child.wait() == 2
    errors = child.files[1].read_text()
    (line,) = (line for line in errors.splitlines() if line.startswith("auricle:"))
    assert "outputs.jsonl was deleted, moved or replaced while the run was writing to it" in line
    assert "Traceback" not in errors
