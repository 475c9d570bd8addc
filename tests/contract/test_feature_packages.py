"""The example feature: one folder and one entry point add a subject, without a change elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.paths import EXAMPLES

pytestmark = pytest.mark.slow
PACKAGE = EXAMPLES / "lid-package"
ROWS = [("Guten Tag", "de"), ("Goddag", "Danish"), ("Buenos dias, is this German?", "es")]
Command = Callable[..., str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package with pip into a folder of its own."""
    target = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(PACKAGE)], check=True)
    return target


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write data for the kind."""
    folder = tmp_path_factory.mktemp("work")
    lines = [json.dumps({"text": text, "language": language}) for text, language in ROWS]
    (folder / "clips.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def auricle(site: Path, folder: Path) -> Command:
    """Return a function that runs a command where the package is installed, and returns what it prints."""

    def call(*words: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200"}
        command = [sys.executable, "-m", "auricle", *words]
        process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout

    return call


@pytest.fixture(scope="module")
def page(auricle: Command, folder: Path) -> str:
    """Run the kind, and return its report."""
    auricle(
        "run", "clips.jsonl", "--as", "lid", "-T", "language_set=all", "-m", "echo", "-M", "reply=German", "-o", "r"
    )
    return (folder / "r" / "report.html").read_text(encoding="utf-8")


def test_the_package_is_one_folder_with_one_entry_point() -> None:
    files = [
        path for path in PACKAGE.rglob("*") if path.is_file() and not {".ruff_cache", "__pycache__"} & {*path.parts}
    ]
    assert len(files) <= 12
    assert (PACKAGE / "pyproject.toml").read_text(encoding="utf-8").count("entry-points") == 1


def test_its_parts_are_listed(auricle: Command) -> None:
    assert "language identification on your data (`--as lid`) (from auricle-lid 1.0.0)" in auricle("list", "task-kinds")
    assert "related_language" in auricle("list", "metrics")
    assert "auricle-lid" in auricle("list", "record-observers")


def test_its_command_is_in_the_help_and_runs(auricle: Command) -> None:
    assert "language-sets" in auricle("--help")
    assert "romance: Spanish, French" in auricle("language-sets")


def test_its_kind_has_options_and_a_preview(auricle: Command) -> None:
    assert "lid" in auricle("run", "--help")
    shown = auricle("preview", "clips.jsonl", "--as", "lid", "-T", "language_set=germanic", "-T", "inferencer=respond")
    assert "Answer with one of: Danish, Dutch, English, German, Swedish." in shown


def test_doctor_checks_its_parts_and_its_data(auricle: Command) -> None:
    installed = auricle("doctor")
    assert "ok  package auricle-lid 1.0.0:" in installed
    for part in ("task lid", "metric related_language", "figure lid", "command language-sets"):
        assert part in installed
    assert "ok  3 of the first 3 rows are valid samples" in auricle("doctor", "clips.jsonl", "--as", "lid")


def test_its_numbers_figures_and_section_are_in_the_report(page: str) -> None:
    assert "Related language" in page
    assert "Danish was taken for German, which is related." in page
    assert "<h2>Languages</h2>" in page
    assert "<li>Spanish for German: 1</li>" in page


def test_its_runs_are_in_the_leaderboard(page: str, auricle: Command) -> None:
    assert "lid-clips" in auricle("leaderboard", "r")
    assert "66.67 %" in auricle("leaderboard", "r", "--all-metrics")


def test_other_kinds_are_scored_and_reported_as_without_it(auricle: Command, folder: Path) -> None:
    rows = [json.dumps({"question": "Say a.", "answer": "Say a."})]
    (folder / "quiz.jsonl").write_text("\n".join(rows), encoding="utf-8")
    auricle("run", "quiz.jsonl", "--as", "qa", "-m", "echo", "-o", "quiz")
    assert "Languages" not in (folder / "quiz" / "report.html").read_text(encoding="utf-8")
