"""How long 100,000 transcripts take to score with 1,000 bootstrap rounds, beside jiwer.

jiwer gets the same pairs and the same normalisation, and gives a number without an interval.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import jiwer
import material
from measure import Cost, Sheet, at_most, best, cost

from auricle import Generation, Sample, evaluate, score
from auricle.core.types import Record
from auricle.metrics.text import wer
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise

SAMPLES = 100_000
HARD = 0.3
TARGET = 5.0  # seconds
ROUNDS = 3
PLAIN = jiwer.Compose([jiwer.ToLowerCase(), jiwer.RemovePunctuation(), jiwer.ReduceToListOfListOfWords()])


def records(pairs: Sequence[material.Pair]) -> list[Record]:
    return [
        Record(
            sample=Sample(id=f"utterance-{at:07d}", inputs={}, target=reference),
            row=at,
            outputs=(Generation(text=answer),),
        )
        for at, (reference, answer) in enumerate(pairs)
    ]


def in_memory(heard: Sequence[Record], profile: str) -> Callable[[], None]:
    assert wer.with_profile
    metric = wer.with_profile(profile)

    def run() -> None:
        board = ScoreTable([metric])
        for _ in score_records(heard, board):
            pass
        summarise(board)

    return run


def peer(pairs: Sequence[material.Pair]) -> Callable[[], float]:
    references, answers = (list(side) for side in zip(*pairs, strict=True))
    return lambda: jiwer.wer(references, answers, PLAIN, PLAIN)


def from_disk(folder: Path) -> Callable[[], object]:
    """A run that was asked already; scoring it reads the journal and writes every derived file."""
    data = material.write(folder / "data.jsonl", material.rows(SAMPLES))
    evaluate(material.spec(data, metrics="wer", profile="basic"), folder / "run", infer_only=True)
    return lambda: score(folder / "run")


def plain_text(folder: Path) -> dict[str, Cost]:
    pairs = list(material.pairs(SAMPLES))
    heard = records(pairs)
    return best(
        {
            "jiwer, plain text": peer(pairs),
            "basic, plain text": in_memory(heard, "basic"),
            "whisper-en, plain text": in_memory(heard, "whisper-en"),
            "basic, plain text, `auricle score` of a run": from_disk(folder),
        },
        ROUNDS,
    )


def hard_text() -> dict[str, Cost]:
    """Once each: the Whisper normaliser takes its time over numbers."""
    heard = records(list(material.pairs(SAMPLES, HARD)))
    profiles = ("basic", "whisper-en")
    return {f"{name}, {HARD:.0%} with numbers": cost(in_memory(heard, name)) for name in profiles}


def main() -> int:
    sheet = Sheet(f"{SAMPLES:,} transcripts scored, 1,000 bootstrap rounds")
    with tempfile.TemporaryDirectory() as folder:
        spent = plain_text(Path(folder))
    jiwers = spent["jiwer, plain text"].wall
    for name, each in {**spent, **hard_text()}.items():
        target = at_most(TARGET) if name.startswith("basic, plain") else None
        sheet.line(name, each.wall, "s", target, each.wall / jiwers, each)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
