"""Pulled plugs in the midst of conversations and of several answers."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

SAMPLES, KILLS = 60, 2
MODEL = """
import asyncio, zlib
from auricle import AsyncModel, Generation

class Slow(AsyncModel):
    async def generate(self, request):
        await asyncio.sleep(0.05)
        said = " ".join(str(part) for turn in request.turns for part in turn.parts)
        return Generation(text=f"{zlib.crc32(said.encode()) % 7} {request.nth}")
"""


def command(data: Any, out: Any, *options: Any) -> Any:
    return ["run", str(data), "-o", str(out), "-j", "6", "-m", f"{data.parent / 'slow.py'}:Slow", *options]


def kill_after_some(child: Any, journal: Any) -> None:
    before = journal.stat().st_size if journal.exists() else 0
    try:
        while child.poll() is None and (not journal.exists() or journal.stat().st_size == before):
            time.sleep(0.005)
        time.sleep(0.03)
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
    assert journal.read_bytes().count(b"\n") < SAMPLES, "killed before it was over"


def answers(out: Any) -> Any:
    lines = map(json.loads, (out / "outputs.jsonl").read_bytes().splitlines())
    return {line["id"]: [each["text"] for each in line["outputs"]] for line in lines}


@pytest.mark.parametrize(
    ("options", "expected"),
    [(("--as", "chat"), 3), (("--as", "qa", "-T", "samples=5", "-T", "temperature=0.7", "-T", "answers=vote"), 5)],
    ids=["conversations", "several"],
)
def test_a_killed_run_ends_with_the_answers_of_a_whole_one(
    auricle: Any, begin: Any, manifest: Any, tmp_path: Path, options: Any, expected: int
) -> None:
    (tmp_path / "slow.py").write_text(MODEL)
    said = ["a", "b", "c"] if "chat" in options else "a"
    data = manifest([{"id": str(at), "question": said, "topic": at, "answer": "1"} for at in range(SAMPLES)])
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for _ in range(KILLS):
        kill_after_some(begin(*command(data, killed, *options)), killed / "outputs.jsonl")
    for out in (killed, whole):
        assert auricle(*command(data, out, *options)).returncode == 0
    assert answers(killed) == answers(whole)
    assert {len(each) for each in answers(whole).values()} == {expected}
    first, second = (json.loads((out / "metrics.json").read_text()) for out in (killed, whole))
    assert first["numbers"] == second["numbers"]
