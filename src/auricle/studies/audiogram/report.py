"""How well models hear: a metric against the level of each disturbance, with the level at which they stop working.

An `Audiogram` is read from the numbers of suites of conditions, for figures and tables. It imports no numerical
library, so that `auricle show` starts fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from auricle.report.methods import mark_few_units
from auricle.report.suite_views import SuiteView
from auricle.report.text_format import format_number
from auricle.report.text_table import format_table
from auricle.runs.metrics import FAMILY_FIELD, PART_FIELD, FamilyFacts, Metrics, Number

THRESHOLD, AREA, DEGRADATION, RELATIVE_DEGRADATION, CHANGE, WORST = (
    *("_threshold", "_area", "_degradation", "_relative_degradation", "_change", "_worst"),
)
"""What is added to the name of a metric to name the numbers that are derived from it."""
SIGNIFICANCE_LEVEL = 0.05
UNCHANGED_MARK = "≈"
"""Marks a condition whose number does not differ significantly from the clean one."""
CLEAN_TITLE = "clean"
BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Point:
    """A metric under one condition."""

    part: str
    """Name of the part of the suite, such as `noise:snr=10`."""
    level: float | None
    """The level; None if the condition has none."""
    label: str
    """The level for people, such as `10 dB`, or the condition."""
    number: Number
    """The number with its interval."""
    change: Number | None
    """The paired difference to clean; `details` has `p` and `adjusted_p`. None if it cannot be computed."""

    @property
    def is_changed(self) -> bool:
        """Whether the number differs significantly from the clean one, over all conditions of the metric."""
        adjusted = self.change.details.get("adjusted_p") if self.change else None
        return adjusted is not None and adjusted < SIGNIFICANCE_LEVEL


@dataclass(frozen=True, slots=True)
class Curve:
    """A metric under the conditions of one family, from the easiest to the hardest."""

    family: FamilyFacts
    points: tuple[Point, ...]
    threshold: Number | None
    """The level at which the model stops working; None if it has no meaning here. See `format_threshold`."""
    area: Number | None
    """Area under the curve, divided by its width."""
    degradation: Number | None
    """How much worse than clean, as the mean over levels."""
    relative_degradation: Number | None


@dataclass(frozen=True, slots=True)
class MetricAudiogram:
    """One metric of one model under all conditions."""

    model: str
    clean: Number
    curves: tuple[Curve, ...]
    worst: Number | None
    """The number of the worst condition, which is its `group`."""

    @property
    def metric(self) -> str:
        return self.clean.metric

    @property
    def title(self) -> str:
        return self.clean.title or self.clean.metric

    @property
    def direction(self) -> str:
        return self.clean.direction.arrow


@dataclass(frozen=True)
class Audiogram:
    """The metrics of one or more models under conditions.

    Examples:
        >>> from auricle.runs.metrics import read_metrics  # doctest: +SKIP
        >>> audiogram = Audiogram.from_metrics([read_metrics(Path("runs/demo-conditions-vosk"))])  # doctest: +SKIP
        >>> audiogram.metrics["wer"][0].curves[0].threshold.value  # doctest: +SKIP
        4.2
    """

    models: tuple[tuple[MetricAudiogram, ...], ...]
    """The metrics of each model."""

    @classmethod
    def from_metrics(cls, runs: Sequence[Metrics], *, show_all: bool = True) -> Audiogram:
        """Read the audiograms of suites of conditions, one of each model; other runs are left out.

        Without `show_all`, only those of the headline metrics.
        """
        return cls(tuple(tuple(_read_audiograms(metrics, show_all)) for metrics in runs if metrics.families))

    @cached_property
    def metrics(self) -> Mapping[str, tuple[MetricAudiogram, ...]]:
        """The models that have a metric, by its name, in the order of the metrics of the first model."""
        by_name: dict[str, list[MetricAudiogram]] = {}
        for model in self.models:
            for audiogram in model:
                by_name.setdefault(audiogram.metric, []).append(audiogram)
        return {name: tuple(audiograms) for name, audiograms in by_name.items()}

    @property
    def families(self) -> tuple[str, ...]:
        """The names of all families, in their order."""
        curves = (curve for model in self.models for audiogram in model for curve in audiogram.curves)
        return tuple(dict.fromkeys(curve.family.name for curve in curves))


def _read_audiograms(metrics: Metrics, show_all: bool) -> Iterator[MetricAudiogram]:
    numbers = {(number.metric, number.field, number.group): number for number in metrics.numbers}
    for clean in metrics.overall if show_all else metrics.headlines:
        curves = [_read_curve(clean.metric, family, numbers) for family in metrics.families]
        if known := tuple(curve for curve in curves if curve.points):
            worst = (number for number in metrics.numbers if number.metric == clean.metric + WORST)
            yield MetricAudiogram(metrics.model.name, clean, known, next(worst, None))


def _read_curve(metric: str, family: FamilyFacts, numbers: Mapping[tuple[str, str, str], Number]) -> Curve:
    levels: Sequence[float | None] = family.levels or [None] * len(family.parts)
    points = tuple(
        Point(
            part,
            level,
            part if level is None else format_level(level, family.unit),
            number,
            numbers.get((metric + CHANGE, PART_FIELD, part)),
        )
        for part, level in zip(family.parts, levels, strict=True)
        if (number := numbers.get((metric, PART_FIELD, part)))
    )
    summaries = (
        numbers.get((metric + suffix, FAMILY_FIELD, family.name))
        for suffix in (THRESHOLD, AREA, DEGRADATION, RELATIVE_DEGRADATION)
    )
    return Curve(family, points, *summaries)


# --- text ----------------------------------------------------------------------------------------


def format_level(level: float, unit: str) -> str:
    """Format a level with its unit.

    >>> format_level(10.0, "dB"), format_level(0.05, "share")
    ('10 dB', '5 %')
    """
    return f"{100 * level:.4g} %" if unit == "share" else f"{level:.4g} {unit}".rstrip()


def format_threshold(number: Number) -> str:
    """Format a threshold: `3.2 dB`, or `< -5 dB` if the model still works at the hardest level."""
    assert number.value is not None
    text = format_level(float(f"{number.value:.3g}"), number.unit)
    return f"{number.censored} {text}" if number.censored else text


def format_threshold_interval(number: Number) -> str:
    """Format the interval of a threshold; an end beyond the tested levels is open: `[< -5, 3.2]`."""
    levels = number.details.get("levels") or ()
    is_known = number.low is not None or number.high is not None or number.units > 1
    is_beyond = number.low == max(levels, default=None) or number.high == min(levels, default=None)
    if not is_known or is_beyond:  # all of it is beyond the levels, as the value states
        return ""
    scale = 100 if number.unit == "share" else 1
    low = f"< {_round(scale * min(levels))}" if number.low is None else _round(scale * number.low)
    high = f"> {_round(scale * max(levels))}" if number.high is None else _round(scale * number.high)
    return f"[{low}, {high}]"


def _round(level: float) -> str:
    """Format three digits of a level, and thousands without an exponent."""
    return f"{float(f'{level:.3g}'):g}"


def format_audiogram(audiogram: Audiogram) -> Iterator[str]:
    """Format a table per metric: families in rows, levels in columns, then threshold and degradation."""
    several = len(audiogram.models) > 1
    for audiograms in audiogram.metrics.values():
        first = audiograms[0]
        yield f"{first.title} {first.direction}"
        count = max(len(curve.points) for member in audiograms for curve in member.curves)
        levels = ["easiest", *([" "] * (count - 2)), "hardest"][-count:] if count > 1 else ["level"]
        header = ("family", "model", CLEAN_TITLE, *levels, "curve", "threshold", "95 % interval", "degradation")
        rows = [
            row
            for family in audiogram.families
            for row in _format_family(family, audiograms, count, with_model=several)
        ]
        yield from format_table(header, rows)
        yield from _describe_worst(audiograms, several)
        yield ""
    if audiogram.metrics:
        yield from _explain_table(audiogram)


def _format_family(
    family: str, audiograms: Sequence[MetricAudiogram], count: int, *, with_model: bool
) -> Iterator[tuple[str, ...]]:
    """Yield a row with the levels of a family, then one for each model."""
    curves = [(member, curve) for member in audiograms for curve in member.curves if curve.family.name == family]
    if not curves:
        return
    longest = max((curve for _, curve in curves), key=lambda curve: len(curve.points))
    labels = ["" if point.label == family else point.label for point in longest.points]
    if any(labels):
        yield (family, "", "", *_pad(labels, count), "", "", "", "")
    for member, curve in curves:
        cells = [_format_point(point) for point in curve.points]
        yield (
            "" if any(labels) else family,
            member.model if with_model else "",
            _format_short(member.clean),
            *_pad(cells, count),
            draw_bars([member.clean, *(point.number for point in curve.points)]),
            format_threshold(curve.threshold) if curve.threshold else "",
            format_threshold_interval(curve.threshold) if curve.threshold else "",
            format_degradation(curve),
        )


def draw_bars(numbers: Sequence[Number]) -> str:
    """Draw numbers as bars of text, relative to the largest of them; shares relative to 1 if none is above it.

    >>> draw_bars([])
    ''
    """
    values = [number.value for number in numbers]
    highest = max([abs(value) for value in values if value is not None], default=0.0)
    if any(number.unit == "share" for number in numbers):
        highest = max(1.0, highest)
    return "".join(
        " " if value is None or not highest else BARS[round(max(0.0, value) / highest * (len(BARS) - 1))]
        for value in values
    )


def _pad(cells: Sequence[str], count: int) -> list[str]:
    return [*cells, *([""] * (count - len(cells)))]


def _format_short(number: Number) -> str:
    """Format a value in few characters, for tables with many columns."""
    if number.value is None:
        return "–"
    text = f"{100 * number.value:.1f}" if number.unit == "share" else f"{number.value:.3g}"
    return f"{text}{mark_few_units(number)}"


def _format_point(point: Point) -> str:
    return _format_short(point.number) + ("" if point.is_changed else f" {UNCHANGED_MARK}")


def format_degradation(curve: Curve) -> str:
    """Format how much worse than clean a family is, absolute and relative."""
    absolute, relative = curve.degradation, curve.relative_degradation
    if absolute is None or absolute.value is None:
        return ""
    is_share = absolute.unit == "share"
    text = f"{100 * absolute.value:+.1f} pp" if is_share else f"{absolute.value:+.3g}"
    return f"{text} ({100 * relative.value:+.0f} %)" if relative and relative.value is not None else text


def _describe_worst(audiograms: Sequence[MetricAudiogram], several: bool) -> Iterator[str]:
    for member in audiograms:
        if member.worst:
            name = f" of {member.model}" if several else ""
            low, high = (format_number(end, member.worst.unit) for end in member.worst.shown_ends)
            interval = "" if member.worst.shown_ends[0] is None else f" ({low} … {high})"
            value = format_number(member.worst.value, member.worst.unit)
            yield f"Worst condition{name}: {member.worst.group}, {value}{interval}"


def _explain_table(audiogram: Audiogram) -> Iterator[str]:
    """Explain what the columns mean, as far as they occur."""
    curves = [curve for model in audiogram.models for member in model for curve in member.curves]
    rules = {
        f"{member.metric}: {curve.threshold.details['rule']}": None
        for model in audiogram.models
        for member in model
        for curve in member.curves
        if curve.threshold
    }
    if rules:
        yield f"Threshold: the level at which the model stops working ({'; '.join(rules)})."
    yield "Degradation: mean over the levels of a family minus clean, and relative to clean; positive is worse."
    if any(not point.is_changed for curve in curves for point in curve.points):
        yield f"{UNCHANGED_MARK} not significantly different from clean (paired, adjusted over all conditions)."


class AudiogramView(SuiteView):
    """Prints one table for all models."""

    def matches(self, metrics: Metrics) -> bool:
        return bool(metrics.families)

    def format_together(self, suites: Sequence[Metrics], *, show_all: bool) -> list[str]:
        return list(format_audiogram(Audiogram.from_metrics(suites, show_all=show_all)))
