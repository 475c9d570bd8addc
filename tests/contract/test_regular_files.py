"""Nothing but regular files is opened in a folder of runs: a pipe would block, and a device may have no end."""

import os
from pathlib import Path
from typing import Any

import pytest

COMMANDS = (("show", "run"), ("samples", "run"), ("verify", "run"), ("runs", "."), ("status", "run"))


@pytest.mark.parametrize(
    ("name", "is_pipe"),
    [("spec.json", True), ("outputs.jsonl", True), ("scores.jsonl", True), ("metrics.json", False), (".lock", True)],
)
def test_pipes_and_devices_in_a_run_are_refused(
    auricle: Any, manifest: Any, tmp_path: Path, name: str, is_pipe: bool
) -> None:
    run = ("run", manifest([{"id": "a", "question": "hello", "answer": "x"}]), "--as", "qa", "-m", "echo", "-o", "run")
    assert auricle(*run).returncode == 0
    path = tmp_path / "run" / name
    path.unlink()
    if is_pipe:
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    outcomes = [auricle(*command) for command in (*COMMANDS, run)]
    assert {done.returncode for done in outcomes} == {0, 2}
    assert any(f"not a regular file: run/{name}" in done.stderr for done in outcomes)
    assert "Traceback" not in "".join(done.stderr for done in outcomes)
