"""Draw the charts of a load test as SVG: lines, dots and timelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from auricle.perf.report.chart_data import QUANTILES
from auricle.report.html_format import Scale
from auricle.report.markup import Markup, tag
from auricle.report.plots.svg import draw_line, draw_svg, draw_text, fit_axis, format_tick, position_on_scale

WIDTH, HEIGHT = 440.0, 230.0
LEFT, TOP, RIGHT, BOTTOM = 58.0, 30.0, 18.0, 44.0

Point: TypeAlias = tuple[float, float]


class Series(NamedTuple):
    """A named series of points."""

    name: str
    points: Sequence[Point]
    kind: str = "line"
    """CSS classes: `line`, `line dashed` or `dots`."""


class Axes(NamedTuple):
    """Labels of the axes and the height of the plot."""

    x_label: str
    y_label: str
    height: float = HEIGHT


def draw_chart(title: str, axes: Axes, series: Sequence[Series], *, y_max: float | None = None) -> Markup:
    """Draw series on a y axis that starts at zero and ends at `y_max`, or above the largest value."""
    shown = [line for line in series if line.points]
    y_values = [y for line in shown for _, y in line.points] if y_max is None else [y_max]
    x_scale, x_ticks = fit_axis([x for line in shown for x, _ in line.points])
    y_scale, y_ticks = fit_axis([0.0, *y_values])

    def position(x: float, y: float) -> Point:
        bottom = TOP + axes.height
        return LEFT + WIDTH * position_on_scale(x_scale, x), bottom - axes.height * position_on_scale(y_scale, y)

    drawn = [_draw_series(line, [position(*point) for point in line.points], hue) for hue, line in enumerate(shown)]
    frame = _draw_frame(axes, (x_scale, x_ticks), (y_scale, y_ticks))
    size = (LEFT + WIDTH + RIGHT, TOP + axes.height + BOTTOM)
    return draw_svg(*size, title, frame, drawn, _draw_legend(shown))


def _draw_series(series: Series, positions: Sequence[Point], hue: int) -> Markup:
    if series.kind == "dots":
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in positions)
        return tag("path", d=path, class_=f"dots hue{hue}")
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in positions)
    marks = [tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, class_=f"centre hue{hue}")
             for x, y in positions if len(positions) <= MAX_MARKED_POINTS]  # fmt: skip
    return tag("g", tag("path", d=path, class_=f"{series.kind} hue{hue}"), marks)


MAX_MARKED_POINTS = 24
"""Most points of a line that are each drawn with a marker."""


def _draw_frame(axes: Axes, x_axis: tuple[Scale, list[float]], y_axis: tuple[Scale, list[float]]) -> Markup:
    bottom, elements = TOP + axes.height, []
    for value in x_axis[1]:
        x = LEFT + WIDTH * position_on_scale(x_axis[0], value)
        elements += [
            draw_line(x, TOP, x, bottom, "grid"),
            draw_text(x, bottom + 16, format_tick(value), "middle quiet"),
        ]
    for value in y_axis[1]:
        y = bottom - axes.height * position_on_scale(y_axis[0], value)
        elements += [
            draw_line(LEFT, y, LEFT + WIDTH, y, "grid"),
            draw_text(LEFT - 8, y + 4, format_tick(value), "end quiet"),
        ]
    elements.append(draw_text(LEFT + WIDTH / 2, bottom + 36, axes.x_label, "middle strong"))
    elements.append(draw_text(14, TOP + axes.height / 2, axes.y_label, "middle strong", -90))
    return tag("g", elements)


def _draw_legend(series: Sequence[Series]) -> Markup:
    """Draw the names of the series above the plot, each after a sample of its line."""
    elements, x = [], LEFT
    for hue, line in enumerate(series):
        if not line.name:
            continue
        stroke = f"M{x:.1f} 12h16" if line.kind != "dots" else f"M{x + 8:.1f} 12h0"
        elements += [tag("path", d=stroke, class_=f"{line.kind} hue{hue}"), draw_text(x + 22, 16, line.name)]
        x += 36 + 6.6 * len(line.name)
    return tag("g", elements)


def render_figure(chart_markup: Markup | None, caption: str, *, full_width: bool = False) -> Markup | None:
    """Render a chart with its caption, on a row of its own if `full_width`; None without a chart."""
    if chart_markup is None:
        return None
    kind = "plotted whole" if full_width else "plotted"
    return tag("figure", chart_markup, tag("figcaption", caption), class_=kind)


# --- charts of one load point -------------------------------------------------------------------


def draw_rates(chart_data: Mapping[str, Any]) -> Markup | None:
    """Draw the rates of due, sent and answered requests over time."""
    rates = chart_data["rates"]
    width = rates["width_s"]
    if not width:
        return None
    labels = {"done": "answered", "sent": "sent", "due": "offered"}
    lines = [
        Series(label, _bin_centres(rates[name], width), "line dashed" if name == "due" else "line")
        for name, label in labels.items()
        if any(rates[name])
    ]
    return draw_chart("Request rate over time", Axes("seconds", "requests per second"), lines)


def _bin_centres(values: Sequence[float], width: float) -> list[Point]:
    return [((index + 0.5) * width, value) for index, value in enumerate(values)]


def draw_in_flight(chart_data: Mapping[str, Any]) -> Markup | None:
    """Draw the number of requests in flight over time, as steps."""
    in_flight = chart_data["in_flight"]
    width = in_flight["width_s"]
    if not width:
        return None
    steps = [(edge * width, value) for index, value in enumerate(in_flight["most"]) for edge in (index, index + 1)]
    return draw_chart("Requests in flight over time", Axes("seconds", "in flight"), [Series("", steps)])


LINE_STYLES = ("line", "line dashed", "line")
"""Styles in turn, so that overlapping lines stay visible."""


def draw_cumulative(chart_data: Mapping[str, Any], measure_labels: Mapping[str, str], title: str) -> Markup | None:
    """Draw the cumulative distributions of measures, by their names in `measure_labels`."""
    lines = [
        Series(label, [(value, 100 * share) for value, share in zip(values, QUANTILES, strict=True)], kind)
        for (name, label), kind in zip(measure_labels.items(), LINE_STYLES, strict=False)
        if (values := chart_data["spread"].get(name))
    ]
    if not lines:
        return None
    return draw_chart(title, Axes("seconds", "% of requests"), lines, y_max=100.0)


def draw_rtfx_by_length(chart_data: Mapping[str, Any]) -> Markup | None:
    """Draw the RTFx of each request against the length of its audio."""
    dots = [(x, y) for x, y in chart_data["rtfx"]]
    if not dots:
        return None
    axes = Axes("seconds of audio sent", "RTFx of a request")
    return draw_chart("RTFx by seconds of audio sent", axes, [Series("", dots, "dots")])


BAR_HEIGHT = 2.6


def draw_timeline(chart_data: Mapping[str, Any]) -> Markup | None:
    """Draw requests as horizontal bars with their stages: queued, waiting for the first token, receiving."""
    bars = chart_data["bars"]
    if not bars:
        return None
    scale, ticks = fit_axis([0.0, *(time for bar in bars for time in bar[:4] if time is not None)])
    height = BAR_HEIGHT * len(bars)
    width = 2 * WIDTH + LEFT
    paths: dict[str, list[str]] = {name: [] for name, _ in TIMELINE_STAGES}

    def x_of(time: float) -> float:
        return LEFT + width * position_on_scale(scale, time)

    for row, bar in enumerate(bars):
        y = TOP + BAR_HEIGHT * (row + 0.5)
        for name, start, end in _split_stages(bar):
            paths[name].append(f"M{x_of(start):.1f} {y:.1f}H{x_of(end):.1f}")
    drawn = [tag("path", d="".join(paths[name]), class_=name) for name, _ in TIMELINE_STAGES]
    bottom = TOP + height
    frame = [
        element
        for tick in ticks
        for element in (
            draw_line(x_of(tick), TOP, x_of(tick), bottom, "grid"),
            draw_text(x_of(tick), bottom + 16, format_tick(tick), "middle quiet"),
        )
    ]
    frame.append(draw_text(LEFT + width / 2, bottom + 36, "seconds", "middle strong"))
    used_stages = [(name, label) for name, label in TIMELINE_STAGES if paths[name]]
    size = (LEFT + width + RIGHT, bottom + BOTTOM)
    return draw_svg(*size, "Requests over time", frame, drawn, _draw_stage_legend(used_stages))


TIMELINE_STAGES = (
    ("queued", "queued"),
    ("waiting", "waiting for the first token"),
    ("receiving", "receiving"),
    ("failed", "failed or cancelled"),
)
"""CSS class and label of each stage."""


def _split_stages(bar: Sequence[Any]) -> list[tuple[str, float, float]]:
    start, sent, first_token, end, status = bar
    sent = start if sent is None else sent
    end = sent if end is None else end
    queued = [("queued", start, sent)] if sent - start > 0 else []
    if status != "ok":
        return [*queued, ("failed", sent, end)]
    first_token = end if first_token is None else first_token
    return [*queued, ("waiting", sent, first_token), ("receiving", first_token, end)]


def _draw_stage_legend(stages: Sequence[tuple[str, str]]) -> Markup:
    elements, x = [], LEFT
    for name, label in stages:
        elements += [tag("path", d=f"M{x:.1f} 12h16", class_=f"{name} wide"), draw_text(x + 22, 16, label)]
        x += 42 + 6.6 * len(label)
    return tag("g", elements)
