"""How emotions spread along a dimension: a violin where there are enough samples, a box always."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.metrics.alignment import all_shown
from auricle.report.formatting import Scale
from auricle.report.markup import Child, Markup, tag
from auricle.report.plots.drawing import (
    box,
    line,
    named,
    picture,
    plain,
    ruled,
    share_of,
    width_of,
    write,
)

ROW = 34.0
WIDTH = 360.0
TOP, FOOT = 28.0, 26.0
FATTEST = 15.0  # half the room of a row
THINNEST = 0.01  # of the fattest place; beyond it, a tail would be a mere line


def violins(
    dimension: str, figures: Mapping[str, Any], densities: Mapping[str, Any] | None = None
) -> Markup:
    """One dimension: an emotion a row, in the order of their means, the highest first."""
    emotions: Mapping[str, Mapping[str, Any]] = figures["emotions"]
    order = sorted(emotions, key=lambda label: -emotions[label]["mean"])
    left = width_of(all_shown(order)) + 14
    ends = [emotions[label][side] for label in order for side in ("low", "high")]
    scale, places = ruled(ends)
    high = TOP + ROW * len(order)
    of = (densities or {}).get("of", {})
    fattest = max((max(each) for each in of.values() if each), default=1.0)
    rows: list[Child] = [_axis(scale, places, left, high)]
    for at, (label, name) in enumerate(zip(order, all_shown(order), strict=True)):
        y = TOP + ROW * (at + 0.5)
        rows.append(named(left - 8, y + 4, name, label, "end"))
        if of.get(label) and densities:
            rows.append(_shape(of[label], densities, scale, (left, y), fattest))
        rows.append(_box(emotions[label], scale, left, y, label))
    title = write(left, 14, dimension, "strong")
    words = f"{dimension} by emotion"
    return picture(left + WIDTH + 16, high + FOOT, words, title, *rows)


def _axis(scale: Scale, places: Sequence[float], left: float, high: float) -> Markup:
    made = []
    for value in places:
        x = left + WIDTH * share_of(scale, value)
        made += [line(x, TOP, x, high, "grid"), write(x, high + 16, plain(value), "middle quiet")]
    return tag("g", made)


def _shape(
    density: Sequence[float],
    along: Mapping[str, Any],
    scale: Scale,
    where: tuple[float, float],
    fattest: float,
) -> Markup:
    left, y = where
    step = (along["to"] - along["from"]) / (len(density) - 1)
    places = [
        (left + WIDTH * share_of(scale, along["from"] + at * step), FATTEST * each / fattest)
        for at, each in enumerate(density)
        if each > THINNEST * max(density)
    ]
    over = [f"{x:.1f},{y - high:.1f}" for x, high in places]
    under = [f"{x:.1f},{y + high:.1f}" for x, high in reversed(places)]
    return tag("polygon", class_="violin", points=" ".join(over + under))


def _box(emotion: Mapping[str, Any], scale: Scale, left: float, y: float, label: str) -> Markup:
    def at(value: float) -> float:
        return left + WIDTH * share_of(scale, value)

    first, middle, third = emotion["quartiles"]
    spread = "–" if emotion["sd"] is None else plain(emotion["sd"])
    words = f"{label}: mean {plain(emotion['mean'])} ± {spread}, n {emotion['n']:,}"
    return tag(
        "g",
        tag("title", words),
        line(at(emotion["low"]), y, at(emotion["high"]), y, "whisker"),
        box(at(first), y - 5, max(1.0, at(third) - at(first)), 10, "quartiles"),
        line(at(middle), y - 5, at(middle), y + 5, "median"),
        tag("circle", class_="mean", cx=f"{at(emotion['mean']):.1f}", cy=f"{y:.1f}", r=3.5),
    )
