"""A folder with a task of lmms-eval."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.lmms.task_files import BASE_YAML, TASK_YAML, UTILS_MODULE


@pytest.fixture
def folder(tmp_path: Path, tone: Any, manifest: Any) -> Path:
    """The folder of a task: YAML, functions, rows and recordings."""
    (tmp_path / "utils.py").write_text(UTILS_MODULE)
    (tmp_path / "_base").write_text(BASE_YAML)
    (tmp_path / "task.yaml").write_text(TASK_YAML)
    rows = [
        {
            "audio": {"bytes": None, "path": tone(f"{index}.wav", seconds=0.05 + index / 100).name},
            "question": f"Q{index}?",
            "answer": "yes" if index % 2 else "no",
            "task": "music" if index < 2 else "sound",
        }
        for index in range(4)
    ]
    manifest(rows, "rows.jsonl")
    return tmp_path


@pytest.fixture(autouse=True)
def no_modules_left() -> Iterator[None]:
    """Check that no test leaves modules of lmms-eval behind."""
    yield
    assert not [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]
