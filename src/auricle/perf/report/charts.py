"""Pictures of a load test: lines, dots and bars over two axes, as SVG."""

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
    """A named row of points."""

    name: str
    points: Sequence[Point]
    kind: str = "course"
    """`course`, `course dashed`, or `dots`."""


class Axes(NamedTuple):
    """What is drawn against what."""

    x_label: str
    y_label: str
    height: float = HEIGHT


def draw_chart(title: str, axes: Axes, series: Sequence[Series], *, y_max: float | None = None) -> Markup:
    """Lines from zero up, each with its name; `most` is the top of the scale if that is known."""
    shown = [each for each in series if each.points]
    across, ticks = fit_axis([x for each in shown for x, _ in each.points])
    up, steps = fit_axis([0.0, *([] if y_max is None else [y_max]), *_y_values(shown, y_max)])

    def place(x: float, y: float) -> Point:
        foot = TOP + axes.height
        return LEFT + WIDTH * position_on_scale(across, x), foot - axes.height * position_on_scale(up, y)

    drawn = [_draw_series(each, [place(*point) for point in each.points], at) for at, each in enumerate(shown)]
    frame = _draw_frame(axes, (across, ticks), (up, steps))
    whole = (LEFT + WIDTH + RIGHT, TOP + axes.height + BOTTOM)
    return draw_svg(*whole, title, frame, drawn, _draw_legend(shown))


def _y_values(series: Sequence[Series], y_max: float | None) -> list[float]:
    return [] if y_max is not None else [y for each in series for _, y in each.points]


def _draw_series(series: Series, positions: Sequence[Point], hue: int) -> Markup:
    if series.kind == "dots":
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in positions)
        return tag("path", d=path, class_=f"dots hue{hue}")
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in positions)
    marks = [tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, class_=f"centre hue{hue}")
             for x, y in positions if len(positions) <= MAX_MARKED_POINTS]  # fmt: skip
    return tag("g", tag("path", d=path, class_=f"{series.kind} hue{hue}"), marks)


MAX_MARKED_POINTS = 24
"""Points of a line that are few enough to be marked each."""


def _draw_frame(axes: Axes, x_axis: tuple[Scale, list[float]], y_axis: tuple[Scale, list[float]]) -> Markup:
    foot, made = TOP + axes.height, []
    for value in x_axis[1]:
        x = LEFT + WIDTH * position_on_scale(x_axis[0], value)
        made += [draw_line(x, TOP, x, foot, "grid"), draw_text(x, foot + 16, format_tick(value), "middle quiet")]
    for value in y_axis[1]:
        y = foot - axes.height * position_on_scale(y_axis[0], value)
        made += [
            draw_line(LEFT, y, LEFT + WIDTH, y, "grid"),
            draw_text(LEFT - 8, y + 4, format_tick(value), "end quiet"),
        ]
    made.append(draw_text(LEFT + WIDTH / 2, foot + 36, axes.x_label, "middle strong"))
    made.append(draw_text(14, TOP + axes.height / 2, axes.y_label, "middle strong", -90))
    return tag("g", made)


def _draw_legend(series: Sequence[Series]) -> Markup:
    """The names of lines above them, each after a stroke of its own."""
    made, x = [], LEFT
    for at, each in enumerate(series):
        if not each.name:
            continue
        stroke = f"M{x:.1f} 12h16" if each.kind != "dots" else f"M{x + 8:.1f} 12h0"
        made += [tag("path", d=stroke, class_=f"{each.kind} hue{at}"), draw_text(x + 22, 16, each.name)]
        x += 36 + 6.6 * len(each.name)
    return tag("g", made)


def render_figure(chart_markup: Markup | None, caption: str, *, full_width: bool = False) -> Markup | None:
    """A picture with what to see in it; a whole one has a line of its own."""
    if chart_markup is None:
        return None
    kind = "plotted whole" if full_width else "plotted"
    return tag("figure", chart_markup, tag("figcaption", caption), class_=kind)


# --- of one load point --------------------------------------------------------------------------


def draw_rates(chart_data: Mapping[str, Any]) -> Markup | None:
    """Requests a second that were due, sent and answered, over time."""
    found = chart_data["rates"]
    width = found["width_s"]
    if not width:
        return None
    names = {"done": "answered", "sent": "sent", "due": "offered"}
    lines = [
        Series(said, _bin_centres(found[name], width), "course dashed" if name == "due" else "course")
        for name, said in names.items()
        if any(found[name])
    ]
    return draw_chart("Requests a second over time", Axes("seconds", "requests a second"), lines)


