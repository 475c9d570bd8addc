"""Draw the charts of a load test as SVG: lines, dots and timelines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from auricle.perf.report.chart_data import Chart, Point, RequestBar, Series
from auricle.report.plots import fit_axis
from auricle.report.templating import render

WIDTH, HEIGHT = 440.0, 230.0
LEFT, TOP, RIGHT, BOTTOM = 58.0, 30.0, 18.0, 44.0
LETTER_WIDTH = 6.6
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


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A name above the plot, after a sample of its line."""

    label: str
    css: str
    path: str
    text_x: float


def draw_chart(chart: Chart) -> Markup:
    """Draw the series of a chart."""
    y_values = [y for line in chart.series for _, y in line.points] if chart.y_max is None else [chart.y_max]
    x_axis, y_axis = fit_axis([x for line in chart.series for x, _ in line.points]), fit_axis([0.0, *y_values])
    bottom = TOP + HEIGHT

    def position(point: Point) -> Point:
        return LEFT + WIDTH * x_axis.position(point[0]), bottom - HEIGHT * y_axis.position(point[1])

    positions = [[position(point) for point in line.points] for line in chart.series]
    return render(
        "perf/report/templates/chart.html",
        chart=chart,
        x_axis=x_axis,
        y_axis=y_axis,
        left=LEFT,
        top=TOP,
        width=WIDTH,
        bottom=bottom,
        size=(LEFT + WIDTH + RIGHT, bottom + BOTTOM),
        lines=[
            (_css_class(line, hue), _draw_path(line, places), places if _is_marked(line) else [])
            for hue, (line, places) in enumerate(zip(chart.series, positions, strict=True))
        ],
        legend=_build_legend([(line.name, _css_class(line, hue), 36) for hue, line in enumerate(chart.series)]),
    )


def _css_class(series: Series, hue: int) -> str:
    return f"{STYLE_CLASSES[series.style]} hue{hue}"


def _draw_path(series: Series, places: Sequence[Point]) -> str:
    if series.style == "dots":
        return "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def _is_marked(series: Series) -> bool:
    return series.style != "dots" and len(series.points) <= MAX_MARKED_POINTS


def _build_legend(entries: Sequence[tuple[str, str, float]]) -> list[LegendEntry]:
    """Place labels next to each other; each entry has a label, a CSS class and a gap."""
    legend, x = [], LEFT
    for label, css, gap in entries:
        if label:
            path = f"M{x + 8:.1f} 12h0" if css.startswith("dots") else f"M{x:.1f} 12h16"
            legend.append(LegendEntry(label, css, path, x + 22))
            x += gap + LETTER_WIDTH * len(label)
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
        legend=_build_legend([(label, f"{name} wide", 42) for name, label in STAGE_LABELS.items() if name in paths]),
    )
