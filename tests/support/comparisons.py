"""Read comparisons in tests."""

from typing import Any


def find_row(found: Any, name: Any, group: str = "all") -> Any:
    return next(row for row in found.rows if row.metric == name and row.group == group)
