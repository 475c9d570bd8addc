"""Draw audiograms: a panel for each family of conditions, with a curve for each model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from auricle.report.axis_labels import label_width
from auricle.report.html_format import typeset_number
from auricle.report.plots import Axis, draw_marker, fit_axis
from auricle.report.run_html import Page, render_if
from auricle.report.templating import render
from auricle.runs.metrics import Number
from auricle.studies.audiogram.report import (
    CLEAN_TITLE,
    Audiogram,
    Curve,
    MetricAudiogram,
    format_degradation,
    format_threshold,
    format_threshold_interval,
)

WIDTH, HEIGHT = 268.0, 170.0
TOP, BOTTOM, RIGHT = 30.0, 42.0, 16.0
MAX_SHARE = 1.5
"""Shares are drawn up to this value, so that curves stay readable beside wide intervals."""
SHIFT = 5.0
"""Distance between the marks of two models at one level."""


@dataclass(frozen=True, slots=True)
class Series:
    """A curve of one model in a panel."""

    index: int
    """Place of the model among all, which decides its colour and its mark."""
    audiogram: MetricAudiogram
    curve: Curve

    @property
    def marks(self) -> list[tuple[str, Number]]:
        """The label of each level with its number, the clean one first."""
        return [(CLEAN_TITLE, self.audiogram.clean), *((point.label, point.number) for point in self.curve.points)]


@dataclass(frozen=True, slots=True)
class Panel:
    """A family of conditions: its levels from left (clean) to right (hardest), and the models' curves."""

    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    is_connected: bool
    """Whether the levels are ordered, so that a line may connect them."""

    def position(self, label: str) -> float:
        """Return the place of a level, from 0 (clean) to 1 (hardest)."""
        return self.labels.index(label) / (len(self.labels) - 1)

    def threshold_position(self, curve: Curve) -> float | None:
        """Return the place of a threshold between the levels around it; None if it is beyond them."""
        threshold = curve.threshold
        if threshold is None or threshold.value is None or threshold.censored:
            return None
        for easier, harder in pairwise([point for point in curve.points if point.level is not None]):
            low, high = sorted((easier.level or 0.0, harder.level or 0.0))
            if low <= threshold.value <= high and low < high:
                share = (threshold.value - (easier.level or 0.0)) / ((harder.level or 0.0) - (easier.level or 0.0))
                start = self.position(easier.label)
                return start + share * (self.position(harder.label) - start)
        return None


def draw_audiogram(
    audiogram: Audiogram, metric: str, embed: Callable[[Markup, str], Markup] = lambda svg, _: svg
) -> Markup:
    """Draw one metric of all models under all conditions, with a table of thresholds.

    Args:
        audiogram: The numbers.
        metric: Name of the metric.
        embed: Returns the markup for a drawing with its description; by default the drawing itself.
    """
    models = audiogram.metrics[metric]
    panels = _list_panels(audiogram, models)
    title = f"{models[0].title}{' (%)' if models[0].clean.unit == 'share' else ''}"
    drawings = _draw_panels(panels, models, title)
    thresholds = (curve.threshold for model in models for curve in model.curves if curve.threshold)
    rules = dict.fromkeys(str(threshold.details["rule"]) for threshold in thresholds)
    return render(
        "studies/audiogram/audiogram.html",
        panels=panels,
        drawn_panels=[embed(svg, f"{title} under {panel.title}") for svg, panel in zip(drawings, panels, strict=True)],
        keys=[embed(_draw_key(index), "") for index in range(len(models))],
        models=models,
        title=title,
        rules=[f"{models[0].title} reaches {rule}" for rule in rules],
        format_threshold=format_threshold,
        format_interval=format_threshold_interval,
        format_degradation=format_degradation,
    )


def _draw_panels(panels: Sequence[Panel], models: Sequence[MetricAudiogram], title: str) -> list[Markup]:
    """Draw the panels with one vertical axis, so that they can be compared."""
    unit = models[0].clean.unit
    scale = 100.0 if unit == "share" else 1.0
    numbers = [number for panel in panels for series in panel.series for _, number in series.marks]
    ends = [scale * end for number in numbers for end in (number.value, number.low, number.high) if end is not None]
    axis = fit_axis([0.0, *(min(end, MAX_SHARE * scale) for end in ends)] if unit == "share" else ends)
    left = axis.margin()

    def place(panel: Panel, series: Series, label: str, value: float) -> tuple[float, float]:
        shift = SHIFT * (series.index - (len(models) - 1) / 2)
        return left + shift + WIDTH * panel.position(label), _down(axis, scale * value)

    return [
        render(
            "studies/audiogram/audiogram_panel.html",
            panel=panel,
            title=title,
            axis=axis,
            place=place,
            marker=draw_marker,
            format_value=lambda number: typeset_number(number.value, number.unit),
            thresholds=_describe_thresholds(panel),
            left=left,
            top=TOP,
            width=WIDTH,
            bottom=TOP + HEIGHT,
            full_size=(left + WIDTH + _right_margin(panels), TOP + HEIGHT + BOTTOM),
        )
        for panel in panels
    ]


def _draw_key(index: int) -> Markup:
    """Draw the mark of a model, for the legend."""
    return Markup(
        '<svg class="plot" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">'
        '<path d="{}" class="centre hue{}"></path></svg>'
    ).format(draw_marker(index, (7, 7), 5), index % 8)


def _down(axis: Axis, value: float) -> float:
    """Return the height of a value in a panel; values beyond the axis are at its end."""
    return TOP + HEIGHT * (1 - min(1.0, max(0.0, axis.position(value))))


def _list_panels(audiogram: Audiogram, models: Sequence[MetricAudiogram]) -> list[Panel]:
    panels = []
    for family in audiogram.families:
        series = tuple(
            Series(index, model, curve)
            for index, model in enumerate(models)
            for curve in model.curves
            if curve.family.name == family
        )
        longest = max((each.curve for each in series), key=lambda curve: len(curve.points))
        labels = dict.fromkeys([*(point.label for point in longest.points), *_list_labels(series)])
        is_connected = all(point.level is not None for each in series for point in each.curve.points)
        panels.append(Panel(family, (CLEAN_TITLE, *labels), series, is_connected))
    return panels


def _right_margin(panels: Sequence[Panel]) -> float:
    """Return the space for the right half of the last labels."""
    return max(RIGHT, label_width([panel.labels[-1] for panel in panels]) / 2 + 4)


def _list_labels(series: Sequence[Series]) -> list[str]:
    return [point.label for each in series for point in each.curve.points]


def _describe_thresholds(panel: Panel) -> list[tuple[Series, float | None, str]]:
    """Return each model's threshold: its place in the panel, and as text with its interval."""
    return [
        (
            series,
            panel.threshold_position(series.curve),
            f"{format_threshold(threshold)} {format_threshold_interval(threshold)}".strip(),
        )
        for series in panel.series
        if (threshold := series.curve.threshold) is not None and threshold.value is not None
    ]


def render_audiogram(page: Page) -> Markup | None:
    """Render the figure of a task under conditions, for each metric; only those of the headline metrics unfolded."""
    audiogram = Audiogram.from_metrics([page.metrics])
    folded = {number.metric for number in page.metrics.folded}
    figures = [draw_audiogram(audiogram, metric) for metric in audiogram.metrics if metric not in folded]
    more = [draw_audiogram(audiogram, metric) for metric in audiogram.metrics if metric in folded]
    return render_if(figures, "studies/audiogram/audiograms.html", figures=figures, more=more)
