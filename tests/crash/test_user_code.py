"""Code of the user that misbehaves in every way costs its own samples, in every lane that calls it."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import MAX_MESSAGE_BYTES, ExitStatus
from tests.support import misbehaviour
from tests.support.extras import require_extra
from tests.support.misbehaviour import BEHAVIOURS

MODELS = """
import asyncio

from auricle import AsyncModel, BatchModel, Generation

from misbehaviour import BEHAVIOURS, behave


def one(text):
    return behave(text)


async def asynchronous(text):
    if text == "waits":
        while True:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                pass
    return behave(text)


def repeat(text):
    return text


def own(sample, output):
    return behave(output.text) if output.text in BEHAVIOURS else 1.0


class Batches(BatchModel):
    batch_size = 4

    def generate(self, batch):
        return [behave(request.text) for request in batch]


class Api(AsyncModel):
    async def generate(self, request):
        await asyncio.sleep(0)
        return behave(request.text)
"""
LANES = {
    "thread": ["-m", "models.py:one"],
    "batches": ["-m", "models.py:Batches"],
    "async": ["-m", "models.py:asynchronous"],
    "senders": ["-m", "models.py:Api", "--processes", "2"],
    "replicas": ["-m", "models.py:one", "--replicas", "2"],
    "sharded": ["-m", "models.py:one", "--shards", "2"],
    "another Python": ["-m", "models.py:one", "-M", f"python={sys.executable}"],
    "Ray": ["-m", "models.py:one", "--backend", "ray"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.py").write_text(MODELS)
    shutil.copy(misbehaviour.__file__, tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("lane", LANES)
def test_misbehaving_model_fails_its_own_samples_only(auricle: Any, folder: Path, manifest: Any, lane: str) -> None:
    if lane == "Ray":
        require_extra("ray")
    texts = [*BEHAVIOURS, *(f"good {number}" for number in range(5))]
    rows = manifest({"id": text, "question": text, "answer": text} for text in texts)
    done = auricle("run", rows, "--as", "qa", "-o", "run", "--timeout", "1", *LANES[lane])
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == ExitStatus.FAILURES, done.stderr
    records = [json.loads(line) for line in (folder / "run" / "outputs.jsonl").read_text().splitlines()]
    failed = {record["id"] for record in records if record["error"]}
    assert {record["id"] for record in records} == {*texts}
    assert failed == {text for text, (fails, _) in BEHAVIOURS.items() if fails}
    assert max(len(json.dumps(record)) for record in records) < 2 * MAX_MESSAGE_BYTES
    assert (folder / "run" / "report.html").exists()


@pytest.mark.slow
def test_misbehaving_metric_leaves_out_its_own_samples_only(auricle: Any, folder: Path, manifest: Any) -> None:
    good = [f"good {number}" for number in range(5)]
    texts = [*good, *BEHAVIOURS]  # the first statistic decides on the shape of the others
    rows = manifest({"id": text, "question": text, "answer": text} for text in texts)
    task = ["--as", "qa", "-T", "metrics=models.py:own,exact_match", "-m", "models.py:repeat"]
    done = auricle("run", rows, *task, "-o", "run", "--timeout", "1")
    assert "Traceback" not in done.stdout + done.stderr
    scores = [json.loads(line) for line in (folder / "run" / "scores.jsonl").read_text().splitlines()]
    assert [score["id"] for score in scores if "own" in score["stats"]] == good
    assert len(scores) == len(texts)
