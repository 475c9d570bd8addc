"""Isolation of tests that import packages with common names."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def restore_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Run each test in its own folder, without modules that other tests imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    modules_before = set(sys.modules)
    yield
    for name in set(sys.modules) - modules_before:
        if name.partition(".")[0] in ("core", "baselines", "custom_models", "my_model"):
            del sys.modules[name]
