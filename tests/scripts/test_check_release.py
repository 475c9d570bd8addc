"""What has to be ready before a release."""

from pathlib import Path

import pytest
from scripts.check_release import find_problems

PINNED = f"python:3.11-slim@sha256:{'0' * 64}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3\n")
    (tmp_path / "CITATION.cff").write_text("version: 1.2.3\n")
    (tmp_path / "Dockerfile").write_text(f"FROM {PINNED} AS build\nFROM {PINNED}\n")
    (tmp_path / "dist").mkdir()
    for name in ("auricle-1.2.3-py3-none-any.whl", "auricle-1.2.3.tar.gz"):
        (tmp_path / "dist" / name).touch()
    return tmp_path


def test_a_release_that_is_ready_has_no_problems(root: Path) -> None:
    assert [*find_problems("v1.2.3", root / "dist", root)] == []


def test_other_versions_are_problems(root: Path) -> None:
    assert len([*find_problems("1.2.4", root / "dist", root)]) == 4


def test_an_image_without_a_digest_is_a_problem(root: Path) -> None:
    (root / "Dockerfile").write_text("FROM python:3.11-slim AS build\nFROM python:3.11-slim\n")
    (problem,) = find_problems("v1.2.3", root / "dist", root)
    assert "python:3.11-slim in Dockerfile has no digest" in problem
