"""Judged answers, spoken answers and a second model in sharded runs give the numbers of runs without shards."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from auricle.report.merging import merge_completed
from auricle.runs.metrics import read_metrics
from tests.support.sharded_runs import NOT_COMPARED

pytestmark = pytest.mark.slow

ROWS = 12
MODELS = """
import numpy as np
from auricle import BatchModel, Generation

class Judge(BatchModel):
    def generate(self, batch):
        return [Generation(text=f"Fine.\\nScore: {1 + len(str(request)) % 5}") for request in batch]

def speak(text):
    number = int(text.split()[1])
    return np.sin(np.arange(1600 + 160 * number) * (0.1 + number / 100)).astype(np.float32) / 2, 16_000

def transcribe(audio):
    return "number " + str(len(audio.decode()) // 160 - 9)
"""
PRICES = """
"*Judge": {request: 0.01}
"echo": {request: 0.002}
"""
KINDS = {
    "judged": (
        *("--as", "qa", "-T", "metrics=judge-1-5,exact_match", "-m", "echo"),
        *("--judge", "models.py:Judge", "--prices", "prices.yaml"),
    ),
    "spoken": ("--as", "tts", "-T", "metrics=speech_duration", "-m", "models.py:speak"),
    "transcribed": (
        *("--as", "tts", "-T", "metrics=speech_duration,round_trip_wer", "-m", "models.py:speak"),
        *("--recogniser", "models.py:transcribe"),
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"r{row}", "question": f"number {row}", "answer": str(row % 3)} for row in range(ROWS)]
    texts = [{"id": f"r{row}", "text": f"number {row}"} for row in range(ROWS)]
    for name, lines in (("rows", rows), ("texts", texts)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("models.py").write_text(MODELS)
    Path("prices.yaml").write_text(PRICES)
    return tmp_path


def read_results(run: str) -> dict[str, Any]:
    document: dict[str, Any] = orjson.loads(Path(run, "metrics.json").read_bytes())
    return {name: value for name, value in document.items() if name not in NOT_COMPARED}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sharded_run_has_the_results_of_a_plain_one(kind: str, folder: Path, auricle: Any) -> None:
    words = ["run", "rows.jsonl" if kind == "judged" else "texts.jsonl", *KINDS[kind]]
    for name, options in (("plain", []), ("sharded", ["--shards", "4", "--workers", "2"])):
        result = auricle(*words, *options, "-o", name)
        assert result.returncode == 0, result.stderr
    plain, sharded = read_results("plain"), read_results("sharded")
    assert {number["metric"] for number in plain["numbers"] if number["scored"] == ROWS}
    assert sharded == plain
    spoken = [sorted(path.name for path in Path(name, "speech").glob("*")) for name in ("plain", "sharded")]
    assert spoken[0] == spoken[1]
    assert bool(spoken[0]) == (kind != "judged")


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_from_sums_are_those_of_all_samples(kind: str, folder: Path, auricle: Any) -> None:
    words = ["run", "rows.jsonl" if kind == "judged" else "texts.jsonl", *KINDS[kind], "--shards", "4", "-o", "run"]
    assert auricle(*words).returncode == 0
    exact = read_metrics(folder / "run")
    _, large, status = merge_completed([folder / "run"], None, exact_samples=0)
    assert status.complete
    assert len(large.overall) == len(exact.overall)
    for number in large.overall:
        assert number.value == pytest.approx(exact[number.metric].value)
        assert (number.scored, number.total) == (ROWS, ROWS)
    assert [replace(judge, cost=None) for judge in large.judges] == [
        replace(judge, cost=None) for judge in exact.judges
    ]
    costs = [judge.cost for judge in large.judges if judge.role == "judge"]
    assert costs == [pytest.approx(0.01 * ROWS)] * (kind == "judged")
    assert large.usage == exact.usage
    assert (large.outcomes, large.failures) == (exact.outcomes, exact.failures)
