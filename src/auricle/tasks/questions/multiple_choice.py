"""Multiple-choice rows: their options, and what their answers mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Json, RejectedRow, Sample
from auricle.data.manifest import Manifest
from auricle.metrics.targets import correct_option_index, get_choices
from auricle.tasks.questions.inferencers import LETTERS, lists_with_letters
from auricle.text import strip_labels

OPTION_MARK = r"(?:^|(?<=[\s(（?？:：。,，;；]))\(?([A-Z])[.)）、:：]"
OPTION_PATTERN = re.compile(rf"{OPTION_MARK}\s*(.+?)(?=\s*[(（]?{OPTION_MARK.replace('([A-Z])', '[A-Z]')}|\s*$)", re.S)
INTEGER_READINGS = ("0-based", "1-based", "text")
"""What an integer in the answer of a row can be: the number of an option, or its text."""
FROM_ZERO, FROM_ONE, AS_TEXT = INTEGER_READINGS


# --- options ----------------------------------------------------------------------------


def list_options(sample: Sample) -> Sample:
    """Add the options of a row, from its column or from the question, and how a prompt lists them with letters."""
    question = str(sample.inputs["question"])
    column = sample.inputs.get("choices")
    choices = [str(choice) for choice in column] if isinstance(column, list) else parse_options(question)
    if len(choices) > len(LETTERS):
        raise SampleError(f"too many options: {len(choices)}, at most {len(LETTERS)}")
    choices = strip_labels(choices)
    shown = "" if lists_with_letters(question, choices) else "\n" + format_options(choices)
    return replace(sample, inputs={**sample.inputs, "choices": choices, "options": shown})


def format_options(choices: Sequence[str]) -> str:
    """Return the options as lines such as `A. yes`."""
    return "\n".join(f"{LETTERS[index]}. {choice}" for index, choice in enumerate(choices))


def parse_options(question: str) -> list[str]:
    """Return the options that a question lists as A., B., C. in order, or an empty list.

    The last option ends with its line: what follows is an instruction, such as "Answer with the letter".
    """
    options = OPTION_PATTERN.findall(question)
    if len(options) < 2 or "".join(letter for letter, _ in options) != LETTERS[: len(options)]:
        return []
    *texts, last = (text.strip() for _, text in options)
    return [*texts, last.partition("\n")[0].rstrip()]


# --- answers ----------------------------------------------------------------------------


def check_answer(sample: Sample) -> Sample:
    """Return the sample, or raise `SampleError` if its target is not one of its options."""
    correct_option_index(sample)
    return sample


def correct_option_letter(sample: Sample) -> str:
    """Return the letter of the option that the target names."""
    return LETTERS[correct_option_index(sample)]


def parse_integer(target: Json) -> int | None:
    """Return the integer that an answer consists of, such as 2, "2", "(2)" or 2.0; None for any other answer."""
    if isinstance(target, float) and target.is_integer():
        return int(target)
    digits = str(target).strip("().:： ")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= len(str(len(LETTERS))) else None


class IntegerCounts:
    """How many integer answers of a file can mean what, and the first row of each case.

    The cases are `text` (the text of an option), `number` (not a text, but possibly the number of an option), and among
    the latter `zero` and `last` (the number of options). Other integers are rejected one by one.
    """

    def __init__(self, rows: Iterable[Sample | RejectedRow]) -> None:
        self.count: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        for row in rows:
            if isinstance(row, Sample) and (number := parse_integer(row.target)) is not None:
                for case in _list_cases(row, number):
                    self.count[case] += 1
                    self.first.setdefault(case, row.origin or row.id)


def _list_cases(sample: Sample, number: int) -> list[str]:
    choices = get_choices(sample)
    if _index_by_text(number, choices) is not None:
        return ["text"]
    if number > (len(choices) or len(LETTERS)):
        return []
    return ["number", *(["zero"] if number == 0 else ["last"] if number == len(choices) else [])]


@dataclass(frozen=True)
class IntegerAnswers:
    """Decides what integers in the answers of multiple-choice rows mean, once for all rows of a file.

    An integer can be the text of an option, or its number, counted from 0 or from 1. The rows decide: an answer of 0
    is possible only if options are counted from 0, and the number of options only if they are counted from 1. What
    the rows do not decide has to be stated.
    """

    rows: Manifest
    """All rows of the file, with their options."""
    stated: str = ""
    """The reading that the user states; empty to decide by the rows."""

    def resolve(self, sample: Sample) -> Sample:
        """Replace an integer answer by the text of its option, or by its letter if the row has no options.

        Raises:
            SampleError: if the answer is not one of the options.
            SpecError: if the rows do not show what integers mean.
        """
        number = parse_integer(sample.target)
        if number is None:
            return check_answer(sample)
        choices = get_choices(sample)
        is_text = self.reading == AS_TEXT
        index = _index_by_text(number, choices) if is_text else number - (self.reading == FROM_ONE)
        options = choices or LETTERS
        if index is None or not 0 <= index < len(options):
            meaning = "as text" if is_text else f"counted from {self.reading[0]}"
            raise SampleError(f"the answer {sample.target!r} is not one of the {len(choices)} options ({meaning})")
        return replace(sample, target=options[index])

    @cached_property
    def reading(self) -> str:
        """The reading of integers, one of `INTEGER_READINGS`."""
        return self.stated or self._decide()

    def notes(self) -> list[str]:
        """Return how integer answers are read, if there are any and the user does not state it."""
        count = self._counts.count
        total = count["text"] + count["number"]
        if self.stated or not total:
            return []
        meanings = {
            AS_TEXT: "are texts of options: each is an option of its row",
            FROM_ZERO: f"count options from 0: they are 0 in {_count_rows(count['zero'])}",
            FROM_ONE: f"count options from 1: they are the number of options in {_count_rows(count['last'])}",
        }
        return [f"Integer answers ({total:,}) {meanings[self.reading]}. To change this, use {_OPTION}."]

    @cached_property
    def _counts(self) -> IntegerCounts:
        targets = () if self.stated else (columns.get("target") for columns, _ in self.rows.iter_columns())
        has_integers = any(parse_integer(target) is not None for target in targets)  # faster than building samples
        return IntegerCounts(self.rows if has_integers else ())

    def _decide(self) -> str:
        count, first = self._counts.count, self._counts.first
        if not count["number"]:
            return AS_TEXT
        if count["text"]:
            raise self._undecided(
                f"some integer answers are texts of options ({count['text']:,}, such as in {first['text']}), others "
                f"are not ({count['number']:,}, such as in {first['number']})"
            )
        if count["zero"] and count["last"]:
            raise self._undecided(
                f"the answer of {first['zero']} is 0, as if options were counted from 0, and that of {first['last']} "
                "is the number of options, as if they were counted from 1"
            )
        if count["zero"] or count["last"]:
            return FROM_ZERO if count["zero"] else FROM_ONE
        raise self._undecided(
            f"integer answers ({count['number']:,}, such as in {first['number']}) do not show whether options are "
            "counted from 0 or from 1, because none is 0 or the number of options"
        )

    def _undecided(self, observation: str) -> SpecError:
        return SpecError(
            f"{self.rows.path}: {observation}. State what integers mean with {_OPTION}; "
            "rows that do not fit are then rejected.",
            location=("integer_answers",),
        )


_OPTION = f"-T integer_answers={'|'.join(INTEGER_READINGS)}"


def _count_rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _index_by_text(number: int, choices: Sequence[str]) -> int | None:
    """Return the index of the option whose text is a number."""
    return next((index for index, choice in enumerate(choices) if choice.strip() == str(number)), None)
