"""Scatter plot of two dimensions, with a colour, a shape and a name for each emotion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from auricle.metrics.label_alignment import display_labels
from auricle.report.html_format import Scale
from auricle.report.markup import Markup, tag
from auricle.report.plots.svg import (
    draw_label,
    draw_line,
    draw_svg,
    draw_text,
    fit_axis,
    format_tick,
    label_width,
    position_on_scale,
)

PLOT_SIZE = 400.0
LEFT, TOP, BOTTOM = 58.0, 14.0, 44.0
MARKER_SHAPES = ("circle", "square", "up", "diamond", "down", "cross", "left", "right")
COLOUR_COUNT = 8

AxisWithTicks: TypeAlias = tuple[Scale, list[float]]


def draw_scatter(data: Mapping[str, Any]) -> Markup:
    """Draw points, the mean of each emotion and an ellipse of one standard deviation."""
    rulers = [fit_axis([point[at] for point in data["points"]]) for at in (1, 2)]
    (across, _), (up, _) = rulers
    labels = display_labels(data["labels"])

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + PLOT_SIZE * position_on_scale(across, x), TOP + PLOT_SIZE * (1 - position_on_scale(up, y))

    dots = [
        tag("path", d=_marker_path(kind, *place(x, y), 3.0), class_=f"dot hue{kind % COLOUR_COUNT}")
        for kind, x, y in data["points"]
    ]
    widths = PLOT_SIZE / (across.high - across.low), PLOT_SIZE / (up.high - up.low)
    ellipses = [
        _draw_ellipse(place(each["x"], each["y"]), (each["sd_x"] * widths[0], each["sd_y"] * widths[1]), at)
        for at, each in enumerate(data["centres"])
    ]
    centres = [
        _draw_mean(place(each["x"], each["y"]), at, f"{labels[at]}, n {each['n']:,}")
        for at, each in enumerate(data["centres"])
    ]
    right = LEFT + PLOT_SIZE + 20
    legend = [_draw_legend_entry(right, TOP + 12 + 20 * at, at, label) for at, label in enumerate(labels)]
    height = max(TOP + PLOT_SIZE + BOTTOM, TOP + 20 * len(labels) + 20)
    words = f"{data['y']} against {data['x']} by emotion"
    axes = _draw_axes(data, *rulers)
    width = right + 24 + label_width(labels)
    return draw_svg(width, height, words, axes, dots, ellipses, centres, legend)


def _draw_axes(data: Mapping[str, Any], x_axis: AxisWithTicks, y_axis: AxisWithTicks) -> Markup:
    foot = TOP + PLOT_SIZE
    made = []
    for value in x_axis[1]:
        x = LEFT + PLOT_SIZE * position_on_scale(x_axis[0], value)
        made += [draw_line(x, TOP, x, foot, "grid"), draw_text(x, foot + 16, format_tick(value), "middle quiet")]
    for value in y_axis[1]:
        y = foot - PLOT_SIZE * position_on_scale(y_axis[0], value)
        made += [
            draw_line(LEFT, y, LEFT + PLOT_SIZE, y, "grid"),
            draw_text(LEFT - 8, y + 4, format_tick(value), "end quiet"),
        ]
    made.append(draw_text(LEFT + PLOT_SIZE / 2, foot + 36, data["x"], "middle strong"))
    made.append(draw_text(16, TOP + PLOT_SIZE / 2, data["y"], "middle strong", -90))
    return tag("g", made)


def _draw_ellipse(centre: tuple[float, float], radii: tuple[float, float], series: int) -> Markup:
    places = {"cx": centre[0], "cy": centre[1], "rx": radii[0], "ry": radii[1]}
    positions = {name: f"{at:.1f}" for name, at in places.items()}
    return tag("ellipse", class_=f"around hue{series % COLOUR_COUNT}", **positions)


def _draw_mean(position: tuple[float, float], series: int, description: str) -> Markup:
    shape = tag("path", d=_marker_path(series, *position, 7.0), class_=f"centre hue{series % COLOUR_COUNT}")
    return tag("g", tag("title", description), shape)


def _draw_legend_entry(x: float, y: float, series: int, label: str) -> Markup:
    shape = tag("path", d=_marker_path(series, x, y - 4, 5.5), class_=f"centre hue{series % COLOUR_COUNT}")
    return tag("g", shape, draw_label(x + 14, y, label, label))


def _marker_path(series: int, x: float, y: float, size: float) -> str:
    """Return the outline of a mark, from the shapes that are distinguishable when small."""
    name = MARKER_SHAPES[
        (series + series // len(MARKER_SHAPES)) % len(MARKER_SHAPES)
    ]  # repeat colours with another shape
    if name == "circle":
        around = [(math.cos(turn), math.sin(turn)) for turn in (math.tau * at / 12 for at in range(12))]
    else:
        around = MARKER_CORNERS[name]
    points = (f"{x + size * across:.1f} {y + size * down:.1f}" for across, down in around)
    return f"M{'L'.join(points)}Z"


MARKER_CORNERS: dict[str, list[tuple[float, float]]] = {
    "square": [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    "up": [(0, -1.1), (1, 0.8), (-1, 0.8)],
    "diamond": [(0, -1.2), (1, 0), (0, 1.2), (-1, 0)],
    "down": [(0, 1.1), (1, -0.8), (-1, -0.8)],
    "left": [(-1.1, 0), (0.8, -1), (0.8, 1)],
    "right": [(1.1, 0), (-0.8, -1), (-0.8, 1)],
    "cross": [(-0.35, -1.1), (0.35, -1.1), (0.35, -0.35), (1.1, -0.35), (1.1, 0.35), (0.35, 0.35),
              (0.35, 1.1), (-0.35, 1.1), (-0.35, 0.35), (-1.1, 0.35), (-1.1, -0.35),
              (-0.35, -0.35)],
}  # fmt: skip
