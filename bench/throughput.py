"""How many samples a second pass from a manifest through the journal to their WER.

The bare loop beside it parses, asks, dumps and aligns, and promises nothing: no journal that
survives a power cut, no resuming, no retry, no intervals, no report.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import material
import orjson
from measure import Sheet, at_least, best
from rapidfuzz.distance import Levenshtein

from auricle import Generate, Turn, evaluate

SAMPLES = 100_000
TARGET = 10_000
ROUNDS = 3


def bare(data: Path, out: Path) -> float:
    model, wrong, length = material.BatchedNoOp(), 0, 0
    with data.open("rb") as lines, out.open("wb") as journal:
        for line in lines:
            row = orjson.loads(line)
            request = Generate(turns=(Turn("user", (row["question"],)),))
            text = model.generate([request])[0].text
            journal.write(orjson.dumps({**row, "output": text}, option=orjson.OPT_APPEND_NEWLINE))
            reference = row["answer"].lower().rstrip(".").split()
            wrong += Levenshtein.distance(reference, text.lower().split())
            length += len(reference)
    return wrong / length


def whole(data: Path, model: str = "NoOp", **task_args: str) -> Callable[[], None]:
    out = data.with_name("run")
    spec = material.spec(data, f"{material.__file__}:{model}", **task_args)

    def run() -> None:
        shutil.rmtree(out, ignore_errors=True)
        evaluate(spec, out)

    return run


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} samples without sound through a model that does nothing")
    with tempfile.TemporaryDirectory() as folder:
        data = material.write(Path(folder, "data.jsonl"), material.rows(SAMPLES))
        spent = best(
            {
                "bare loop": lambda: bare(data, data.with_name("bare.jsonl")),
                "wer, basic": whole(data, metrics="wer", profile="basic"),
                "wer, whisper-en": whole(data, metrics="wer", profile="whisper-en"),
                "wer and cer, basic": whole(data, metrics="wer,cer", profile="basic"),
                "wer, basic, in batches": whole(data, "BatchedNoOp", metrics="wer", profile="basic"),
            },
            ROUNDS,
        )
    baseline = spent.pop("bare loop")
    sheet.line("bare loop", SAMPLES / baseline.wall, "/s", spent=baseline)
    for name, each in spent.items():
        target = at_least(TARGET) if name == "wer, basic" else None
        ratio = each.wall / baseline.wall
        sheet.line(name, SAMPLES / each.wall, "/s", target, ratio, each)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
