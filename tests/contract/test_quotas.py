"""Runs against a server whose quota is used up."""

from pathlib import Path
from typing import Any

import pytest

from auricle.testing.fake_server import FakeServer, Script

pytestmark = pytest.mark.slow
QUOTA = Script(faults={"429": 1.0}, retry_after=7200)


def test_run_stops_with_the_quota_named_and_can_be_resumed(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    path = manifest([{"id": str(number), "question": "say it", "answer": "say it"} for number in range(200)])
    words = ["run", path, "--as", "qa", "-m", "openai", "-M", "model=fake", "-o", "run"]
    with FakeServer(QUOTA) as server:
        stopped = auricle(*words, "-M", f"base_url={server.url}")
        assert sum(server.stats()["requests"].values()) <= 64
    assert stopped.returncode == 3
    assert "Stopped: the quota of the server is used up (Retry-After: 7,200 s): HTTP 429" in stopped.stderr
    assert "No completed sample is lost. Resume with: auricle run" in stopped.stderr
    assert (tmp_path / "run" / "outputs.jsonl").read_text() == ""
    with FakeServer(Script()) as server:
        resumed = auricle(*words, "-M", f"base_url={server.url}")
    assert resumed.returncode == 0, resumed.stderr
    assert (tmp_path / "run" / "outputs.jsonl").read_text().count("\n") == 200


def test_judge_stops_with_the_quota_named(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    path = manifest([{"id": str(number), "question": f"say {number}", "answer": "it"} for number in range(30)])
    words = ["run", path, "--as", "open", "-m", "echo", "-T", "metrics=judge-reference", "-o", "run"]
    with FakeServer(QUOTA) as server:
        stopped = auricle(*words, "--judge", "openai", "-J", "model=fake", "-J", f"base_url={server.url}")
    assert "The judge was stopped: the quota of the server is used up (Retry-After: 7,200 s)" in stopped.stderr
    assert "30 verdicts are missing" in stopped.stderr
    assert stopped.returncode == 3