def _bin_centres(values: Sequence[float], width: float) -> list[Point]:
    return [((at + 0.5) * width, value) for at, value in enumerate(values)]


def draw_in_flight(chart_data: Mapping[str, Any]) -> Markup | None:
    """How many requests were in flight, as steps."""
    found = chart_data["in_flight"]
    width = found["width_s"]
    if not width:
        return None
    steps = [(side * width, value) for at, value in enumerate(found["most"]) for side in (at, at + 1)]
    return draw_chart("Requests in flight over time", Axes("seconds", "in flight"), [Series("", steps)])


LINE_STYLES = ("course", "course dashed", "course")
"""So that lines which lie on each other are both seen."""


def draw_cumulative(chart_data: Mapping[str, Any], measure_labels: Mapping[str, str], title: str) -> Markup | None:
    """The share of requests for which a measure is not more than so much."""
    lines = [
        Series(said, [(value, 100 * share) for value, share in zip(found, QUANTILES, strict=True)], kind)
        for (name, said), kind in zip(measure_labels.items(), LINE_STYLES, strict=False)
        if (found := chart_data["spread"].get(name))
    ]
    if not lines:
        return None
    return draw_chart(title, Axes("seconds", "% of requests"), lines, y_max=100.0)


def draw_rtfx_by_length(chart_data: Mapping[str, Any]) -> Markup | None:
    """How many times as fast as real time each request was, by how much sound it sent."""
    dots = [(x, y) for x, y in chart_data["rtfx"]]
    if not dots:
        return None
    words = "RTFx by seconds of sound sent"
    return draw_chart(words, Axes("seconds of sound sent", "RTFx of a request"), [Series("", dots, "dots")])


BAR_HEIGHT = 2.6


def draw_timeline(chart_data: Mapping[str, Any]) -> Markup | None:
    """Requests as bars: waiting to be sent, waiting for the first word, being answered."""
    bars = chart_data["bars"]
    if not bars:
        return None
    scale, ticks = fit_axis([0.0, *(at for bar in bars for at in bar[:4] if at is not None)])
    height = BAR_HEIGHT * len(bars)
    width = 2 * WIDTH + LEFT
    paths: dict[str, list[str]] = {name: [] for name, _ in TIMELINE_STAGES}

    def across(at: float) -> float:
        return LEFT + width * position_on_scale(scale, at)

    for row, bar in enumerate(bars):
        y = TOP + BAR_HEIGHT * (row + 0.5)
        for name, start, end in _split_stages(bar):
            paths[name].append(f"M{across(start):.1f} {y:.1f}H{across(end):.1f}")
    drawn = [tag("path", d="".join(paths[name]), class_=name) for name, _ in TIMELINE_STAGES]
    foot = TOP + height
    frame = [
        piece
        for at in ticks
        for piece in (
            draw_line(across(at), TOP, across(at), foot, "grid"),
            draw_text(across(at), foot + 16, format_tick(at), "middle quiet"),
        )
    ]
    frame.append(draw_text(LEFT + width / 2, foot + 36, "seconds", "middle strong"))
    used = [(name, said) for name, said in TIMELINE_STAGES if paths[name]]
    whole = (LEFT + width + RIGHT, foot + BOTTOM)
    return draw_svg(*whole, "Requests over time", frame, drawn, _draw_stage_legend(used))


TIMELINE_STAGES = (
    ("held", "due, not yet sent"),
    ("awaited", "until the first word"),
    ("answering", "until the last"),
    ("lost", "failed or cancelled"),
)


def _split_stages(bar: Sequence[Any]) -> list[tuple[str, float, float]]:
    began, sent, first, end, status = bar
    sent = began if sent is None else sent
    end = sent if end is None else end
    found = [("held", began, sent)] if sent - began > 0 else []
    if status != "ok":
        return [*found, ("lost", sent, end)]
    first = end if first is None else first
    return [*found, ("awaited", sent, first), ("answering", first, end)]


def _draw_stage_legend(stages: Sequence[tuple[str, str]]) -> Markup:
    made, x = [], LEFT
    for name, said in stages:
        made += [tag("path", d=f"M{x:.1f} 12h16", class_=f"{name} wide"), draw_text(x + 22, 16, said)]
        x += 42 + 6.6 * len(said)
    return tag("g", made)
