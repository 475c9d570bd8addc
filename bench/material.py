"""What the benchmarks run on: sentences with known errors, manifests of them, an idle model."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import orjson

from auricle import AsyncModel, BatchModel, Generate, Generation, Spec

SYLLABLES = [first + last for first in "bdfgklmnprstv" for last in "aeiou"]
COMMON = (
    "the", "a", "of", "to", "in", "is", "that", "it", "was", "for", "on", "with", "as", "at", "by",
    "from", "this", "be", "not", "or",
)  # fmt: skip
HARD = (
    "twenty three", "one hundred and five", "3,000", "42", "$5.50", "he's been", "won't",
    "they're", "mr. smith", "colour", "second", "half past two", "1st", "o'clock",
)  # fmt: skip
SEED = 7
# More than the normalisers remember, so that a repeated sentence is not a remembered one.
DIFFERENT = 100_000

Pair = tuple[str, str]


class NoOp(AsyncModel):
    """Says back what it is asked, at once."""

    async def generate(self, request: Generate) -> Generation:
        return Generation(text=str(request.turns[-1].parts[-1]))


class BatchedNoOp(BatchModel):
    """The same by lists: what is asked waits for its window, is sorted, cut and handed over."""

    batch_size = 64

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=str(request.turns[-1].parts[-1])) for request in batch]


def pairs(count: int, hard: float = 0.0) -> Iterator[Pair]:
    """Sentences of about 12 words, and each again with about 10 % of its words wrong.

    `hard` is the share of sentences that hold a number, a contraction or a title.
    """
    dice = random.Random(SEED)
    vocabulary = _vocabulary(dice)
    drawn = (_pair(dice, vocabulary, hard) for _ in range(min(count, DIFFERENT)))
    return islice(cycle(drawn), count)


def _pair(dice: random.Random, vocabulary: Sequence[str], hard: float) -> Pair:
    words = [_word(dice, vocabulary) for _ in range(dice.randint(6, 18))]
    if dice.random() < hard:
        words.insert(dice.randrange(len(words)), dice.choice(HARD))
    return f"{' '.join(words).capitalize()}.", " ".join(_misheard(dice, words, vocabulary))


def _vocabulary(dice: random.Random) -> list[str]:
    return sorted({"".join(dice.choices(SYLLABLES, k=dice.randint(1, 4))) for _ in range(20_000)})


def _word(dice: random.Random, vocabulary: Sequence[str]) -> str:
    return dice.choice(COMMON) if dice.random() < 0.4 else dice.choice(vocabulary)


def _misheard(dice: random.Random, words: Iterable[str], vocabulary: Sequence[str]) -> Iterator[str]:
    for word in words:
        chance = dice.random()
        if chance < 0.06:
            yield dice.choice(vocabulary)
        elif chance < 0.08:
            continue
        elif chance < 0.10:
            yield from (word, dice.choice(COMMON))
        else:
            yield word


def rows(count: int, hard: float = 0.0) -> Iterator[dict[str, Any]]:
    """Rows without sound; the question of a row is what the idle model will say."""
    for at, (reference, answer) in enumerate(pairs(count, hard)):
        yield {"id": f"utterance-{at:07d}", "question": answer, "answer": reference, "subset": f"part-{at % 4}"}


def write(path: Path, lines: Iterable[dict[str, Any]]) -> Path:
    with path.open("wb") as file:
        file.writelines(orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE) for each in lines)
    return path


def spec(data: Path, model: str = f"{__file__}:NoOp", kind: str = "qa", **task_args: str) -> Spec:
    """Of the kinds scored on text, `qa` is the one that needs no sound; it takes any metric."""
    return Spec(task=kind, model=model, task_args={"data": str(data), **task_args})
