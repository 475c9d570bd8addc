"""Samples on a plane of two dimensions, by emotion: a colour, a shape and a name for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from auricle.metrics.alignment import all_shown
from auricle.report.formatting import Scale
from auricle.report.markup import Markup, tag
from auricle.report.plots.drawing import (
    line,
    named,
    picture,
    plain,
    ruled,
    share_of,
    width_of,
    write,
)

SIDE = 400.0
LEFT, TOP, FOOT = 58.0, 14.0, 44.0
SHAPES = ("circle", "square", "up", "diamond", "down", "cross", "left", "right")
COLOURS = 8

Ruler: TypeAlias = tuple[Scale, list[float]]


def plane(found: Mapping[str, Any]) -> Markup:
    """Points, each emotion's mean, and an ellipse one standard deviation wide around it."""
    rulers = [ruled([point[at] for point in found["points"]]) for at in (1, 2)]
    (across, _), (up, _) = rulers
    labels = all_shown(found["labels"])

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + SIDE * share_of(across, x), TOP + SIDE * (1 - share_of(up, y))

    dots = [
        tag("path", d=_shape(kind, *place(x, y), 3.0), class_=f"dot hue{kind % COLOURS}")
        for kind, x, y in found["points"]
    ]
    widths = SIDE / (across.high - across.low), SIDE / (up.high - up.low)
    ellipses = [
        _ellipse(
            place(each["x"], each["y"]), (each["sd_x"] * widths[0], each["sd_y"] * widths[1]), at
        )
        for at, each in enumerate(found["centres"])
    ]
    centres = [
        _centre(place(each["x"], each["y"]), at, f"{labels[at]}, n {each['n']:,}")
        for at, each in enumerate(found["centres"])
    ]
    right = LEFT + SIDE + 20
    legend = [_legend(right, TOP + 12 + 20 * at, at, label) for at, label in enumerate(labels)]
    height = max(TOP + SIDE + FOOT, TOP + 20 * len(labels) + 20)
    words = f"{found['y']} against {found['x']} by emotion"
    axes = _axes(found, *rulers)
    width = right + 24 + width_of(labels)
    return picture(width, height, words, axes, dots, ellipses, centres, legend)


def _axes(found: Mapping[str, Any], across: Ruler, up: Ruler) -> Markup:
    foot = TOP + SIDE
    made = []
    for value in across[1]:
        x = LEFT + SIDE * share_of(across[0], value)
        made += [line(x, TOP, x, foot, "grid"), write(x, foot + 16, plain(value), "middle quiet")]
    for value in up[1]:
        y = foot - SIDE * share_of(up[0], value)
        made += [
            line(LEFT, y, LEFT + SIDE, y, "grid"),
            write(LEFT - 8, y + 4, plain(value), "end quiet"),
        ]
    made.append(write(LEFT + SIDE / 2, foot + 36, found["x"], "middle strong"))
    made.append(write(16, TOP + SIDE / 2, found["y"], "middle strong", -90))
    return tag("g", made)


def _ellipse(centre: tuple[float, float], radii: tuple[float, float], kind: int) -> Markup:
    places = {"cx": centre[0], "cy": centre[1], "rx": radii[0], "ry": radii[1]}
    told = {name: f"{at:.1f}" for name, at in places.items()}
    return tag("ellipse", class_=f"around hue{kind % COLOURS}", **told)


def _centre(where: tuple[float, float], kind: int, words: str) -> Markup:
    shape = tag("path", d=_shape(kind, *where, 7.0), class_=f"centre hue{kind % COLOURS}")
    return tag("g", tag("title", words), shape)


def _legend(x: float, y: float, kind: int, label: str) -> Markup:
    shape = tag("path", d=_shape(kind, x, y - 4, 5.5), class_=f"centre hue{kind % COLOURS}")
    return tag("g", shape, named(x + 14, y, label, label))


def _shape(kind: int, x: float, y: float, size: float) -> str:
    """The outline of a mark; as many shapes as the eye tells apart when small."""
    name = SHAPES[(kind + kind // len(SHAPES)) % len(SHAPES)]  # beyond all colours, another pair
    if name == "circle":
        around = [
            (math.cos(turn), math.sin(turn)) for turn in (math.tau * at / 12 for at in range(12))
        ]
    else:
        around = CORNERS[name]
    points = (f"{x + size * across:.1f} {y + size * down:.1f}" for across, down in around)
    return f"M{'L'.join(points)}Z"


CORNERS: dict[str, list[tuple[float, float]]] = {
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
