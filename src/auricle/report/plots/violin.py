"""Violin plot of a dimension by emotion, with a box where there are too few samples."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from auricle.report.plot_data import Dimension, Distribution
from auricle.report.plots.svg import fit_axis, label_width
from auricle.report.templating import render

ROW_HEIGHT = 34.0
WIDTH = 360.0
TOP = 28.0
MAX_HALF_HEIGHT = 15.0  # half the height of a row
MIN_RELATIVE_DENSITY = 0.01  # relative to the widest point; thinner tails are cut


class ViolinRow(NamedTuple):
    """One emotion: the centre line of its row, and its outline."""

    label: Distribution
    y: float
    outline: list[tuple[float, float]]


def draw_violins(dimension: Dimension) -> Markup:
    """Draw one dimension with a row per emotion, highest mean first."""
    labels = sorted(dimension.labels, key=lambda label: -label.mean)
    left = label_width([label.name for label in labels]) + 14
    axis = fit_axis([end for label in labels for end in (label.low, label.high)])

    def position(value: float) -> float:
        return left + WIDTH * axis.position(value)

    def outline(label: Distribution, y: float) -> list[tuple[float, float]]:
        highest = max((height for _, height in label.density), default=0.0)
        heights = [
            (position(value), MAX_HALF_HEIGHT * height / dimension.max_density)
            for value, height in label.density
            if height > MIN_RELATIVE_DENSITY * highest
        ]
        return [(x, y - height) for x, height in heights] + [(x, y + height) for x, height in reversed(heights)]

    centres = [TOP + ROW_HEIGHT * (at + 0.5) for at in range(len(labels))]
    return render(
        "report/templates/violin.html",
        dimension=dimension,
        rows=[ViolinRow(label, y, outline(label, y)) for label, y in zip(labels, centres, strict=True)],
        axis=axis,
        x=position,
        left=left,
        top=TOP,
        width=WIDTH,
        bottom=TOP + ROW_HEIGHT * len(labels),
    )
