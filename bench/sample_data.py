"""Data of the benchmarks: sentences with random errors, manifests of them, and a model that does nothing."""

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
DISTINCT_PAIRS = 100_000  # more than the caches of the normalisers hold

Pair = tuple[str, str]


class NoOp(AsyncModel):
    """Answers at once with the text of the request."""

    async def generate(self, request: Generate) -> Generation:
        return Generation(text=str(request.turns[-1].parts[-1]))


class BatchedNoOp(BatchModel):
    """Does the same in batches, so that requests pass through the batcher."""

    batch_size = 64

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=str(request.turns[-1].parts[-1])) for request in batch]


def pairs(count: int, hard: float = 0.0) -> Iterator[Pair]:
    """Yield sentences of about 12 words, each with a copy in which about 10 % of the words are wrong.

    `hard` is the share of sentences with a number, a contraction or a title.
    """
    dice = random.Random(SEED)
    vocabulary = _vocabulary(dice)
    distinct = (_pair(dice, vocabulary, hard) for _ in range(min(count, DISTINCT_PAIRS)))
    return islice(cycle(distinct), count)


def _pair(dice: random.Random, vocabulary: Sequence[str], hard: float) -> Pair:
    words = [_word(dice, vocabulary) for _ in range(dice.randint(6, 18))]
    if dice.random() < hard:
        words.insert(dice.randrange(len(words)), dice.choice(HARD))
    return f"{' '.join(words).capitalize()}.", " ".join(_with_errors(dice, words, vocabulary))


def _vocabulary(dice: random.Random) -> list[str]:
    return sorted({"".join(dice.choices(SYLLABLES, k=dice.randint(1, 4))) for _ in range(20_000)})


def _word(dice: random.Random, vocabulary: Sequence[str]) -> str:
    return dice.choice(COMMON) if dice.random() < 0.4 else dice.choice(vocabulary)


def _with_errors(dice: random.Random, words: Iterable[str], vocabulary: Sequence[str]) -> Iterator[str]:
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
    """Yield rows without audio; the question of a row is what `NoOp` will answer."""
    for index, (reference, answer) in enumerate(pairs(count, hard)):
        yield {
            "id": f"utterance-{index:07d}", "question": answer, "answer": reference, "subset": f"part-{index % 4}"
        }  # fmt: skip


def write(path: Path, lines: Iterable[dict[str, Any]]) -> Path:
    with path.open("wb") as file:
        file.writelines(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
    return path


def spec(data: Path, model: str = f"{__file__}:NoOp", kind: str = "qa", **task_args: str) -> Spec:
    """Return the spec of a run; the default kind `qa` needs no audio and accepts any text metric."""
    return Spec(task=kind, model=model, task_args={"data": str(data), **task_args})
