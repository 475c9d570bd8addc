"""Measure the scoring of 100,000 transcripts with intervals, compared with jiwer.

jiwer gets the same pairs and the same normalisation, and computes no interval.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import jiwer
import sample_data
from measure import Cost, Sheet, at_most, measure_best, measure_cost

from auricle import Generation, Sample, evaluate, score
from auricle.core.types import Record
from auricle.metrics.capabilities import Profiled
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.asr.error_rates import wer

SAMPLES = 100_000
HARD_SHARE = 0.3
TARGET = 5.0  # seconds
ROUNDS = 3
JIWER_TRANSFORM = jiwer.Compose([jiwer.ToLowerCase(), jiwer.RemovePunctuation(), jiwer.ReduceToListOfListOfWords()])


def build_records(pairs: Sequence[sample_data.Pair]) -> list[Record]:
    return [
        Record(
            sample=Sample(id=f"utterance-{index:07d}", inputs={}, target=reference),
            row=index,
            outputs=(Generation(text=answer),),
        )
        for index, (reference, answer) in enumerate(pairs)
    ]


def score_in_memory(records: Sequence[Record], profile: str) -> Callable[[], None]:
    assert isinstance(wer, Profiled)
    metric = wer.with_profile(profile)

    def run() -> None:
        table = ScoreTable([metric])
        for _ in score_records(records, table):
            pass
        summarise(table)

    return run


def score_with_jiwer(pairs: Sequence[sample_data.Pair]) -> Callable[[], float]:
    references, answers = (list(side) for side in zip(*pairs, strict=True))
    return lambda: jiwer.wer(references, answers, JIWER_TRANSFORM, JIWER_TRANSFORM)


def score_from_disk(folder: Path) -> Callable[[], object]:
    """Prepare a run without scores; scoring it reads the journal and writes all derived files."""
    data = sample_data.write(folder / "data.jsonl", sample_data.rows(SAMPLES))
    evaluate(sample_data.spec(data, metrics="wer", profile="basic"), folder / "run", infer_only=True)
    return lambda: score(folder / "run")


def measure_plain_text(folder: Path) -> dict[str, Cost]:
    pairs = list(sample_data.pairs(SAMPLES))
    records = build_records(pairs)
    return measure_best(
        {
            "jiwer, plain text": score_with_jiwer(pairs),
            "basic, plain text": score_in_memory(records, "basic"),
            "whisper-en, plain text": score_in_memory(records, "whisper-en"),
            "basic, plain text, `auricle score` of a run": score_from_disk(folder),
        },
        ROUNDS,
    )


def measure_hard_text() -> dict[str, Cost]:
    """Measure texts with numbers, once each, because the Whisper normaliser is slow on them."""
    records = build_records(list(sample_data.pairs(SAMPLES, HARD_SHARE)))
    profiles = ("basic", "whisper-en")
    return {f"{name}, {HARD_SHARE:.0%} with numbers": measure_cost(score_in_memory(records, name)) for name in profiles}


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} transcripts scored, with intervals")
    with tempfile.TemporaryDirectory() as folder:
        costs = measure_plain_text(Path(folder))
    baseline = costs["jiwer, plain text"].wall
    for name, cost in {**costs, **measure_hard_text()}.items():
        target = at_most(TARGET) if name.startswith("basic, plain") else None
        sheet.line(name, cost.wall, "s", target, cost.wall / baseline, cost)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
