"""Runs of live calls, killed at random moments and resumed."""

import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

CALLS = 30
KILLS = 4
AGENT = '''
import numpy as np

from auricle import SessionModel
from auricle.core.calls import EndOfTurn, EventKind, SessionEvent


class Agent(SessionModel):
    """Beeps after each turn of the caller."""

    input_rate = output_rate = 8000

    async def session(self, call, inputs):
        yield SessionEvent(kind=EventKind.READY)
        turns = 0
        async for item in inputs:
            if isinstance(item, EndOfTurn):
                turns += 1
                beep = np.tile(np.array([8000, -8000], np.int16), 800)
                yield SessionEvent(kind=EventKind.TRANSCRIPT, item=str(turns), text="Beep.")
                yield SessionEvent(kind=EventKind.AUDIO, item=str(turns), audio=beep)
                yield SessionEvent(kind=EventKind.RESPONSE_DONE, item=str(turns), data={"status": "completed"})
'''


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Return the command that holds thirty calls of about a second."""
    soundfile.write(tmp_path / "a.wav", 0.3 * np.sin(np.arange(2400) / 3), 8000)
    (tmp_path / "agent.py").write_text(AGENT)
    step = {"say": {"audio": "a.wav", "text": "a"}, "after": 0.1}
    rows = [{"id": f"c{number}", "script": [step] * (1 + number % 3)} for number in range(CALLS)]
    (tmp_path / "calls.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["-T", "turn_detection=caller", "-T", "response_timeout=0.5", "-T", "metrics=response_rate", "-j", "4"]
    data, model = str(tmp_path / "calls.jsonl"), f"{tmp_path / 'agent.py'}:Agent"
    return ["run", data, "--as", "conversation", "-m", model, "-o", str(tmp_path / "run"), *options]


def kill_after_next_call(begin: Any, words: list[str], journal: Path, rng: random.Random) -> None:
    """Start a run, and kill it at a random moment after it has written a call."""
    before = journal.stat().st_size if journal.exists() else 0
    child = begin(*words)
    try:
        while child.poll() is None and (not journal.exists() or journal.stat().st_size == before):
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.6))
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()


@pytest.mark.slow
def test_a_killed_run_of_calls_loses_none_and_repeats_none(
    auricle: Any, begin: Any, words: list[str], tmp_path: Path
) -> None:
    run, rng = tmp_path / "run", random.Random(7)
    kept: list[bytes] = []
    for _ in range(KILLS):
        kill_after_next_call(begin, words, run / "outputs.jsonl", rng)
        lines = (run / "outputs.jsonl").read_bytes().splitlines(keepends=True)
        lines = [line for line in lines if line.endswith(b"\n")]
        assert lines[: len(kept)] == kept, "calls that were written stay as they are"
        kept = lines
    assert 0 < len(kept) < CALLS
    assert auricle(*words).returncode == 0

    records = [json.loads(line) for line in (run / "outputs.jsonl").read_bytes().splitlines()]
    assert Counter(record["id"] for record in records) == {f"c{number}": 1 for number in range(CALLS)}
    assert not any(record["error"] for record in records)
    recordings = [record["outputs"][0]["audio"]["uri"] for record in records]
    files = sorted(f"calls/{path.name}" for path in (run / "calls").iterdir())
    assert files == sorted([*recordings, *(name.replace(".flac", ".jsonl") for name in recordings)])
    assert auricle("verify", str(run)).returncode == 0
