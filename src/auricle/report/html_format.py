"""Format numbers for HTML, in words, in digits and as interval marks on a common scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.report import text_format
from auricle.report.markup import Markup, tag

METRIC_TITLES = {
    "wer": "WER", "cer": "CER", "mer": "MER", "uar": "UAR", "bleu": "BLEU", "chrf": "chrF",
    "macro_f1": "Macro F1", "weighted_f1": "Weighted F1", "accuracy": "Accuracy",
    "accuracy_matched": "Accuracy, matched", "accuracy_closed": "Accuracy, closed set",
    "uar_all": "UAR, all labels", "wa": "WA", "top2": "Top 2", "top3": "Top 3", "ece": "ECE",
    "eta2": "η²", "ccc": "CCC", "pearson": "Pearson’s r", "rmse": "RMSE",
    "exact_match": "Exact match", "option_accuracy": "Option accuracy", "contains": "Contains",
    "empty": "Empty",
}  # fmt: skip
MISSING = "–"
NARROW_SPACE = "\u202f"  # a narrow no-break space, between a number and its unit

NumberDocument = Mapping[str, Any]


def metric_title(metric: str) -> str:
    """Return the display title of a metric; metrics of a dimension include its name."""
    name, _, dimension = metric.rpartition("_")
    if name in text_format.METRIC_FAMILIES:
        return f"{METRIC_TITLES[name]} {dimension}"
    return METRIC_TITLES.get(metric, metric)


def group_refusals(refused: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Group the metrics that were not computed by reason."""
    return [
        (", ".join(metric_title(name) for name in names), why, len(names) == 1)
        for names, why in text_format.group_by_reason(refused)
    ]


def typeset_value(number: NumberDocument, key: str = "value") -> str:
    """Typeset a metric's value, low, high, worst or best; a dash if undefined."""
    return typeset_number(number[key], number["unit"])


def typeset_number(value: float | None, unit: str) -> str:
    if value is None or not math.isfinite(value):
        return MISSING
    return typeset(text_format.format_number(value, unit))


def strip_unit(text: str) -> str:
    """Typeset a number without its unit."""
    return text.partition(NARROW_SPACE)[0]


def typeset_coverage(number: NumberDocument) -> str:
    """Typeset the share of samples that were scored."""
    return typeset(text_format.format_coverage(number))


def format_count(value: float | None) -> str:
    return MISSING if value is None else f"{value:,.0f}"


def pluralise(value: int, singular: str, plural: str = "") -> str:
    """Format a count with its noun: `1 sample`, `2,620 samples`."""
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def typeset_interval(number: NumberDocument) -> str:
    """Typeset the ends of an interval, without unit."""
    sides = [strip_unit(typeset_value(number, end)) for end in ("low", "high")]
    return MISSING if MISSING in sides else " – ".join(sides)


def has_bounds(number: NumberDocument) -> bool:
    """Return whether the metric has bounds for its failed samples."""
    ends = number["worst"], number["best"]
    return bool(number["failed"]) and None not in ends and ends[0] != ends[1]


def direction_arrow(number: NumberDocument, *, with_words: bool = False) -> Markup:
    """Render the direction that is better, as an arrow and in words for screen readers."""
    better = "higher is better" if number["higher_is_better"] else "lower is better"
    sign = tag("span", "↑" if number["higher_is_better"] else "↓", aria_hidden="true")
    words_too = f" {better}" if with_words else hidden_text(better)
    return tag("span", sign, words_too, class_="arrow", title=better)


def hidden_text(text: str) -> Markup:
    """Render text for screen readers only."""
    return tag("span", f" {text}", class_="aside")


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
        step = _round_step((high - low) or abs(high) or 1.0)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(first * step, max(last, first + 1) * step)

    def position(self, value: float) -> str:
        """Return the position of a value, as a CSS percentage from the left."""
        share = (value - self.low) / (self.high - self.low)
        return f"{100 * min(1.0, max(0.0, share)):.2f}%"

    def width(self, low: float, high: float) -> str:
        share = (high - low) / (self.high - self.low)
        return f"{100 * min(1.0, max(0.0, share)):.2f}%"

    def format_ends(self, unit: str) -> tuple[str, str]:
        """Typeset both ends in a unit."""
        size, sign = (100, f"{NARROW_SPACE}%") if unit == "share" else (1, "")
        low, high = (f"{typeset(f'{size * end:g}')}{sign}" for end in (self.low, self.high))
        return low, high


def _round_step(width: float) -> float:
    """Return a round step that divides this width into a few parts."""
    size = 10.0 ** math.floor(math.log10(width / 4))
    return next(size * times for times in (1.0, 2.0, 5.0, 10.0) if size * times >= width / 4)


def collect_extents(numbers: Iterable[NumberDocument]) -> list[float | None]:
    """Collect the values that the marks of these numbers show."""
    names = ("value", "low", "high", "worst", "best")
    return [number[name] for number in numbers for name in names]


def draw_interval_mark(number: NumberDocument, scale: Scale, reference_value: float | None = None) -> Markup:
    """Render the interval as a bar, the value as a tick and bounds as dots, with an optional reference line."""
    pieces = [_draw_line("track", "0%", "100%")]
    if reference_value is not None:
        at = scale.position(reference_value)
        pieces.append(_draw_line("beside", at, at, 0, 16))
    if has_bounds(number):
        best, worst = sorted((number["best"], number["worst"]))
        pieces.append(_draw_line("bounds", scale.position(best), scale.position(worst), 15, 15))
    if number["low"] is not None and number["high"] is not None:
        pieces.append(_draw_bar(scale, number["low"], number["high"]))
    if number["value"] is not None:
        at = scale.position(number["value"])
        pieces.append(_draw_line("value", at, at, 2, 14))
    return tag("svg", pieces, class_="mark", aria_hidden="true", focusable="false")


def _draw_line(css_class: str, x1: str, x2: str, y1: float = 8, y2: float = 8) -> Markup:
    return tag("line", class_=css_class, x1=x1, x2=x2, y1=y1, y2=y2)


def _draw_bar(scale: Scale, low: float, high: float) -> Markup:
    return tag("rect", class_="bar", x=scale.position(low), width=scale.width(low, high), y=4, height=8, rx=1)


def draw_axis_ends(unit: str, scale: Scale) -> Markup:
    """Render the ends of a scale for the head of a column of marks."""
    return tag("span", [tag("span", text) for text in scale.format_ends(unit)], class_="axis", aria_hidden="true")


def draw_stacked_bar(parts: Sequence[tuple[str, float]], total: float) -> Markup:
    """Render a stacked bar of shares."""
    pieces, start = [], 0.0
    for kind, size in parts:
        share = 100 * size / total if total else 0.0
        pieces.append(tag("rect", class_=kind, x=f"{start:.2f}%", width=f"{share:.2f}%", y=3, height=10))
        start += share
    return tag("svg", pieces, class_="mark", aria_hidden="true", focusable="false")
