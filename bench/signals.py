"""Measure what measuring recordings while a run goes on adds to its time: the worst case, a trivial model.

Runs with and without measuring take turns in one process, so that a busy moment affects both.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import sample_data
from measure import Sheet, at_most, measure_best
from short_clips import FILES, SECONDS, write_files

from auricle import evaluate
from auricle.runs import sound_measures as signals
from auricle.runs.sound_measures import SIGNALS_FILE

ROUNDS = 9
TARGET = 1.10


@contextmanager
def measuring_share(share: float) -> Iterator[None]:
    """Limit measuring to a share of the time."""
    usual, signals.MAX_SHARE = signals.MAX_SHARE, share
    try:
        yield
    finally:
        signals.MAX_SHARE = usual


def infer(data: Path, share: float) -> None:
    model, out = Path(__file__).with_name("short_clips.py"), data.parent / "run"
    spec = sample_data.spec(data, f"{model}:Trivial", "asr")
    shutil.rmtree(out, ignore_errors=True)
    with measuring_share(share):
        evaluate(spec, out, infer_only=True)


def main() -> int:
    sheet = Sheet(f"{FILES:,} files of {SECONDS} s, trivial batch model, best of {ROUNDS}")
    with tempfile.TemporaryDirectory() as folder:
        data = write_files(Path(folder))
        shares = {"without measuring": 1e-9, "with measuring": signals.MAX_SHARE}
        infer(data, signals.MAX_SHARE)  # imports modules
        costs = measure_best({name: partial(infer, data, share) for name, share in shares.items()}, ROUNDS)
        measured = (data.parent / "run" / SIGNALS_FILE).read_bytes().count(b"\n")
    without, with_measures = costs.values()
    sheet.line("without measuring", FILES / without.wall, "/s", cost=without)
    sheet.line("with measuring", FILES / with_measures.wall, "/s", cost=with_measures)
    sheet.line("time with / without", with_measures.wall / without.wall, "x", at_most(TARGET))
    sheet.line("processor time with / without", with_measures.cpu / without.cpu, "x", at_most(TARGET))
    sheet.line("recordings measured", measured, "")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
