"""Draw the charts of a load test as SVG: lines, dots and timelines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from auricle.perf.report.chart_data import Chart, Point, RequestBar, Series
from auricle.report.plots import fit_axis
from auricle.report.templating import render

WIDTH, HEIGHT = 440.0, 230.0
LEFT, TOP, RIGHT, BOTTOM = 58.0, 30.0, 18.0, 44.0
LETTER_WIDTH = 7.6
LEGEND_ROW_HEIGHT = 18.0
LABEL_HEIGHT = 14.0
MAX_MARKED_POINTS = 24
"""Most points of a line that are each drawn with a marker."""
BAR_HEIGHT = 2.6
STYLE_CLASSES = {"line": "line", "dashed": "line dashed", "dots": "dots"}
STAGE_LABELS = {
    "queued": "queued",
    "waiting": "waiting for the first token",
    "receiving": "receiving",
    "failed": "failed or cancelled",
}
"""Label of each stage of a request, by CSS class."""


class LegendEntry(NamedTuple):
    """A name above the plot, after a sample of its line."""

    label: str
    css: str
    path: str
    text_x: float
    text_y: float


def draw_chart(chart: Chart) -> Markup:
    """Draw the series of a chart."""
    y_values = [y for line in chart.series for _, y in line.points] if chart.y_max is None else [chart.y_max]
    x_axis, y_axis = fit_axis([x for line in chart.series for x, _ in line.points]), fit_axis([0.0, *y_values])
    css_classes = [f"{STYLE_CLASSES[line.style]} hue{hue}" for hue, line in enumerate(chart.series)]
    legend = _build_legend([(line.name, css, 36) for css, line in zip(css_classes, chart.series, strict=True)], WIDTH)
    top = max((entry.text_y for entry in legend), default=16.0) + TOP - 16.0
    left, bottom = y_axis.margin(), top + HEIGHT

    def position(point: Point) -> Point:
        return left + WIDTH * x_axis.position(point[0]), bottom - HEIGHT * y_axis.position(point[1])

    return render(
        "perf/report/templates/chart.html",
        chart=chart,
        x_axis=x_axis,
        y_axis=y_axis,
        left=left,
        top=top,
        width=WIDTH,
        bottom=bottom,
        size=(left + WIDTH + RIGHT, bottom + BOTTOM),
        lines=[
            (css, *_draw_line(line, [position(point) for point in line.points]))
            for css, line in zip(css_classes, chart.series, strict=True)
        ],
        labels=_place_labels(
            (label, *position(point))
            for line in chart.series
            for label, point in zip(line.labels, line.points, strict=False)
        ),
        legend=legend,
    )


def _draw_line(series: Series, positions: Sequence[Point]) -> tuple[str, Sequence[Point]]:
    """Return the path of a series, and the points that are marked."""
    if series.style == "dots":
        return "".join(f"M{x:.1f} {y:.1f}h0" for x, y in positions), []
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in positions)
    return path, positions if len(positions) <= MAX_MARKED_POINTS else []


def _place_labels(labels: Iterable[tuple[str, float, float]]) -> list[tuple[str, float, float]]:
    """Return the labels beside their points that do not cover an earlier one."""
    placed: list[tuple[str, float, float]] = []
    for label, x, y in labels:
        width = LETTER_WIDTH * len(label) + 4
        if all(abs(x - other_x) >= width or abs(y - other_y) >= LABEL_HEIGHT for _, other_x, other_y in placed):
            placed.append((label, x, y))
    return placed


def _build_legend(entries: Sequence[tuple[str, str, float]], width: float) -> list[LegendEntry]:
    """Place labels next to each other, in rows of at most `width`; each entry has a label, a CSS class and a gap."""
    legend, x, y = [], LEFT, 16.0
    for label, css, gap in entries:
        entry_width = gap + LETTER_WIDTH * len(label)
        if x > LEFT and x + entry_width > LEFT + width + gap:
            x, y = LEFT, y + LEGEND_ROW_HEIGHT
        if label:
            path = f"M{x + 8:.1f} {y - 4:g}h0" if css.startswith("dots") else f"M{x:.1f} {y - 4:g}h16"
            legend.append(LegendEntry(label, css, path, x + 22, y))
            x += entry_width
    return legend


def draw_timeline(bars: Sequence[RequestBar]) -> Markup:
    """Draw requests as horizontal bars with their stages: queued, waiting for the first token, receiving."""
    stages = [list(bar.split_stages()) for bar in bars]
    axis = fit_axis([0.0, *(time for bar in stages for _, *times in bar for time in times)])
    width, bottom = 2 * WIDTH + LEFT, TOP + BAR_HEIGHT * len(bars)
    paths: dict[str, str] = {}
    for row, bar in enumerate(stages):
        y = TOP + BAR_HEIGHT * (row + 0.5)
        for name, start, end in bar:
            left, right = (LEFT + width * axis.position(time) for time in (start, end))
            paths[name] = paths.get(name, "") + f"M{left:.1f} {y:.1f}H{right:.1f}"
    return render(
        "perf/report/templates/timeline.html",
        axis=axis,
        left=LEFT,
        top=TOP,
        width=width,
        bottom=bottom,
        size=(LEFT + width + RIGHT, bottom + BOTTOM),
        paths={name: paths[name] for name in STAGE_LABELS if name in paths},
        legend=_build_legend(
            [(label, f"{name} wide", 42) for name, label in STAGE_LABELS.items() if name in paths], width
        ),
    )
