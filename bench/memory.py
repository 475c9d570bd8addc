"""Measure the peak memory of a million samples: inference, scoring, and resuming the finished run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import sample_data
from measure import Sheet, at_most, measure_process

SAMPLES = 1_000_000
TARGET = 400  # MB
RUN = """
import sys
sys.path.insert(0, {here!r})
from pathlib import Path
import sample_data
from auricle import evaluate
evaluate(sample_data.spec(Path({data!r}), metrics="wer"), Path({out!r}))
"""


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} samples without audio, inferred and scored")
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data.jsonl"), Path(folder, "run")
        sample_data.write(data, sample_data.rows(SAMPLES))
        code = RUN.format(here=str(Path(__file__).parent), data=str(data), out=str(out))
        bare = measure_process("import numpy")
        sheet.line("python with numpy", bare.megabytes, "MB", cost=bare.cost)
        for name in ("infer and score", "resume when finished"):
            run = measure_process(code)
            ratio = run.megabytes / bare.megabytes
            sheet.line(name, run.megabytes, "MB", at_most(TARGET), ratio, run.cost)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
