"""Draw plots as SVG, from the data of `plot_data`: heat maps, scatter plots and violin plots.

Colours are variables of `plots.css`, with light and dark themes. Nothing is conveyed by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from markupsafe import Markup

from auricle.metrics.matrix_difference import AxisLabel, MatrixDifference
from auricle.report.axis_labels import format_ticks, label_width, shorten_labels
from auricle.report.html_format import Scale, round_ticks
from auricle.report.plot_data import Dimension, Distribution, Plane
from auricle.report.templating import render
from auricle.scoring.confusion_matrix import ConfusionMatrix

MIN_MARGIN, TITLE_MARGIN = 58.0, 26.0


class Axis(NamedTuple):
    """A scale and its round tick positions."""

    scale: Scale
    ticks: list[float]

    def position(self, value: float) -> float:
        """Return the position of a value between the ends of the axis, from 0 to 1."""
        return self.scale.share(value - self.scale.low)

    def labelled_ticks(self) -> list[tuple[float, str]]:
        return list(zip(self.ticks, format_ticks(self.ticks), strict=True))

    def margin(self) -> float:
        """Return the space for the labels and the title left of a vertical axis."""
        return max(MIN_MARGIN, TITLE_MARGIN + label_width(format_ticks(self.ticks)))


def fit_axis(values: Sequence[float]) -> Axis:
    """Return an axis around these values."""
    ticks = round_ticks(min(values, default=0.0), max(values, default=1.0), parts=6)
    return Axis(Scale(ticks[0], ticks[-1]), ticks)


def format_significant(value: float) -> str:
    """Format a number with three significant digits."""
    return f"{value:.3g}".replace("-", "−")


# --- confusion matrices, and the difference of two ---------------------------------------------

SHARED_LABELS_GAP = 6.0  # gap between shared labels and the others
MAX_TINT = 0.6  # the strongest tint on which digits are readable
MIN_SCALE = 0.05  # smaller differences are not scaled up to strong colours
STRIPE_SPACING = 9  # distance between the lines of a hatched row
DIFFERENCE_CAPTION = (
    "Each cell is the candidate’s share of its row minus the baseline’s, in percentage points; a "
    "row sums to zero. Blue with a plus: the candidate predicts this more often. Orange with a minus: "
    "less often. More is better on the outlined diagonal, less elsewhere. Hatched rows have no "
    "samples in one run and are excluded from means; a ring marks a label that one model lacks."
)


@dataclass(frozen=True, slots=True)
class LabelAxis:
    """Labels along an axis, as displayed and raw, and the number of shared ones."""

    names: Sequence[str]
    raw: Sequence[str]
    shared: int

    @property
    def short_names(self) -> list[str]:
        return shorten_labels(self.names)

    def offset(self, index: int, size: float) -> float:
        """Return the offset of a cell."""
        return index * size + (SHARED_LABELS_GAP if index >= self.shared else 0.0)

    def length(self, size: float) -> float:
        return self.offset(len(self.raw) - 1, size) + size if self.raw else 0.0


@dataclass(frozen=True, slots=True)
class HeatmapLayout:
    """The layout of a heat map: cells and the margins for labels."""

    rows: LabelAxis
    columns: LabelAxis
    right_margin: float = 52.0
    """Width of the margin for the sample counts of rows."""
    is_compact: bool = False
    """Whether cells have one number, so that three matrices fit beside each other."""
    slant: ClassVar[float] = -40.0
    """Rotation of long column names, in degrees."""

    @property
    def cell_width(self) -> float:
        return 34.0 if self.is_compact else 66.0

    @property
    def cell_height(self) -> float:
        return 30.0 if self.is_compact else 40.0

    @property
    def baseline(self) -> float:
        """Distance of a line of text from the top of its cell."""
        return self.cell_height / 2 + 4

    @property
    def left(self) -> float:
        return max(100.0, label_width(self.rows.names) + (14 if self.is_compact else 30))

    @property
    def is_slanted(self) -> bool:
        return label_width(self.columns.names) > self.cell_width + 5

    @property
    def top(self) -> float:
        slope = -math.sin(math.radians(self.slant))
        return 40 + (slope * label_width(self.columns.names) if self.is_slanted else 0)

    @property
    def width(self) -> float:
        slanting = 0.8 * label_width(self.columns.names) if self.is_slanted else 0.0
        right = max(self.right_margin, slanting - self.cell_width / 2)
        return self.left + self.columns.length(self.cell_width) + right

    @property
    def height(self) -> float:
        return self.top + self.rows.length(self.cell_height) + 4

    def corner(self, row: int, column: int) -> tuple[float, float]:
        return (
            self.left + self.columns.offset(column, self.cell_width),
            self.top + self.rows.offset(row, self.cell_height),
        )


def draw_confusion(matrix: ConfusionMatrix, *, is_compact: bool = False) -> Markup:
    """Draw a confusion matrix: counts and row shares, or only the shares; shared labels first."""
    layout = HeatmapLayout(
        LabelAxis(matrix.row_names, matrix.rows, matrix.shared),
        LabelAxis(matrix.column_names, matrix.columns, matrix.shared),
        is_compact=is_compact,
    )
    return render(
        "report/templates/confusion.html",
        matrix=matrix,
        layout=layout,
        description=f"Confusion matrix: {len(matrix.rows)} true labels against {len(matrix.predicted_labels)}",
        max_tint=MAX_TINT,
    )


def draw_difference(matrix: MatrixDifference, *, is_compact: bool = False) -> Markup:
    """Draw the difference of two confusion matrices on a symmetric scale."""
    layout = HeatmapLayout(_build_axis(matrix.rows), _build_axis(matrix.columns), 12.0, is_compact)
    defined = [abs(cell) for row in matrix.cells if row is not None for cell in row]
    row_width = layout.columns.length(layout.cell_width)
    return render(
        "report/templates/difference.html",
        layout=layout,
        matrix=matrix,
        reach=max([MIN_SCALE, *defined]),
        max_tint=MAX_TINT,
        stripe_end=int(row_width - layout.cell_height) + 1,
        stripe_spacing=STRIPE_SPACING,
        caption=DIFFERENCE_CAPTION,
    )


def _build_axis(labels: Sequence[AxisLabel]) -> LabelAxis:
    spelled = [
        f"{label.label}; candidate: {label.spelled_by_candidate}" if label.spelled_by_candidate else label.label
        for label in labels
    ]
    shared = sum(not label.only_in for label in labels)
    return LabelAxis([label.shown for label in labels], spelled, shared)


# --- samples in two dimensions -----------------------------------------------------------------

SCATTER_SIZE = 400.0
SCATTER_TOP, SCATTER_BOTTOM = 14.0, 44.0
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
    left = up.margin()

    def place(x: float, y: float) -> tuple[float, float]:
        return left + SCATTER_SIZE * across.position(x), SCATTER_TOP + SCATTER_SIZE * (1 - up.position(y))

    return render(
        "report/templates/scatter.html",
        plane=plane,
        place=place,
        marker=draw_marker,
        x_axis=across,
        y_axis=up,
        scales=[SCATTER_SIZE / (axis.scale.high - axis.scale.low) for axis in (across, up)],
        short_names=shorten_labels(plane.names),
        left=left,
        top=SCATTER_TOP,
        size=SCATTER_SIZE,
        width=left + SCATTER_SIZE + 44 + label_width(plane.names),
        height=max(SCATTER_TOP + SCATTER_SIZE + SCATTER_BOTTOM, SCATTER_TOP + 20 * len(plane.names) + 20),
    )


def draw_marker(series: int, centre: tuple[float, float], size: float) -> str:
    """Return the outline of a mark; when colours repeat, they have another shape."""
    shape = MARKER_SHAPES[(series + series // len(MARKER_SHAPES)) % len(MARKER_SHAPES)]
    points = (f"{centre[0] + size * across:.1f} {centre[1] + size * down:.1f}" for across, down in shape)
    return f"M{'L'.join(points)}Z"


# --- one dimension by emotion, with a box where there are few samples --------------------------

ROW_HEIGHT = 34.0
VIOLIN_WIDTH = 360.0
VIOLIN_TOP = 28.0
MAX_HALF_HEIGHT = 15.0  # half the height of a row
MIN_RELATIVE_DENSITY = 0.01  # relative to the widest point; thinner tails are cut


def draw_violins(dimension: Dimension) -> Markup:
    """Draw one dimension with a row per emotion, highest mean first."""
    labels = sorted(dimension.labels, key=lambda label: -label.mean)
    short_names = shorten_labels([label.name for label in labels])
    left = label_width([label.name for label in labels]) + 14
    axis = fit_axis([end for label in labels for end in (label.low, label.high)])

    def position(value: float) -> float:
        return left + VIOLIN_WIDTH * axis.position(value)

    def outline(label: Distribution, y: float) -> list[tuple[float, float]]:
        highest = max((height for _, height in label.density), default=0.0)
        heights = [
            (position(value), MAX_HALF_HEIGHT * height / dimension.max_density)
            for value, height in label.density
            if height > MIN_RELATIVE_DENSITY * highest
        ]
        return [(x, y - height) for x, height in heights] + [(x, y + height) for x, height in reversed(heights)]

    centres = [VIOLIN_TOP + ROW_HEIGHT * (at + 0.5) for at in range(len(labels))]
    return render(
        "report/templates/violin.html",
        dimension=dimension,
        rows=[(label, name, y, outline(label, y)) for label, name, y in zip(labels, short_names, centres, strict=True)],
        axis=axis,
        x=position,
        left=left,
        top=VIOLIN_TOP,
        width=VIOLIN_WIDTH,
        bottom=VIOLIN_TOP + ROW_HEIGHT * len(labels),
    )
