"""The corpus of labelled replies in `tests/golden/replies`, and how well its replies are read."""

import json
import string
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from auricle.metrics import readings
from auricle.text import Reading, read_label, read_number, read_option, read_yes_no
from tests.support import paths

CORPUS = paths.GOLDEN / "replies" / "replies.jsonl"
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


class Outcome(StrEnum):
    """How a reply was read, compared with its label."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREAD = "unread"
    """An answer is not read."""


def load() -> list[Row]:
    """Load the corpus."""
    rows = map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines())
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


def read_cut_off(row: Row, length: int) -> Any:
    """Return the answer that metrics read if the reply is cut off after some characters, or None."""
    beginning = row.reply[:length]
    if row.reader == "mcq":
        option = readings.read_option(beginning, row.options, row.question, is_cut_off=True).value
        return None if option is None else string.ascii_uppercase[option]
    if row.reader == "rating":
        return readings.read_number(beginning, (float(row.options[0]), float(row.options[1])), is_cut_off=True).value
    return readings.read_label(beginning, row.options, row.question, is_cut_off=True).value


def judge(row: Row) -> Outcome:
    """Read a reply and compare the reading with its label."""
    answer, _ = read(row)
    if answer == row.expected.get("answer"):
        return Outcome.RIGHT
    return Outcome.UNREAD if answer is None else Outcome.WRONG
