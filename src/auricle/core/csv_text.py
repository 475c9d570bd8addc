"""Write tables as CSV in which no text is a formula.

Spreadsheets execute text that begins like a formula, and models and data may contain such text. It gets an apostrophe
before it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")


def render_csv(rows: Iterable[Iterable[Any]], line_end: str = "\n") -> str:
    """Return rows of cells as CSV; None is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerows(map(escape_formula, row) for row in rows)
    return text.getvalue()


def render_records(columns: Sequence[str], records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as CSV below a line with the names of their columns; a column that a record lacks is empty."""
    return render_csv([columns, *([record.get(name) for name in columns] for record in records)])


def escape_formula(value: Any) -> Any:
    """Put an apostrophe before text that a spreadsheet would take for a formula; a number is none.

    >>> [escape_formula(value) for value in ("=1+1", "=3", "1", -1, "-0.5", "-x")]
    ["'=1+1", '=3', '1', -1, '-0.5', "'-x"]
    """
    return f"'{value}" if isinstance(value, str) and _is_formula(value) else value


def read_escaped(text: str) -> str:
    """Return the text of a cell that may have an apostrophe before it."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    if not text.startswith(FORMULA_PREFIXES):
        return False
    try:
        float(text.removeprefix("="))  # a spreadsheet shows the number
    except ValueError:
        return True
    return False
