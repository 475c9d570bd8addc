"""Measure samples per second from the manifest through the journal to the WER.

The bare loop parses, calls the model, writes and aligns. It has no durable journal, resume, retries, intervals or
report.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import orjson
import sample_data
from measure import Sheet, at_least, measure_best
from rapidfuzz.distance import Levenshtein

from auricle import Generate, Turn, evaluate

SAMPLES = 100_000
TARGET = 10_000
ROUNDS = 3


def run_bare_loop(data: Path, out: Path) -> float:
    model, errors, length = sample_data.BatchedNoOp(), 0, 0
    with data.open("rb") as lines, out.open("wb") as journal:
        for line in lines:
            row = orjson.loads(line)
            request = Generate(turns=(Turn("user", (row["question"],)),))
            text = model.generate([request])[0].text
            journal.write(orjson.dumps({**row, "output": text}, option=orjson.OPT_APPEND_NEWLINE))
            reference = row["answer"].lower().rstrip(".").split()
            errors += Levenshtein.distance(reference, text.lower().split())
            length += len(reference)
    return errors / length


def run_auricle(data: Path, model: str = "NoOp", **task_args: str) -> Callable[[], None]:
    out = data.with_name("run")
    spec = sample_data.spec(data, f"{sample_data.__file__}:{model}", **task_args)

    def run() -> None:
        shutil.rmtree(out, ignore_errors=True)
        evaluate(spec, out)

    return run


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} samples without audio, model that does nothing")
    with tempfile.TemporaryDirectory() as folder:
        data = sample_data.write(Path(folder, "data.jsonl"), sample_data.rows(SAMPLES))
        costs = measure_best(
            {
                "bare loop": lambda: run_bare_loop(data, data.with_name("bare.jsonl")),
                "wer, basic": run_auricle(data, metrics="wer", profile="basic"),
                "wer, whisper-en": run_auricle(data, metrics="wer", profile="whisper-en"),
                "wer and cer, basic": run_auricle(data, metrics="wer,cer", profile="basic"),
                "wer, basic, in batches": run_auricle(data, "BatchedNoOp", metrics="wer", profile="basic"),
            },
            ROUNDS,
        )
    baseline = costs.pop("bare loop")
    sheet.line("bare loop", SAMPLES / baseline.wall, "/s", cost=baseline)
    for name, cost in costs.items():
        target = at_least(TARGET) if name == "wer, basic" else None
        sheet.line(name, SAMPLES / cost.wall, "/s", target, cost.wall / baseline.wall, cost)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
