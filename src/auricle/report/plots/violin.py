"""Violin plot of a dimension by emotion, with a box where there are too few samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.metrics.label_alignment import display_labels
from auricle.report.html_format import Scale
from auricle.report.markup import Child, Markup, tag
from auricle.report.plots.svg import (
    draw_box,
    draw_label,
    draw_line,
    draw_svg,
    draw_text,
    fit_axis,
    format_tick,
    label_width,
    position_on_scale,
)

ROW_HEIGHT = 34.0
WIDTH = 360.0
TOP, BOTTOM = 28.0, 26.0
MAX_HALF_HEIGHT = 15.0  # half the height of a row
MIN_RELATIVE_DENSITY = 0.01  # relative to the widest point; thinner tails are cut


def draw_violins(dimension: str, figures: Mapping[str, Any], densities: Mapping[str, Any] | None = None) -> Markup:
    """Draw one dimension with a row per emotion, highest mean first."""
    emotions: Mapping[str, Mapping[str, Any]] = figures["emotions"]
    order = sorted(emotions, key=lambda label: -emotions[label]["mean"])
    left = label_width(display_labels(order)) + 14
    ends = [emotions[label][side] for label in order for side in ("low", "high")]
    scale, places = fit_axis(ends)
    high = TOP + ROW_HEIGHT * len(order)
    of = (densities or {}).get("of", {})
    fattest = max((max(each) for each in of.values() if each), default=1.0)
    rows: list[Child] = [_draw_axis(scale, places, left, high)]
    for at, (label, name) in enumerate(zip(order, display_labels(order), strict=True)):
        y = TOP + ROW_HEIGHT * (at + 0.5)
        rows.append(draw_label(left - 8, y + 4, name, label, "end"))
        if of.get(label) and densities:
            rows.append(_draw_density(of[label], densities, scale, (left, y), fattest))
        rows.append(_draw_quartiles(emotions[label], scale, left, y, label))
    title = draw_text(left, 14, dimension, "strong")
    words = f"{dimension} by emotion"
    return draw_svg(left + WIDTH + 16, high + BOTTOM, words, title, *rows)


def _draw_axis(scale: Scale, ticks: Sequence[float], left: float, bottom: float) -> Markup:
    made = []
    for value in ticks:
        x = left + WIDTH * position_on_scale(scale, value)
        made += [draw_line(x, TOP, x, bottom, "grid"), draw_text(x, bottom + 16, format_tick(value), "middle quiet")]
    return tag("g", made)


def _draw_density(
    density: Sequence[float], grid: Mapping[str, Any], scale: Scale, position: tuple[float, float], max_density: float
) -> Markup:
    left, y = position
    step = (grid["to"] - grid["from"]) / (len(density) - 1)
    places = [
        (left + WIDTH * position_on_scale(scale, grid["from"] + at * step), MAX_HALF_HEIGHT * each / max_density)
        for at, each in enumerate(density)
        if each > MIN_RELATIVE_DENSITY * max(density)
    ]
    over = [f"{x:.1f},{y - high:.1f}" for x, high in places]
    under = [f"{x:.1f},{y + high:.1f}" for x, high in reversed(places)]
    return tag("polygon", class_="violin", points=" ".join(over + under))


def _draw_quartiles(emotion: Mapping[str, Any], scale: Scale, left: float, y: float, label: str) -> Markup:
    def at(value: float) -> float:
        return left + WIDTH * position_on_scale(scale, value)

    first, middle, third = emotion["quartiles"]
    spread = "–" if emotion["sd"] is None else format_tick(emotion["sd"])
    words = f"{label}: mean {format_tick(emotion['mean'])} ± {spread}, n {emotion['n']:,}"
    return tag(
        "g",
        tag("title", words),
        draw_line(at(emotion["low"]), y, at(emotion["high"]), y, "whisker"),
        draw_box(at(first), y - 5, max(1.0, at(third) - at(first)), 10, "quartiles"),
        draw_line(at(middle), y - 5, at(middle), y + 5, "median"),
        tag("circle", class_="mean", cx=f"{at(emotion['mean']):.1f}", cy=f"{y:.1f}", r=3.5),
    )
