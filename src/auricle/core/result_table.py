"""Results that print as a short table, in a terminal and in a notebook, and become pandas data frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.core.errors import MissingExtra

if TYPE_CHECKING:
    import pandas as pd

MAX_SHOWN_ROWS = 15
"""Rows that are printed; with the title, the header and what is left out, a result fits twenty lines."""
MIN_INTERVAL_UNITS = 5
"""With fewer independent units, an interval depends more on assumptions than on data, and is stored but not shown."""
IN_UNIT = frozenset(
    {"value", "low", "high", "value_a", "value_b", "difference", "baseline", "candidate", "margin", "detectable"}
)
"""Columns whose numbers are in the unit of their row."""


class ResultTable:
    """Base class of results. A result is a row of its fields, unless it lists several rows."""

    __slots__ = ()
    shown_columns: ClassVar[tuple[str, ...]] = ()
    """Columns that are printed; all of them if none is named."""

    def list_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the data frame."""
        return [asdict(self)]  # type: ignore[call-overload]

    def list_shown_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows that are printed. [default: all]"""
        return self.list_rows()

    def describe(self) -> str:
        """Return the line above the table. [default: the name of the class]"""
        return type(self).__name__

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a pandas data frame."""
        return make_frame(self.list_rows())

    def __repr__(self) -> str:
        header, rows, omitted = self._format_rows()
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows))
        return "\n".join([self.describe(), *(lines if rows else ()), *filter(None, [omitted])])

    def _repr_html_(self) -> str:
        header, rows, omitted = self._format_rows()
        head = "".join(f"<th>{escape(name)}</th>" for name in header)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
        return f"<p>{escape(self.describe())}</p>{table}{f'<p>{omitted}</p>' if omitted else ''}"

    def _format_rows(self) -> tuple[list[str], list[list[str]], str]:
        """Return the header and the cells of the first rows, without empty columns, and how many rows are left out."""
        shown = self.list_shown_rows()[:MAX_SHOWN_ROWS]
        names = self.shown_columns or tuple(shown[0] if shown else ())
        cells = [[_format_cell(row, name) for name in names] for row in shown]
        used = [at for at in range(len(names)) if any(row[at] for row in cells)]
        more = len(self.list_rows()) - len(shown)
        omitted = f"… and {more:,} more rows in .to_frame()" if more > 0 else ""
        return [names[at] for at in used], [[row[at] for at in used] for row in cells], omitted


def _format_cell(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, float):
        return format_number(value, row.get("unit") or "points") if name in IN_UNIT else f"{value:.4g}"
    return "" if value is None else " ".join(str(value).split())[:60]


def format_number(value: float | None, unit: str) -> str:
    """Format a number in its unit; a share in per cent."""
    if value is None or math.isnan(value):
        return "–"
    if unit == "share":
        return f"{100 * value:.2f} %"
    if unit in ("", "points"):
        return f"{value:.4g}" if unit else f"{value:.4f}"
    return f"{value:.4g} {unit}"


def make_frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame; raise `MissingExtra` without pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("A data frame", "pandas") from error
    return pd.DataFrame(rows)
