"""Runs killed during conversations and repeated answers."""

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
        text = " ".join(str(part) for turn in request.turns for part in turn.parts)
        return Generation(text=f"{zlib.crc32(text.encode()) % 7} {request.answer_index}")
"""


def command(data: Path, out: Path, *options: str) -> list[str]:
    return ["run", str(data), "-o", str(out), "-j", "6", "-m", f"{data.parent / 'slow.py'}:Slow", *options]


def kill_after_some(child: Any, journal: Path) -> None:
    before = journal.stat().st_size if journal.exists() else 0
    try:
        while child.poll() is None and (not journal.exists() or journal.stat().st_size == before):
            time.sleep(0.005)
        time.sleep(0.03)
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
    assert journal.read_bytes().count(b"\n") < SAMPLES, "the run ended before it was killed"


def answers(out: Path) -> dict[str, list[str]]:
    lines = map(json.loads, (out / "outputs.jsonl").read_bytes().splitlines())
    return {line["id"]: [output["text"] for output in line["outputs"]] for line in lines}


@pytest.mark.parametrize(
    ("options", "expected"),
    [(("--as", "chat"), 3), (("--as", "qa", "-T", "samples=5", "-T", "temperature=0.7", "-T", "answers=vote"), 5)],
    ids=["conversations", "repeated answers"],
)
def test_killed_run_has_the_answers_of_an_uninterrupted_one(
    auricle: Any, begin: Any, manifest: Any, tmp_path: Path, options: tuple[str, ...], expected: int
) -> None:
    (tmp_path / "slow.py").write_text(MODEL)
    question = ["a", "b", "c"] if "chat" in options else "a"
    data = manifest([{"id": str(row), "question": question, "topic": row, "answer": "1"} for row in range(SAMPLES)])
    killed, uninterrupted = tmp_path / "killed", tmp_path / "uninterrupted"
    for _ in range(KILLS):
        kill_after_some(begin(*command(data, killed, *options)), killed / "outputs.jsonl")
    for out in (killed, uninterrupted):
        assert auricle(*command(data, out, *options)).returncode == 0
    assert answers(killed) == answers(uninterrupted)
    assert {len(texts) for texts in answers(uninterrupted).values()} == {expected}
    first, second = (json.loads((out / "metrics.json").read_text()) for out in (killed, uninterrupted))
    assert first["numbers"] == second["numbers"]
