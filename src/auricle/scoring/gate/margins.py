"""How much worse a candidate may be: `0.5`, `wer=0.5pp` or `accuracy=2%`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from auricle.core.errors import SpecError
from auricle.scoring.compare.metric_rows import ComparisonRow

MARGIN = re.compile(r"\s*(?:([\w.:@-]+?)\s*=)?\s*(\d+(?:\.\d*)?|\.\d+)\s*(pp|%|)\s*")


@dataclass(frozen=True, slots=True)
class Margin:
    """A loss that is tolerated.

    >>> Margin.parse("wer=0.5pp")
    Margin(metric='wer', amount=0.5, unit='pp')
    >>> Margin.parse("0.5")
    Margin(metric='', amount=0.5, unit='')
    """

    metric: str
    """Metric that it applies to; every metric if empty."""
    amount: float
    unit: Literal["", "pp", "%"] = ""
    """Percentage points or per cent of the baseline. Without a unit, percentage points for shares and error rates, and
    the unit of the metric for others."""

    @classmethod
    def parse(cls, text: str) -> Margin:
        """Parse `[METRIC=]AMOUNT[pp|%]`; raise `SpecError` if it is malformed."""
        if not (match := MARGIN.fullmatch(text)):
            raise SpecError(
                f"Invalid margin {text!r}: expected an amount such as 0.5, 0.5pp (percentage points) or 2% (of the "
                "baseline), or one for a metric such as wer=0.5pp."
            )
        metric, amount, unit = match.groups()
        return cls(metric or "", float(amount), unit)  # type: ignore[arg-type]  # the pattern admits nothing else

    def amount_for(self, row: ComparisonRow) -> float:
        """Return the margin in the unit of a metric."""
        if self.unit == "%":
            return self.amount / 100 * abs(row.value_a)
        is_share = row.unit == "share"
        if self.unit == "pp" and not is_share:
            raise SpecError(f"{row.metric} is not a share, so a margin for it cannot be in percentage points.")
        return self.amount / 100 if is_share else self.amount


def choose_margin(margins: Sequence[Margin], row: ComparisonRow) -> float:
    """Return the margin of a metric: its own, or else the one for every metric; 0 if there is neither."""
    own = next((margin for margin in margins if margin.metric == row.metric), None)
    general = next((margin for margin in margins if not margin.metric), None)
    chosen = own or general
    amount = chosen.amount_for(row) if chosen else 0.0
    return 0.0 if math.isnan(amount) else amount
