"""Calls that an agent drops are its failures: in the numbers, in `status`, in the report and in the app."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.app.workspace import Workspace, workspace_environment
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript, TurnScript
from tests.support.extras import is_installed

CALLS = 3
NOTE = "3 of 3 calls were dropped by the agent and count as not successful."


@pytest.fixture
def words(manifest: Any, tmp_path: Path) -> list[Any]:
    """Return the command that holds three calls, without the address of the server."""
    soundfile.write(tmp_path / "a.wav", 0.3 * np.sin(np.arange(4000) / 3), 8000)
    script = [{"say": {"audio": "a.wav", "text": "When do you open?"}, "after": 0.1}]
    rows = manifest({"id": str(row), "script": script, "expect": "contains nine"} for row in range(CALLS))
    return ["run", rows, "--as", "conversation", "-m", "realtime", "-M", "model=m", "-j", "3", "-o", "runs/drops"]


@pytest.mark.slow
def test_dropped_calls_count_everywhere_and_are_called_again_on_request(
    auricle: Any, words: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = TurnScript(answer="We open at nine.", faults=("close",), fault_at=0.3)
    with FakeServer(Script(realtime=RealtimeScript(turns=(turn,), fault_sessions=CALLS))) as server:
        words += ["-M", f"base_url={server.url}"]
        first = auricle(*words)
        assert first.returncode == 0, first.stderr
        assert len((tmp_path / "runs" / "drops" / "outputs.jsonl").read_bytes().splitlines()) == CALLS  # not retried
        zero = [("call_completion", "0.00"), ("task_success", "0.00"), ("facts", "0.00")]
        assert read_shares(first.stdout)[:3] == zero  # in this order
        assert ("response_rate", "0.00") in read_shares(first.stdout)
        assert NOTE in first.stdout
        assert f", {CALLS} calls dropped" in auricle("status", "runs/drops").stdout
        assert len(json.loads(auricle("samples", "runs/drops", "--outcome", "dropped", "--json").stdout)) == CALLS
        report = (tmp_path / "runs" / "drops" / "report.html").read_text()
        assert f"Calls dropped</dt><dd>{CALLS}</dd>" in report
        rows = re.findall(r'<th scope="row"><bdi>(.+?)</bdi>', report)
        assert rows[:2] == ["Calls not dropped", "Task success"]
        if is_installed("ui"):
            check_app(tmp_path / "runs", monkeypatch)

        again = auricle(*words, "--retry-dropped", "1")
        assert again.returncode == 0, again.stderr
        assert read_shares(again.stdout)[:3] == [(name, "100.00") for name, _ in zero]


def read_shares(table: str) -> list[tuple[str, str]]:
    """Return the names and percentages of the rows of a table."""
    return re.findall(r"(\w+) ↑ .*? ([\d.]+) %", table)


def check_app(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.support.app_pages import draw_page, page_text

    for name, value in workspace_environment(Workspace(runs, ())).items():
        monkeypatch.setenv(name, value)
    text = page_text(draw_page("benchmark", run="drops"))
    assert NOTE in text
    assert re.findall(r'<th scope="row">(.+?) ↑', text)[:2] == ["Calls not dropped", "Task success"]
