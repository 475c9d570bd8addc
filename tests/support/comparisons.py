"""Read comparisons in tests."""

from typing import Any


def find_row(comparison: Any, name: Any, group: str = "all") -> Any:
    return next(row for row in comparison.rows if row.metric == name and row.group == group)
