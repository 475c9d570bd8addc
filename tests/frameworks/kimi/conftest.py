"""Isolation of tests that import the evalkit, and a folder with its files."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.kimi.evalkit_files import write_config


@pytest.fixture
def restore_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Run a test in its own folder, without modules that other tests imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    modules_before = set(sys.modules)
    yield
    for name in set(sys.modules) - modules_before:
        if name.partition(".")[0] in ("almeval", "mine"):
            del sys.modules[name]


@pytest.fixture
def evalkit_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tone: Any) -> Path:
    """A working directory with a config and three recordings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROJECT_CONFIG_PATH", raising=False)
    for index in range(3):
        tone(f"{index}.wav", 0.2 + index / 10)
    write_config({"dataset_root": "data"})
    return tmp_path
