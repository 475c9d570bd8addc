"""Filter runs by a line of text such as `status:failed wer>20 whisper`.

    word, "two words"     in the name, title, model, task, tags or note
    field:word            in one of these, or in the status or metric
    field>number          also >=, <, <=, = and !=; a metric, n, failed, coverage, cost, duration or date
    -term                 runs that do not match

All terms must match. Metrics in per cent and coverage are compared as they are shown: `wer>20` is above 20 %.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from auricle.core.errors import SpecError
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
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
UNIT_SECONDS = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
TERM = re.compile(
    r'(?P<negated>-)?(?:(?P<field>[\w@.-]+?)(?P<operator>>=|<=|!=|[:><=]))?(?:"(?P<quoted>[^"]*)"|(?P<word>\S+))'
)
NUMBER = re.compile(r"(?P<digits>[+-]?\d+(?:\.\d+)?)\s*(?P<unit>%|s|min|m|h|d)?")


@dataclass(frozen=True, slots=True)
class RunFilter:
    """The terms of a filter; a run matches if all of them do."""

    tests: tuple[Test, ...] = ()

    @classmethod
    def parse(cls, text: str) -> RunFilter:
        """Parse a filter.

        Raises:
            SpecError: if a comparison has no number or date.
        """
        return cls(tuple(_parse_term(term) for term in TERM.finditer(text)))

    def matches(self, run: RunSummary) -> bool:
        return all(test(run) for test in self.tests)


def _parse_term(term: re.Match[str]) -> Test:
    field, value = term["field"], term["quoted"] if term["quoted"] is not None else term["word"]
    test = _parse_test(field, term["operator"], value)
    return (lambda run: not test(run)) if term["negated"] else test


def _parse_test(field: str | None, sign: str | None, value: str) -> Test:
    if field is None:
        return lambda run: any(_contains(run, name, value) for name in SEARCHED_FIELDS)
    if sign == ":" or (sign == "=" and field in TEXT_FIELDS):
        if field not in TEXT_FIELDS:
            raise SpecError(f"Unknown field {field!r} in the filter. Fields of text: {', '.join(TEXT_FIELDS)}.")
        return lambda run: _contains(run, field, value)
    compare = OPERATORS[sign or "="]
    if field == "date":
        return _compare_dates(compare, value)
    number = _parse_number(field, value)

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


def _parse_number(field: str, value: str) -> float:
    number = NUMBER.fullmatch(value)
    if not number:
        raise SpecError(
            f"Not a number in the filter: {field} is compared with {value!r}. Write, for example, {field}>20."
        )
    return float(number["digits"]) * UNIT_SECONDS.get(number["unit"] or "", 1.0)
