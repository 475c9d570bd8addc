"""Scatter plot of two dimensions, with a colour, a shape and a name for each emotion."""

from __future__ import annotations

import math

from markupsafe import Markup

from auricle.report.plot_data import Plane
from auricle.report.plots.svg import fit_axis, label_width
from auricle.report.templating import render

PLOT_SIZE = 400.0
LEFT, TOP, BOTTOM = 58.0, 14.0, 44.0
MARKER_SHAPES: tuple[list[tuple[float, float]], ...] = (
    [(math.cos(turn), math.sin(turn)) for turn in (math.tau * at / 12 for at in range(12))],
    [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    [(0, -1.1), (1, 0.8), (-1, 0.8)],
    [(0, -1.2), (1, 0), (0, 1.2), (-1, 0)],
    [(0, 1.1), (1, -0.8), (-1, -0.8)],
    [(-0.35, -1.1), (0.35, -1.1), (0.35, -0.35), (1.1, -0.35), (1.1, 0.35), (0.35, 0.35),
     (0.35, 1.1), (-0.35, 1.1), (-0.35, 0.35), (-1.1, 0.35), (-1.1, -0.35), (-0.35, -0.35)],
    [(-1.1, 0), (0.8, -1), (0.8, 1)],
    [(1.1, 0), (-0.8, -1), (-0.8, 1)],
)  # fmt: skip
"""Outlines that are distinguishable when small: circle, square, triangles, diamond and cross."""


def draw_scatter(plane: Plane) -> Markup:
    """Draw points, the mean of each emotion and an ellipse of one standard deviation."""
    across, up = (fit_axis([point[at] for point in plane.points]) for at in (1, 2))

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + PLOT_SIZE * across.position(x), TOP + PLOT_SIZE * (1 - up.position(y))

    return render(
        "report/templates/scatter.html",
        plane=plane,
        place=place,
        marker=_marker_path,
        x_axis=across,
        y_axis=up,
        scales=[PLOT_SIZE / (axis.scale.high - axis.scale.low) for axis in (across, up)],
        left=LEFT,
        top=TOP,
        size=PLOT_SIZE,
        width=LEFT + PLOT_SIZE + 44 + label_width(plane.names),
        height=max(TOP + PLOT_SIZE + BOTTOM, TOP + 20 * len(plane.names) + 20),
    )


def _marker_path(series: int, centre: tuple[float, float], size: float) -> str:
    """Return the outline of a mark; when colours repeat, they have another shape."""
    shape = MARKER_SHAPES[(series + series // len(MARKER_SHAPES)) % len(MARKER_SHAPES)]
    points = (f"{centre[0] + size * across:.1f} {centre[1] + size * down:.1f}" for across, down in shape)
    return f"M{'L'.join(points)}Z"
