"""The first hour of a contributor: "Your first change" in CONTRIBUTING.md, executed in a fresh virtual environment."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import paths, tutorials
from tests.support.fresh_environment import make_environment

pytestmark = pytest.mark.slow
MYPY_CACHE = ".mypy_cache"
NOT_CLONED = (".git", ".venv", ".mutants", ".*_cache", ".hypothesis", "__pycache__")


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    """Return an environment for which pip finds what the extra `dev` needs, and nothing else."""
    folder = tmp_path / "fresh"
    folder.mkdir()
    yield make_environment(folder, ["auricle[dev]"])
    shutil.rmtree(folder)  # more than a gigabyte


def test_a_contributor_runs_the_checks_and_adds_a_metric(environment: Path, tmp_path: Path) -> None:
    clone, folder = tmp_path / "clone", tmp_path / "folder"
    shutil.copytree(paths.ROOT, clone, ignore=shutil.ignore_patterns(*NOT_CLONED), symlinks=True)
    if (types := paths.ROOT / MYPY_CACHE).is_dir():  # mypy checks what it uses of it; without it, it takes a minute
        shutil.copytree(types, clone / MYPY_CACHE)
    folder.mkdir()
    outputs = tutorials.run_page(paths.ROOT / "CONTRIBUTING.md", folder, environment, checkout=clone)
    printed = "".join(outputs.values())
    assert printed.count("All checks passed!") == 2
    assert printed.count("Success: no issues found in") == 2
    assert printed.count(" kept, 0 broken") == 2
    assert "hesitations" in printed
    assert "needs the extra" not in printed  # the room that newcomers see first needs no more than `dev`
    for heavy in ("torch", "streamlit", "ray"):
        assert not [*environment.glob(f"lib/*/site-packages/{heavy}")]
