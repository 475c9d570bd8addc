"""Code of the user that misbehaves in every way costs its own samples, in every lane that calls it."""

import json
import os
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


def fails_once(text):
    if text == "1":
        raise ValueError("no")
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
PARTS = """
import os

from auricle import BatchModel, Sample, Task
from auricle.metrics import metric
from auricle.tasks.asr.error_rates import exact_match
from auricle.engine.inferencers import Respond

from misbehaviour import behave

FOLDER = os.path.dirname(__file__)
SAMPLES = [Sample(id=str(number), inputs={"question": str(number)}, target=str(number)) for number in range(4)]


def misbehave():
    if os.environ["BEHAVIOUR"] == "elsewhere":
        os.chdir(f"{FOLDER}/elsewhere")
    else:
        behave(os.environ["BEHAVIOUR"])


class Rows:
    def __iter__(self):
        yield SAMPLES[0]
        misbehave()
        yield from SAMPLES[1:]


class Asks(Respond):
    async def __call__(self, sample, ask):
        if sample.id == "2":
            misbehave()
        return await super().__call__(sample, ask)


class Retriever:
    def fit(self, pool):
        self.pool = pool

    def rank(self, sample, allowed):
        if sample.id == "2":
            misbehave()
        return allowed


def build():
    misbehave()
    return Task(SAMPLES, Respond("{question}"), [exact_match])


def rows():
    return Task(Rows(), Respond("{question}"), [exact_match])


def asks():
    return Task(SAMPLES, Asks("{question}"), [exact_match])


class Loads(BatchModel):
    def __init__(self):
        misbehave()

    def generate(self, batch):
        return [request.text for request in batch]


class Closes(BatchModel):
    def generate(self, batch):
        return [request.text for request in batch]

    def close(self):
        misbehave()


class Total:
    def __call__(self, stats):
        misbehave()
        return 1.0


class Explains:
    def __call__(self, stats):
        return 1.0

    def explain_absence(self, stats):
        misbehave()


@metric(Total())
def total(sample, output):
    return 1.0


@metric(Explains())
def explains(sample, output):
    return 1.0


@metric()
def bounded(sample, output):
    return 1.0


bounded = bounded.replace(bounds=lambda sample: misbehave())
applied = bounded.replace(name="applied", bounds=None, applies=lambda sample: misbehave())

"""
GOOD_MODEL = ["-m", "models.py:repeat"]
DATA = ["mine.jsonl", "--as", "qa"]
PART_COMMANDS = {
    "import": ([*DATA, "-m", "imported.py:repeat"], ExitStatus.ERROR),
    "task": (["parts.py:build", *GOOD_MODEL], ExitStatus.ERROR),
    "rows": (["parts.py:rows", *GOOD_MODEL], ExitStatus.ERROR),
    "inferencer": (["parts.py:asks", *GOOD_MODEL], ExitStatus.FAILURES),
    "retriever": ([*DATA, "-T", "shots=parts.py:Retriever:1", *GOOD_MODEL], ExitStatus.FAILURES),
    "load": ([*DATA, "-m", "parts.py:Loads"], ExitStatus.ERROR),
    "close": ([*DATA, "-m", "parts.py:Closes"], ExitStatus.OK),
    "aggregate": ([*DATA, "-T", "metrics=parts.py:total", *GOOD_MODEL], ExitStatus.FAILURES),
    "aggregate, sharded": ([*DATA, "-T", "metrics=parts.py:total", *GOOD_MODEL, "--shards", "2"], ExitStatus.FAILURES),
    "absence": ([*DATA, "-T", "metrics=parts.py:explains", *GOOD_MODEL], ExitStatus.FAILURES),
    "bounds": ([*DATA, "-T", "metrics=parts.py:bounded", "-m", "models.py:fails_once"], ExitStatus.FAILURES),
    "applies": ([*DATA, "-T", "metrics=parts.py:applied", *GOOD_MODEL], ExitStatus.FAILURES),
}
"""A command for each place where code of the user is called besides models, and its exit code if that code raises."""
RAISES = [
    name
    for name in BEHAVIOURS
    if not name.startswith("returns") and name not in ("sleeps", "spins", "waits") and BEHAVIOURS[name][0]
]
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


@pytest.fixture
def parts(folder: Path, manifest: Any) -> Path:
    (folder / "parts.py").write_text(PARTS)
    (folder / "imported.py").write_text("from parts import misbehave\nmisbehave()\ndef repeat(text): return text\n")
    (folder / "elsewhere").mkdir()
    manifest({"id": str(number), "question": str(number), "answer": str(number)} for number in range(4))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("part", PART_COMMANDS)
def test_other_parts_that_raise_are_named_in_one_line(auricle: Any, parts: Path, part: str) -> None:
    words, status = PART_COMMANDS[part]
    for number, behaviour in enumerate(RAISES):
        environment = {**os.environ, "BEHAVIOUR": behaviour, "XDG_STATE_HOME": str(parts / "state")}
        done = auricle("run", *words, "-o", f"run{number}", "--timeout", "5", env=environment)
        assert "Traceback" not in done.stdout + done.stderr, behaviour
        assert part == "rows" or "Unexpected" not in done.stderr, behaviour
        assert done.returncode == status, (behaviour, done.stderr)
        assert len(done.stderr) < 2 * MAX_MESSAGE_BYTES, behaviour


@pytest.mark.parametrize("part", ["import", "load", "rows", "aggregate"])
def test_other_parts_that_change_the_folder_do_not_move_the_run(auricle: Any, parts: Path, part: str) -> None:
    environment = {**os.environ, "BEHAVIOUR": "elsewhere"}
    words, _ = PART_COMMANDS[part]
    assert auricle("run", *words, "-o", "run", env=environment).returncode == ExitStatus.OK
    assert (parts / "run" / "report.html").exists()


def test_code_that_ends_the_program_is_an_error(auricle: Any, parts: Path) -> None:
    """Otherwise a command would succeed without having done anything."""
    (parts / "size.py").write_text(
        "import sys\nfrom auricle import BatchModel\nclass Exits(BatchModel):\n"
        "    batch_size = property(lambda self: sys.exit(0))\n"
        "    def generate(self, batch): return [request.text for request in batch]\n"
    )
    environment = {**os.environ, "XDG_STATE_HOME": str(parts / "state")}
    done = auricle("run", *DATA, "-m", "size.py:Exits", "-o", "run", env=environment)
    assert done.returncode == ExitStatus.ERROR
    assert "SystemExit" in done.stderr
