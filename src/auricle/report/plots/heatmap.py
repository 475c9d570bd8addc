"""Heat maps of confusion matrices and of the difference of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from auricle.metrics.matrix_difference import AxisLabel, MatrixDifference
from auricle.report.plot_data import ConfusionMatrix
from auricle.report.plots.svg import label_width
from auricle.report.templating import render

MAX_LEVEL_LABEL_WIDTH = 71.0  # longer column names are slanted
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
    cell_width: ClassVar[float] = 66.0
    cell_height: ClassVar[float] = 40.0
    slant: ClassVar[float] = -40.0
    """Rotation of long column names, in degrees."""

    @property
    def left(self) -> float:
        return max(100.0, label_width(self.rows.names) + 30)

    @property
    def is_slanted(self) -> bool:
        return label_width(self.columns.names) > MAX_LEVEL_LABEL_WIDTH

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


def draw_confusion(matrix: ConfusionMatrix) -> Markup:
    """Draw a confusion matrix: counts and row shares, shared labels first."""
    layout = HeatmapLayout(
        LabelAxis(matrix.row_names, matrix.rows, matrix.shared),
        LabelAxis(matrix.column_names, matrix.columns, matrix.shared),
    )
    return render(
        "report/templates/confusion.html",
        matrix=matrix,
        layout=layout,
        description=f"Confusion matrix: {len(matrix.rows)} true labels against {len(matrix.predicted_labels)}",
        max_tint=MAX_TINT,
    )


def draw_difference(matrix: MatrixDifference) -> Markup:
    """Draw the difference of two confusion matrices on a symmetric scale."""
    layout = HeatmapLayout(_build_axis(matrix.rows), _build_axis(matrix.columns), right_margin=12.0)
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
