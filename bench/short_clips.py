"""Measure a trivial batch model over many short files: the cost of reading, decoding and recording a sample.

The plain loop decodes each file, calls the model in batches and writes a line. Imports are not measured. With
`--before`, the same run is measured with the package in another source folder, in turn with this one.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
import sample_data
from measure import Cost, Sheet, at_least, measure_tree

from auricle import BatchModel, Generate, Generation, evaluate

FILES, SECONDS, RATE, BATCH_SIZE = 4_000, 0.5, 16_000, 16
TARGET = 3_200
ROUNDS = 5


class Trivial(BatchModel):
    """Answers at once, but wants its audio decoded."""

    batch_size, sample_rate = BATCH_SIZE, RATE

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text="hello") for _ in batch]


def write_files(folder: Path) -> Path:
    dice = random.Random(sample_data.SEED)
    for number in range(FILES):
        with wave.open(str(folder / f"{number}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(dice.randbytes(int(2 * SECONDS * RATE)))
    rows = ({"audio": f"{number}.wav", "text": "hello"} for number in range(FILES))
    return sample_data.write(folder / "data.jsonl", rows)


def run_plain_loop(data: Path) -> Cost:
    model, wall, cpu = Trivial(), time.perf_counter(), time.process_time()
    rows = [orjson.loads(line) for line in data.open("rb")]
    with (data.parent / "plain.jsonl").open("wb") as written:
        for start in range(0, FILES, BATCH_SIZE):
            batch = rows[start : start + BATCH_SIZE]
            for row in batch:
                samples = np.frombuffer((data.parent / row["audio"]).read_bytes()[44:], "<i2")
                row["samples"] = len(samples.astype(np.float32) / 32768)
            for row, output in zip(batch, model.generate(batch), strict=True):
                written.write(orjson.dumps({**row, "output": output.text}, option=orjson.OPT_APPEND_NEWLINE))
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def measure_run(data: str) -> Cost:
    """Measure the inference of one run."""
    out = Path(data).with_name("run")
    spec = sample_data.spec(Path(data), f"{__file__}:Trivial", "asr")
    evaluate(spec.model_copy(update={"limit": BATCH_SIZE}), out, infer_only=True)  # imports modules
    shutil.rmtree(out)
    wall, cpu = time.perf_counter(), time.process_time()
    evaluate(spec, out, infer_only=True)
    cost = Cost(time.perf_counter() - wall, time.process_time() - cpu)
    assert (out / "outputs.jsonl").read_bytes().count(b'"error":null') == FILES
    return cost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="source folder to compare with")
    before = parser.parse_args().before
    sheet = Sheet(f"{FILES:,} files of {SECONDS} s, trivial batch model, best of {ROUNDS}")
    costs: dict[str, list[Cost]] = {"plain loop": [], "before": [], "auricle": []}
    with tempfile.TemporaryDirectory() as folder:
        data = write_files(Path(folder))
        for _ in range(ROUNDS):
            costs["plain loop"].append(run_plain_loop(data))
            if before:
                costs["before"].append(measure_tree("short_clips", "measure_run", str(data), tree=before))
            costs["auricle"].append(measure_tree("short_clips", "measure_run", str(data)))
    plain, ours = min(costs["plain loop"]), min(costs["auricle"])
    sheet.line("plain loop", FILES / plain.wall, "/s", cost=plain)
    if before:
        earlier = min(costs["before"])
        sheet.line("before", FILES / earlier.wall, "/s", ratio=earlier.wall / plain.wall, cost=earlier)
        sheet.line("speed-up", earlier.wall / ours.wall, "x")
    sheet.line("auricle", FILES / ours.wall, "/s", at_least(TARGET), ours.wall / plain.wall, ours)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
