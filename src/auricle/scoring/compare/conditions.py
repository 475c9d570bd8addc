"""Conditions on the differences of a comparison, such as `wer>+1pp`, that make a command fail."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from auricle.core.errors import SpecError
from auricle.scoring.compare.metric_rows import ComparisonRow

CONDITION = re.compile(r"\s*([\w.:@-]+?)\s*([<>])\s*([+-]?\d+(?:\.\d+)?)\s*(pp|%|)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """A limit on how much a metric may change from A to B.

    >>> Condition.parse("wer>+1pp")
    Condition(metric='wer', sign='>', limit=1.0, unit='pp')
    """

    metric: str
    sign: Literal["<", ">"]
    limit: float
    unit: Literal["", "pp", "%"] = ""
    """Percentage points, per cent of A, or else the unit of the metric."""

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse a condition; raise `SpecError` if it is malformed."""
        if not (match := CONDITION.fullmatch(text)):
            raise SpecError(
                f"Invalid condition {text!r}: expected METRIC>CHANGE or METRIC<CHANGE, such as wer>+1pp (percentage "
                "points), accuracy<-2% (of A) or mos<-0.1."
            )
        metric, sign, limit, unit = match.groups()
        return cls(metric, sign, float(limit), unit)  # type: ignore[arg-type]  # the pattern admits nothing else

    def find_violation(self, rows: Iterable[ComparisonRow]) -> str:
        """Describe how the difference over all pairs meets the condition, or return "" if it does not.

        Raises:
            SpecError: if the metric was not compared.
        """
        by_name = {row.metric: row for row in rows if not row.field}
        if not (row := by_name.get(self.metric)):
            raise SpecError(f"{self.metric!r} was not compared. Compared: {', '.join(by_name) or 'no metric'}.")
        change = self._change(row)
        if math.isnan(change):
            return f"the change of {self.metric} is undefined"
        is_met = change > self.limit if self.sign == ">" else change < self.limit
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.metric} changed by {change:+.4g}{unit}, limit {self.limit:+g}{unit}" if is_met else ""

    def _change(self, row: ComparisonRow) -> float:
        if self.unit == "%":
            return 100 * row.difference / abs(row.value_a) if row.value_a else math.nan
        return row.difference * (100 if self.unit == "pp" else 1)
