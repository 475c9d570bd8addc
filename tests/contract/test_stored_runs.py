"""Stored runs of every task kind stay intact, give the same numbers again, and are resumed without a request.

`scripts/golden.py fixtures` writes tests/fixtures/runs again, after an intended change of the format or of a number.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.engine.catalogue import TASK_KINDS
from tests.support import paths

FIXTURES = paths.ROOT / "tests" / "fixtures" / "runs"
COMMANDS: dict[str, list[str]] = json.loads((FIXTURES / "commands.json").read_text(encoding="utf-8"))
STORED_FOLDER = "/golden"
"""The folder in which the runs were made, as far as they state it."""
SAME_FIELDS = (
    *("complete", "rows", "notes", "judges", "outcomes", "failures", "not_computed", "unsuited", "unreadable"),
    *("numbers", "usage", "speed", "journal"),
)


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(*words: str) -> Any:
    """Run a command in this process, and return what it prints as JSON."""
    result = CliRunner().invoke(cli, [*words, "--json"])
    assert result.exit_code in (0, 3), result.output  # 3: some samples have failed
    return json.loads(result.stdout)


def copy_run(kind: str, folder: Path) -> Path:
    return Path(shutil.copytree(FIXTURES / kind, folder / "runs" / kind))


def read_numbers(run: Path, folder: Path) -> str:
    """Return what `metrics.json` states about the answers, without the folder and the version of the package."""
    metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8").replace(str(folder), STORED_FOLDER))
    return re.sub(r"auricle [^\"]+", "auricle", json.dumps({name: metrics[name] for name in SAME_FIELDS}, indent=1))


def list_journals(run: Path) -> list[Path]:
    return [path for path in (run / "outputs.jsonl", run / "verdicts.jsonl") if path.exists()]


def copy_with_data(kind: str, folder: Path) -> Path:
    """Copy a run and its data, and replace the folder in the paths that the run states."""
    shutil.copytree(FIXTURES / "data", folder, dirs_exist_ok=True)
    run = copy_run(kind, folder)
    for path in (run / "spec.json", *list_journals(run)):
        moved = path.read_bytes().replace(STORED_FOLDER.encode(), str(folder).encode())
        path.write_bytes(b"".join(map(renew_checksum, moved.splitlines(keepends=True))))
    return run


def renew_checksum(line: bytes) -> bytes:
    body, field, _ = line.rpartition(b',"crc":"')
    return b'%s%s%08x"}\n' % (body, field, crc32(body)) if field else line


def test_there_is_a_run_of_every_kind() -> None:
    assert {*COMMANDS} == {*TASK_KINDS}


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_stored_run_is_intact(kind: str, tmp_path: Path) -> None:
    (verified,) = call("verify", str(copy_run(kind, tmp_path)))
    assert verified["problems"] == []
    assert [problem["file"] for problem in verified["outdated"]] == ["report.html"]  # which is not stored
    assert (verified["missing"], verified["records"] > 1) == (0, True)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_stored_run_is_scored_to_the_same_numbers(kind: str, tmp_path: Path) -> None:
    run = copy_with_data(kind, tmp_path)
    scores = sorted((run / "scores.jsonl").read_bytes().splitlines())
    call("score", str(run))
    assert read_numbers(run, tmp_path) == read_numbers(FIXTURES / kind, tmp_path)
    assert sorted((run / "scores.jsonl").read_bytes().splitlines()) == scores


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_stored_run_is_resumed_without_a_request(kind: str, tmp_path: Path) -> None:
    run = copy_with_data(kind, tmp_path)
    journals = {path: path.read_bytes() for path in list_journals(run)}
    call(*COMMANDS[kind])
    assert {path: path.read_bytes() for path in list_journals(run)} == journals
    assert read_numbers(run, tmp_path) == read_numbers(FIXTURES / kind, tmp_path)
