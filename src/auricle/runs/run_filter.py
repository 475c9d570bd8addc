"""Filter runs by a line of text such as `status:failed wer>20 whisper`.

The language is that of `filter_terms`. Words are searched in the name, title, model, task, tags and note. Numbers are
metrics, n, done, failed, coverage, cost, duration and date. Metrics in per cent and coverage are compared as they are
shown: `wer>20` is above 20 %.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from auricle.core.errors import SpecError
from auricle.runs.filter_terms import CONTAINS, EQUALS, OPERATORS, Term, group_alternatives, parse_terms
from auricle.runs.run_summary import RunSummary

Test: TypeAlias = Callable[[RunSummary], bool]

TEXT_FIELDS: dict[str, Callable[[RunSummary], Iterable[str]]] = {
    "status": lambda run: (run.status,),
    "name": lambda run: (run.name, run.notes.title),
    "model": lambda run: (run.model,),
    "task": lambda run: (run.task,),
    "tag": lambda run: run.notes.tags,
    "note": lambda run: (run.notes.note,),
    "metric": lambda run: (run.headline.metric, run.headline.title) if run.headline else (),
}
NUMBER_FIELDS: dict[str, Callable[[RunSummary], float | None]] = {
    "n": lambda run: run.scored,
    "done": lambda run: run.done,
    "failed": lambda run: run.failed,
    "coverage": lambda run: None if run.coverage is None else 100 * run.coverage,
    "cost": lambda run: run.cost,
    "duration": lambda run: run.seconds,
}
SEARCHED_FIELDS = ("name", "model", "task", "tag", "note")


@dataclass(frozen=True, slots=True)
class RunFilter:
    """The terms of a filter; a run matches if each group of alternatives does."""

    groups: tuple[tuple[Test, ...], ...] = ()

    @classmethod
    def parse(cls, text: str) -> RunFilter:
        """Parse a filter.

        Raises:
            SpecError: if a comparison has no number or date.
        """
        return cls(tuple(tuple(map(_parse_term, group)) for group in group_alternatives(parse_terms(text))))

    def matches(self, run: RunSummary) -> bool:
        return all(any(test(run) for test in group) for group in self.groups)


def _parse_term(term: Term) -> Test:
    test = _parse_test(term)
    return (lambda run: not test(run)) if term.is_negated else test


def _parse_test(term: Term) -> Test:
    field, value = term.field, term.value
    if not field:
        return lambda run: any(_contains(run, name, value) for name in SEARCHED_FIELDS)
    if field in TEXT_FIELDS and term.operator == EQUALS:
        return lambda run: value in TEXT_FIELDS[field](run)
    if term.operator == CONTAINS:
        if field not in TEXT_FIELDS:
            raise SpecError(f"Unknown field {field!r} in the filter. Fields of text: {', '.join(TEXT_FIELDS)}.")
        return lambda run: _contains(run, field, value)
    compare = OPERATORS[term.operator]
    if field == "date":
        return _compare_dates(compare, value)
    number = term.parse_number()

    def test(run: RunSummary) -> bool:
        actual = NUMBER_FIELDS[field](run) if field in NUMBER_FIELDS else run.shown_value(field)
        return actual is not None and compare(actual, number)

    return test


def _contains(run: RunSummary, field: str, value: str) -> bool:
    return any(value.casefold() in text.casefold() for text in TEXT_FIELDS[field](run))


def _compare_dates(compare: Callable[[float, float], bool], value: str) -> Test:
    """Compare dates such as 2026-11 by as many characters as are given."""
    if not re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", value):
        raise SpecError(f"Not a date in the filter: {value!r}. Write 2026, 2026-11 or 2026-11-17.")

    def test(run: RunSummary) -> bool:
        start = run.created[: len(value)]
        return bool(start) and compare((start > value) - (start < value), 0)

    return test
