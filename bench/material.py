"""What the benchmarks run on: sentences with known errors, manifests of them, a model that does nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from auricle import BatchModel, Generate, Generation, Spec

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za".split()
COMMON = "the a of to in is that it was for on with as at by from this be not or".split()
HARD = (
    "twenty three", "one hundred and five", "3,000", "42", "$5.50", "he's been", "won't",
    "they're", "mr. smith", "colour", "second", "half past two", "1st", "o'clock",
)  # fmt: skip
SEED = 7


class NoOp(BatchModel):
    """Says back what it is asked, at once."""

    batch_size = 64

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=str(request.turns[-1].parts[0])) for request in batch]


def pairs(count: int, hard: float = 0.0) -> Iterator[tuple[str, str]]:
    """A sentence of about 12 words, and the same with about 10 % of its words wrong.

    `hard` is the share of sentences that hold a number or a contraction.
    """
    dice = random.Random(SEED)
    vocabulary = _vocabulary(dice)
    for _ in range(count):
        words = [_word(dice, vocabulary) for _ in range(dice.randint(6, 18))]
        if dice.random() < hard:
            words.insert(dice.randrange(len(words)), dice.choice(HARD))
        reference = " ".join(words)
        yield reference.capitalize() + ".", " ".join(_misheard(dice, words, vocabulary))


def _vocabulary(dice: random.Random) -> list[str]:
    return sorted({"".join(dice.choices(SYLLABLES, k=dice.randint(1, 4))) for _ in range(20_000)})


def _word(dice: random.Random, vocabulary: Sequence[str]) -> str:
    return dice.choice(COMMON) if dice.random() < 0.4 else dice.choice(vocabulary)


def _misheard(
    dice: random.Random, words: Sequence[str], vocabulary: Sequence[str]
) -> Iterator[str]:
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


def manifest(path: Path, count: int, hard: float = 0.0) -> Path:
    """A text-only transcription manifest; the question of a row is what the model will say."""
    with path.open("wb") as file:
        for at, (reference, answer) in enumerate(pairs(count, hard)):
            row = {"id": f"utt-{at:07d}", "question": answer, "text": reference}
            file.write(orjson.dumps({**row, "subset": f"part-{at % 4}"}) + b"\n")
    return path


def spec(data: Path, **task_args: str) -> Spec:
    return Spec(
        task="asr", model=f"{__file__}:NoOp", task_args={"data": str(data), **task_args}
    )
