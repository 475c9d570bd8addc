"""Pictures of a load test: lines, dots and bars over two axes, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from auricle.perf.report.chart_data import SHARES
from auricle.report.formatting import Scale
from auricle.report.markup import Markup, tag
from auricle.report.plots.drawing import line, picture, plain, ruled, share_of, write

WIDTH, HEIGHT = 440.0, 230.0
LEFT, TOP, RIGHT, FOOT = 58.0, 30.0, 18.0, 44.0

Point: TypeAlias = tuple[float, float]


class Line(NamedTuple):
    """A named row of points."""

    name: str
    points: Sequence[Point]
    kind: str = "course"
    """`course`, `course dashed`, or `dots`."""


class Axes(NamedTuple):
    """What is drawn against what."""

    across: str
    up: str
    height: float = HEIGHT


def chart(words: str, axes: Axes, lines: Sequence[Line], *, most: float | None = None) -> Markup:
    """Lines from zero up, each with its name; `most` is the top of the scale if that is known."""
    shown = [each for each in lines if each.points]
    across, ticks = ruled([x for each in shown for x, _ in each.points])
    up, steps = ruled([0.0, *([] if most is None else [most]), *_heights(shown, most)])

    def place(x: float, y: float) -> Point:
        foot = TOP + axes.height
        return LEFT + WIDTH * share_of(across, x), foot - axes.height * share_of(up, y)

    drawn = [
        _drawn(each, [place(*point) for point in each.points], at) for at, each in enumerate(shown)
    ]
    frame = _frame(axes, (across, ticks), (up, steps))
    whole = (LEFT + WIDTH + RIGHT, TOP + axes.height + FOOT)
    return picture(*whole, words, frame, drawn, _legend(shown))


def _heights(lines: Sequence[Line], most: float | None) -> list[float]:
    return [] if most is not None else [y for each in lines for _, y in each.points]


def _drawn(shown: Line, places: Sequence[Point], hue: int) -> Markup:
    if shown.kind == "dots":
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
        return tag("path", d=path, class_=f"dots hue{hue}")
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    marks = [tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, class_=f"centre hue{hue}")
             for x, y in places if len(places) <= MARKED]  # fmt: skip
    return tag("g", tag("path", d=path, class_=f"{shown.kind} hue{hue}"), marks)


MARKED = 24
"""Points of a line that are few enough to be marked each."""


def _frame(axes: Axes, across: tuple[Scale, list[float]], up: tuple[Scale, list[float]]) -> Markup:
    foot, made = TOP + axes.height, []
    for value in across[1]:
        x = LEFT + WIDTH * share_of(across[0], value)
        made += [line(x, TOP, x, foot, "grid"), write(x, foot + 16, plain(value), "middle quiet")]
    for value in up[1]:
        y = foot - axes.height * share_of(up[0], value)
        made += [
            line(LEFT, y, LEFT + WIDTH, y, "grid"),
            write(LEFT - 8, y + 4, plain(value), "end quiet"),
        ]
    made.append(write(LEFT + WIDTH / 2, foot + 36, axes.across, "middle strong"))
    made.append(write(14, TOP + axes.height / 2, axes.up, "middle strong", -90))
    return tag("g", made)


def _legend(lines: Sequence[Line]) -> Markup:
    """The names of lines above them, each after a stroke of its own."""
    made, x = [], LEFT
    for at, each in enumerate(lines):
        if not each.name:
            continue
        stroke = f"M{x:.1f} 12h16" if each.kind != "dots" else f"M{x + 8:.1f} 12h0"
        made += [tag("path", d=stroke, class_=f"{each.kind} hue{at}"), write(x + 22, 16, each.name)]
        x += 36 + 6.6 * len(each.name)
    return tag("g", made)


def figure(drawn: Markup | None, words: str, *, whole: bool = False) -> Markup | None:
    """A picture with what to see in it; a whole one has a line of its own."""
    if drawn is None:
        return None
    kind = "plotted whole" if whole else "plotted"
    return tag("figure", drawn, tag("figcaption", words), class_=kind)


# --- of one load point --------------------------------------------------------------------------


def rates(course: Mapping[str, Any]) -> Markup | None:
    """Requests a second that were due, sent and answered, over time."""
    found = course["rates"]
    width = found["width_s"]
    if not width:
        return None
    names = {"done": "answered", "sent": "sent", "due": "offered"}
    lines = [
        Line(said, _middles(found[name], width), "course dashed" if name == "due" else "course")
        for name, said in names.items()
        if any(found[name])
    ]
    return chart("Requests a second over time", Axes("seconds", "requests a second"), lines)


def _middles(values: Sequence[float], width: float) -> list[Point]:
    return [((at + 0.5) * width, value) for at, value in enumerate(values)]


def flight(course: Mapping[str, Any]) -> Markup | None:
    """How many requests were in flight, as steps."""
    found = course["in_flight"]
    width = found["width_s"]
    if not width:
        return None
    steps = [
        (side * width, value) for at, value in enumerate(found["most"]) for side in (at, at + 1)
    ]
    return chart("Requests in flight over time", Axes("seconds", "in flight"), [Line("", steps)])


KINDS = ("course", "course dashed", "course")
"""So that lines which lie on each other are both seen."""


def cumulated(course: Mapping[str, Any], names: Mapping[str, str], words: str) -> Markup | None:
    """The share of requests for which a measure is not more than so much."""
    lines = [
        Line(said, [(value, 100 * share) for value, share in zip(found, SHARES, strict=True)], kind)
        for (name, said), kind in zip(names.items(), KINDS, strict=False)
        if (found := course["spread"].get(name))
    ]
    if not lines:
        return None
    return chart(words, Axes("seconds", "% of requests"), lines, most=100.0)


def lengths(course: Mapping[str, Any]) -> Markup | None:
    """How many times as fast as real time each request was, by how much sound it sent."""
    dots = [(x, y) for x, y in course["rtfx"]]
    if not dots:
        return None
    words = "RTFx by seconds of sound sent"
    return chart(
        words, Axes("seconds of sound sent", "RTFx of a request"), [Line("", dots, "dots")]
    )


ROW = 2.6


def timeline(course: Mapping[str, Any]) -> Markup | None:
    """Requests as bars: waiting to be sent, waiting for the first word, being answered."""
    bars = course["bars"]
    if not bars:
        return None
    scale, ticks = ruled([0.0, *(at for bar in bars for at in bar[:4] if at is not None)])
    height = ROW * len(bars)
    width = 2 * WIDTH + LEFT
    paths: dict[str, list[str]] = {name: [] for name, _ in STRETCHES}

    def across(at: float) -> float:
        return LEFT + width * share_of(scale, at)

    for row, bar in enumerate(bars):
        y = TOP + ROW * (row + 0.5)
        for name, start, end in _stretches(bar):
            paths[name].append(f"M{across(start):.1f} {y:.1f}H{across(end):.1f}")
    drawn = [tag("path", d="".join(paths[name]), class_=name) for name, _ in STRETCHES]
    foot = TOP + height
    frame = [
        piece
        for at in ticks
        for piece in (
            line(across(at), TOP, across(at), foot, "grid"),
            write(across(at), foot + 16, plain(at), "middle quiet"),
        )
    ]
    frame.append(write(LEFT + width / 2, foot + 36, "seconds", "middle strong"))
    used = [(name, said) for name, said in STRETCHES if paths[name]]
    whole = (LEFT + width + RIGHT, foot + FOOT)
    return picture(*whole, "Requests over time", frame, drawn, _stretch_legend(used))


STRETCHES = (
    ("held", "due, not yet sent"),
    ("awaited", "until the first word"),
    ("answering", "until the last"),
    ("lost", "failed or cancelled"),
)


def _stretches(bar: Sequence[Any]) -> list[tuple[str, float, float]]:
    began, sent, first, end, status = bar
    sent = began if sent is None else sent
    end = sent if end is None else end
    found = [("held", began, sent)] if sent - began > 0 else []
    if status != "ok":
        return [*found, ("lost", sent, end)]
    first = end if first is None else first
    return [*found, ("awaited", sent, first), ("answering", first, end)]


def _stretch_legend(used: Sequence[tuple[str, str]]) -> Markup:
    made, x = [], LEFT
    for name, said in used:
        made += [tag("path", d=f"M{x:.1f} 12h16", class_=f"{name} wide"), write(x + 22, 16, said)]
        x += 42 + 6.6 * len(said)
    return tag("g", made)
