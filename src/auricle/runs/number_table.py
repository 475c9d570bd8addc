"""Results that consist of numbers, as tables with a row for each metric and group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.core.result_table import ResultTable

if TYPE_CHECKING:
    from auricle.runs.metrics import Number

OMITTED_FIELDS = ("details", "plot")
"""Fields of a number that are not one value."""


class NumberTable(ResultTable):
    """A result that consists of numbers: a row for each metric and group."""

    __slots__ = ()
    shown_columns: ClassVar[tuple[str, ...]] = (
        *("metric", "field", "group", "censored", "value", "low", "high", "scored", "total"),
    )

    def list_numbers(self) -> Iterable[Number]:
        """Return the numbers, those of groups included."""
        raise NotImplementedError

    def list_rows(self) -> list[dict[str, Any]]:
        rows = []
        for number in self.list_numbers():
            values = {**asdict(number), "signature": str(number.signature), "coverage": number.coverage}
            rows.append({name: value for name, value in values.items() if name not in OMITTED_FIELDS})
        return rows

    def list_shown_rows(self) -> list[dict[str, Any]]:
        """Return the rows over all samples, or else those of groups; intervals of too few units are not shown."""
        numbers = list(self.list_numbers())
        overall = [number for number in numbers if not number.field]
        return [
            {name: getattr(number, name) for name in (*self.shown_columns, "unit")}
            | dict(zip(("low", "high"), number.shown_ends, strict=True))
            for number in overall or numbers
        ]


class Numbers(list["Number"], NumberTable):
    """A list of numbers."""

    __repr__ = ResultTable.__repr__

    def list_numbers(self) -> Iterable[Number]:
        return self

    def describe(self) -> str:
        return f"{len(self)} numbers"
