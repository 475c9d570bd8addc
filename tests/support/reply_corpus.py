"""The corpus of labelled replies in `tests/golden/replies`, and how well its replies are read."""

import json
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from auricle.text import Reading, read_label, read_number, read_option, read_yes_no
from tests.support import paths

FOLDER = paths.GOLDEN / "replies"
SETS = tuple(path.stem for path in sorted(FOLDER.glob("*.jsonl")))
LANGUAGES = ("en", "zh", "ja", "ko", "de", "fr", "es", "pt", "it", "ru")
READERS = ("mcq", "yes_no", "classify", "rating")
KINDS = ("straightforward", "hostile", "refused", "unreadable")


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled reply; the fields are described in the README of the corpus."""

    id: str
    language: str
    reader: str
    options: tuple[Any, ...]
    question: str
    reply: str
    expected: dict[str, Any]
    kind: str
    note: str

    @property
    def is_answerable(self) -> bool:
        return "answer" in self.expected

    @property
    def may_be_refused(self) -> bool:
        """Whether the label leaves open if an unreadable reply refuses to answer."""
        return "also acceptable: refused" in self.note


class Outcome(StrEnum):
    """How a reply was read, compared with its label."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREAD = "unread"
    """An answer is not read."""
    MISTAKEN_REFUSAL = "mistaken refusal"
    """A reply without an answer is read as none, but its refusal is missed or a refusal is read where there is none."""


def load(name: str) -> list[Row]:
    """Load one set of the corpus."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines if line)
    return [Row(**{**row, "options": tuple(row["options"])}) for row in rows]


def read(row: Row) -> tuple[Any, Reading[Any]]:
    """Return the answer in the form of the labels, or None, and the reading."""
    if row.reader == "mcq":
        option = read_option(row.reply, row.options, row.question)
        return None if option.value is None else string.ascii_uppercase[option.value], option
    if row.reader == "classify":
        label = read_label(row.reply, row.options, row.question)
        return label.value, label
    if row.reader == "yes_no":
        answer = read_yes_no(row.reply, row.question)
        return None if answer.value is None else ("no", "yes")[answer.value], answer
    number = read_number(row.reply, (float(row.options[0]), float(row.options[1])))
    return number.value, number


def judge(row: Row) -> Outcome:
    """Read a reply and compare the reading with its label."""
    answer, reading = read(row)
    if row.is_answerable:
        if answer is None:
            return Outcome.UNREAD
        return Outcome.RIGHT if answer == row.expected["answer"] else Outcome.WRONG
    if answer is not None:
        return Outcome.WRONG
    is_right = reading.refused == ("refused" in row.expected) or row.may_be_refused
    return Outcome.RIGHT if is_right else Outcome.MISTAKEN_REFUSAL


@dataclass(frozen=True, slots=True)
class Figures:
    """How many replies were read rightly and wrongly."""

    rows: int
    right: int
    wrong: int
    unread: int
    answerable: int
    refused: int
    refused_right: int

    @property
    def wrong_share(self) -> float:
        return self.wrong / self.rows

    @property
    def unread_share(self) -> float:
        return self.unread / self.answerable


def measure(rows: Sequence[Row]) -> Figures:
    """Read all replies and count the outcomes."""
    outcomes = [(row, judge(row)) for row in rows]
    refused = [outcome for row, outcome in outcomes if "refused" in row.expected]
    return Figures(
        rows=len(rows),
        right=sum(outcome is Outcome.RIGHT for _, outcome in outcomes),
        wrong=sum(outcome is Outcome.WRONG for _, outcome in outcomes),
        unread=sum(outcome is Outcome.UNREAD for _, outcome in outcomes),
        answerable=sum(row.is_answerable for row in rows),
        refused=len(refused),
        refused_right=sum(outcome is Outcome.RIGHT for outcome in refused),
    )


def select(rows: Sequence[Row], **fields: str) -> Iterator[Row]:
    """Yield the rows with these values of their fields."""
    return (row for row in rows if all(getattr(row, name) == value for name, value in fields.items()))
