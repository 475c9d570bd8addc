"""Filter the samples of a run by a line of text such as `label=happy duration>5 language:de`.

The language is that of `auricle.runs.filter_terms`. A field is one of `TEXT_FIELDS` or `NUMBER_FIELDS`, a metric, or a
metadata field; `meta.duration` is the metadata field if there is another one of that name. A metadata field with the
name of a measure, such as `level`, goes before it, which is `signal.level` then. Metrics in per cent are compared as
they are shown: `wer>20` is above 20 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.types import Outcome
from auricle.metrics.base import Array, Mask
from auricle.runs.filter_terms import CONTAINS, EQUALS, OPERATORS, Term, group_alternatives, parse_terms
from auricle.runs.metrics import Number
from auricle.scoring.sample_table import has_error

TEXT_FIELDS = {
    "id": "id",
    "reference": "target",
    "answer": "answer",
    "label": "true_label",
    "predicted": "predicted_label",
    "outcome": "outcome",
    "reading": "reading",
    "reason": "reason",
    "changed": "changed",
}
"""The columns of text by the names that filters use."""
NUMBER_FIELDS = {
    "duration": "audio_seconds",
    "time": "seconds",
    "confidence": "confidence",
    "snr": "signal.snr",
    "level": "signal.level",
    "peak": "signal.peak",
    "clipped": "signal.clipped",
    "band": "signal.band",
    "row": "row",
}
"""The columns of numbers by the names that filters use."""
PERCENT_FIELDS = ("confidence", "clipped")
SEARCHED_COLUMNS = ("id", "target", "answer")
YES_NO = {"yes": True, "no": False}


@dataclass(frozen=True)
class SampleColumns:
    """The columns of a table of samples, by the names that filters use.

    Args:
        table: The columns by name, as in `SampleTable`: sequences, or a data frame.
        numbers: The metrics of the run, which state the units of the scores.
        number: The metric that decides whether an answer is correct.
    """

    table: Any
    numbers: Sequence[Number] = ()
    number: Number | None = None
    _scores: Mapping[str, Number] = field(init=False)

    def __post_init__(self) -> None:
        scores = {number.metric.casefold(): number for number in self.numbers if f"stat.{number.metric}" in self.table}
        object.__setattr__(self, "_scores", scores)

    @property
    def names(self) -> list[str]:
        """The fields that these samples have."""
        fields = [name for name, column in {**TEXT_FIELDS, **NUMBER_FIELDS}.items() if column in self.table]
        scores = [number.metric for number in self._scores.values()]
        metadata = (column for column in self.table if column.startswith("meta."))
        return [*fields, *scores, *map(self._name_metadata, metadata)]

    def _name_metadata(self, column: str) -> str:
        """Return the short name of a metadata column, if it is not that of another field."""
        name = column.removeprefix("meta.")
        is_taken = name in TEXT_FIELDS or name in NUMBER_FIELDS or name.casefold() in self._scores
        return column if is_taken else name

    def find_column(self, name: str) -> str | None:
        """Return the name of the column that a filter calls so; None if there is no such field."""
        return self._find_numbers(name) or self._find_text(name)

    def _find_numbers(self, name: str) -> str | None:
        column = name if name.startswith("signal.") else NUMBER_FIELDS.get(name, "")
        is_hidden = column.startswith("signal.") and name != column and f"meta.{name}" in self.table
        if column in self.table and not is_hidden:  # the user's own field of that name goes before what was measured
            return column
        number = self._scores.get(name.casefold())
        return f"stat.{number.metric}" if number else None

    def _find_text(self, name: str) -> str | None:
        column = TEXT_FIELDS.get(name, name if name.startswith("meta.") else f"meta.{name}")
        return column if column in self.table else None

    def get_numbers(self, name: str) -> Array | None:
        """Return a column of numbers as they are shown; None if the field is text or does not exist."""
        column = self._find_numbers(name)
        if column is None:
            return None
        number = None if name in NUMBER_FIELDS else self._scores.get(name.casefold())
        is_share = number.unit == "share" if number else name in PERCENT_FIELDS
        return np.asarray(self.table[column], dtype=np.float64) * (100 if is_share else 1)

    def get_text(self, name: str) -> list[str] | None:
        """Return a column of text, in which missing values are empty; None if there is no such field."""
        column = self._find_text(name)
        if column is None:
            return None
        return [value if isinstance(value, str) else "" for value in _to_list(self.table[column])]

    def read_numbers(self, name: str) -> Array | None:
        """Return a column of numbers, also of text that can be read as numbers."""
        numbers, text = self.get_numbers(name), self.get_text(name)
        return numbers if numbers is not None or text is None else np.array([*map(_read_number, text)])

    def match(self, text: str) -> Mask:
        """Return which samples match all terms of a filter.

        Raises:
            SpecError: if the samples have no such field, or a comparison has no number.
        """
        mask: Mask = np.ones(len(self.table["id"]), dtype=bool)
        for alternatives in group_alternatives(parse_terms(text)):
            mask &= np.logical_or.reduce([self._match(term) for term in alternatives])
        return mask

    def _match(self, term: Term) -> Mask:
        mask = self._match_field(term) if term.field else self._search(term.value)
        return ~mask if term.is_negated else mask

    def _search(self, text: str) -> Mask:
        columns = (_to_list(self.table[name]) for name in SEARCHED_COLUMNS)
        mask: Mask = np.logical_or.reduce([_contains(column, text) for column in columns])
        return mask

    def _match_field(self, term: Term) -> Mask:
        if term.field in ("failed", "correct") and term.field not in self.names:
            return self._match_yes_no(term)
        text = None if self._find_numbers(term.field) else self.get_text(term.field)
        if text is not None and term.operator == CONTAINS:
            return _contains(text, term.value)
        if text is not None and term.operator in (EQUALS, "!="):
            compare = OPERATORS[term.operator]
            return np.array([compare(value, term.value) for value in text], dtype=bool)
        numbers = self.read_numbers(term.field)
        if numbers is None:
            raise SpecError(f"Unknown field {term.field!r} in the filter. Fields: {', '.join(self.names)}.")
        compare = OPERATORS[EQUALS if term.operator == CONTAINS else term.operator]
        mask: Mask = compare(numbers, term.parse_number()) & ~np.isnan(numbers)
        return mask

    def _match_yes_no(self, term: Term) -> Mask:
        if term.operator not in (CONTAINS, EQUALS) or term.value not in YES_NO:
            raise SpecError(f"{term.field} is yes or no in a filter. Write {term.field}:yes or {term.field}:no.")
        if term.field == "failed":
            outcomes = _to_list(self.table["outcome"])
            return np.array([(outcome == Outcome.FAILED) == YES_NO[term.value] for outcome in outcomes], dtype=bool)
        if self.number is None:
            raise SpecError("Whether answers are correct is unknown: the run has no scores.")
        mask: Mask = has_error(self.table, self.number) == float(not YES_NO[term.value])
        return mask


def _to_list(column: Any) -> list[Any]:
    """Return the values of a column; those of a data frame are converted at once, which is faster."""
    return column.tolist() if hasattr(column, "tolist") else [*column]


def _contains(column: Sequence[str], text: str) -> Mask:
    text = text.casefold()
    return np.array([text in value.casefold() for value in column], dtype=bool)


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
