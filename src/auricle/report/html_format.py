"""Format numbers for HTML, in words, in digits and as interval marks on a common scale."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup

from auricle.metrics.catalogue import metric_title
from auricle.report import text_format
from auricle.report.methods import TOO_FEW, format_method, mark_few_units
from auricle.runs.metrics import Number
from auricle.scoring.refusals import group_by_reason

MISSING = "–"
WORD_BOUNDARY = re.compile(r"(?<=[-/_:])(?=\w)|(?<=\.)(?=[^\W\d])|(?<=[a-z])(?=[A-Z])")
NARROW_SPACE = "\u202f"  # a narrow no-break space, between a number and its unit


def group_refusals(refused: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Group the metrics that were not computed by reason; return their titles, the reason, and whether it is one."""
    return [(", ".join(titles), reason, len(titles) == 1) for titles, reason in group_by_reason(refused, metric_title)]


def typeset_value(number: Number, bound: text_format.Bound = "value") -> str:
    """Typeset a metric's value or one of its bounds; a dash if undefined. Values with few units are marked."""
    text = typeset_number(getattr(number, bound), number.unit)
    return f"{text}{mark_few_units(number)}" if bound == "value" else text


def typeset_number(value: float | None, unit: str) -> str:
    if value is None or not math.isfinite(value):
        return MISSING
    return typeset(text_format.format_number(value, unit))


def typeset_decimal(value: float | None, digits: int) -> str:
    """Typeset a value with a fixed number of decimals, and commas between thousands."""
    return MISSING if value is None or not math.isfinite(value) else typeset(f"{value:,.{digits}f}")


def strip_unit(text: str) -> str:
    return text.partition(NARROW_SPACE)[0]


def typeset_coverage(number: Number) -> str:
    return typeset(text_format.format_coverage(number))


def format_count(value: float | None) -> str:
    return MISSING if value is None else f"{value:,.0f}"


def typeset_interval(number: Number) -> str:
    """Typeset the ends of an interval, without unit."""
    if number.has_too_few_units:
        return TOO_FEW
    sides = [strip_unit(typeset_number(end, number.unit)) for end in (number.low, number.high)]
    return MISSING if MISSING in sides else " – ".join(sides)


def typeset_method(number: Number) -> str:
    """Name the method of an interval, with its units if they are not samples."""
    return format_method(number.interval, number)


def get_bounds(number: Number) -> tuple[float, float] | None:
    """Return the value if all failed samples had been best, and worst; None if it is known or no sample failed."""
    if not number.failed or number.best is None or number.worst is None or number.best == number.worst:
        return None
    return number.best, number.worst


def get_unread_bounds(number: Number) -> tuple[float, float] | None:
    """Return the value if all unreadable answers were right, and wrong; None if it is unknown or all were read."""
    if number.unread_right is None or number.unread_wrong is None:
        return None
    return number.unread_right, number.unread_wrong


def build_sample_anchor(sample_id: str) -> str:
    """Return the anchor of a sample on a page, which is the same in an address and in an id attribute.

    >>> build_sample_anchor("speaker 1/a.wav")
    'sample-speaker%201%2Fa.wav'
    """
    return f"sample-{quote(sample_id, safe='', errors='replace')}"


def mark_breaks(name: str) -> Markup:
    """Escape a name, and mark where a line may break: after a separator and between words of a compound.

    >>> mark_breaks("org/my_AudioModel")
    Markup('org/<wbr>my_<wbr>Audio<wbr>Model')
    """
    return Markup("<wbr>").join(WORD_BOUNDARY.split(name))


def typeset(text: str) -> str:
    """Replace hyphens and spaces by typographic ones."""
    return text.replace("-", "−").replace(" ", NARROW_SPACE)


# --- marks ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """A range of values with round ends."""

    low: float
    high: float

    @classmethod
    def fit(cls, values: Iterable[float | None], *, include_zero: bool = False) -> Scale:
        """Return a scale with round ends around these values, from zero if that uses less than half of it."""
        known = [value for value in values if value is not None and math.isfinite(value)]
        if not known:
            return cls(0.0, 1.0)
        low, high = min(known), max(known)
        if include_zero or 0 <= low < 0.5 * high:
            low, high = min(low, 0.0), max(high, 0.0)
        ticks = round_ticks(low, high, parts=4)
        return cls(ticks[0], ticks[-1])

    def share(self, distance: float) -> float:
        """Return a distance as a share of the scale, from 0 to 1."""
        return min(1.0, max(0.0, distance / (self.high - self.low)))

    def position(self, value: float) -> str:
        """Return the position of a value, as a CSS percentage from the left."""
        return f"{100 * self.share(value - self.low):.2f}%"

    def width(self, low: float, high: float) -> str:
        """Return the part of an interval that is within the scale, as a CSS percentage."""
        return f"{100 * (self.share(high - self.low) - self.share(low - self.low)):.2f}%"

    def format_ends(self, unit: str) -> tuple[str, str]:
        """Typeset both ends in a unit."""
        size, sign = (100, f"{NARROW_SPACE}%") if unit == "share" else (1, "")
        low, high = (f"{typeset(f'{size * end:g}')}{sign}" for end in (self.low, self.high))
        return low, high


def round_ticks(low: float, high: float, *, parts: int) -> list[float]:
    """Return round numbers around a range, at least two and about as many as parts."""
    least = ((high - low) or abs(high) or 1.0) / parts
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * times for times in (1.0, 2.0, 5.0, 10.0) if size * times >= least)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [at * step for at in range(first, max(last, first + 1) + 1)]


def collect_extents(numbers: Iterable[Number]) -> list[float | None]:
    """Collect the values that the marks of these numbers show; an interval alone makes no axis longer than 100 %."""
    extents: list[float | None] = []
    for number in numbers:
        most = 1.0 if number.unit == "share" else math.inf
        extents += [number.value, number.worst, number.best]
        extents += [end if end is None else min(end, most) for end in number.shown_ends]
    return extents
