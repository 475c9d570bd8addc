"""Heat maps of confusion matrices and of the difference of two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.metrics.label_alignment import display_labels
from auricle.report.markup import Child, Markup, tag
from auricle.report.plots.svg import draw_box, draw_label, draw_line, draw_svg, draw_text, label_width

CELL_WIDTH, CELL_HEIGHT = 66.0, 40.0
MAX_LEVEL_LABEL_WIDTH = 71.0  # longer column names are slanted
SLANT_DEGREES = -40.0
SHARED_LABELS_GAP = 6.0  # gap between shared labels and the others
MAX_TINT = 0.6  # the strongest tint on which digits are readable
MIN_SCALE = 0.05  # smaller differences are not scaled up to strong colours
UNREADABLE = "unreadable"
STRIPE_SPACING = 9  # distance between the lines of a hatched row


@dataclass(frozen=True, slots=True)
class Axis:
    """Labels along an axis, as displayed and raw, and the number of shared ones."""

    display_names: Sequence[str]
    raw_names: Sequence[str]
    shared_count: int

    def offset(self, index: int, size: float) -> float:
        """Return the offset of a cell."""
        return index * size + (SHARED_LABELS_GAP if index >= self.shared_count else 0.0)

    def length(self, size: float) -> float:
        return self.offset(len(self.raw_names) - 1, size) + size if self.raw_names else 0.0


@dataclass(frozen=True, slots=True)
class HeatmapLayout:
    """The layout of a heat map: cells and the margins for labels."""

    rows: Axis
    columns: Axis
    right_margin: float = 52.0
    """Width of the margin for the sample counts of rows."""

    @property
    def left(self) -> float:
        return max(100.0, label_width(self.rows.display_names) + 30)

    @property
    def is_slanted(self) -> bool:
        return label_width(self.columns.display_names) > MAX_LEVEL_LABEL_WIDTH

    @property
    def top(self) -> float:
        slope = -math.sin(math.radians(SLANT_DEGREES))
        return 40 + (slope * label_width(self.columns.display_names) if self.is_slanted else 0)

    @property
    def width(self) -> float:
        slanting = 0.8 * label_width(self.columns.display_names) if self.is_slanted else 0.0
        right = max(self.right_margin, slanting - CELL_WIDTH / 2)
        return self.left + self.columns.length(CELL_WIDTH) + right

    @property
    def height(self) -> float:
        return self.top + self.rows.length(CELL_HEIGHT) + 4

    def corner(self, row: int, column: int) -> tuple[float, float]:
        return (self.left + self.columns.offset(column, CELL_WIDTH), self.top + self.rows.offset(row, CELL_HEIGHT))

    def draw_names(self) -> list[Markup]:
        """Draw the labels of both axes, with unshared labels set apart."""
        made = [draw_text(self.left - 10, self.top - 8, "true ↓  pred. →", "end quiet")]
        for at, label in enumerate(self.rows.display_names):
            _, y = self.corner(at, 0)
            kind = "end" if at < self.rows.shared_count else "end alone"
            made.append(draw_label(self.left - 10, y + 24, label, self.rows.raw_names[at], kind))
        for at, label in enumerate(self.columns.display_names):
            x, _ = self.corner(0, at)
            kind = "" if at < self.columns.shared_count else "alone"
            where = (x + CELL_WIDTH / 2, self.top - 8)
            if self.is_slanted:
                made.append(draw_label(*where, label, self.columns.raw_names[at], kind, SLANT_DEGREES))
            else:
                made.append(draw_label(*where, label, self.columns.raw_names[at], f"middle {kind}"))
        return made


# --- confusions ----------------------------------------------------------------------------


def draw_confusion(matrix: Mapping[str, Any]) -> Markup:
    """Draw a confusion matrix of `metrics.json`: counts and row shares, shared labels first."""
    silent = any(matrix["unreadable"])
    extra = [UNREADABLE] if silent else []
    shared = matrix["shared"]
    frame = HeatmapLayout(
        Axis(matrix["rows_shown"], matrix["rows"], shared),
        Axis([*matrix["columns_shown"], *extra], [*matrix["columns"], *extra], shared),
    )
    cells: list[Child] = []
    for at, counts in enumerate(matrix["counts"]):
        whole = [*counts, matrix["unreadable"][at]] if silent else counts
        cells += _draw_row(frame, at, whole)
    words = f"Confusion matrix: {len(matrix['rows'])} true labels against {len(matrix['columns'])}"
    return draw_svg(frame.width, frame.height, words, frame.draw_names(), *cells)


def _draw_row(layout: HeatmapLayout, row: int, counts: Sequence[int]) -> list[Markup]:
    support = sum(counts)
    made = [_draw_count_cell(layout, (row, column), size, support) for column, size in enumerate(counts)]
    x, y = layout.corner(row, len(counts) - 1)
    made.append(draw_text(x + CELL_WIDTH + 8, y + 24, f"n {support:,}", "quiet"))
    return made


def _draw_count_cell(layout: HeatmapLayout, position: tuple[int, int], count: int, support: int) -> Markup:
    row, column = position
    x, y = layout.corner(row, column)
    hit = row == column and row < layout.rows.shared_count
    share = count / support if support else 0.0
    field = draw_box(x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, "hit" if hit else "miss", MAX_TINT * share)
    if not count:
        return tag("g", draw_box(x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, "none"), _draw_centered_text(x, y, 24, "·"))
    description = (
        f"{layout.rows.raw_names[row]} predicted as {layout.columns.raw_names[column]}: {count:,} of {support:,}"
    )
    return tag(
        "g",
        tag("title", f"{description}, {100 * share:.1f} %"),
        field,
        _draw_centered_text(x, y, 18, f"{count:,}", "count strong" if hit else "count"),
        _draw_centered_text(x, y, 32, f"{100 * share:.0f}\u202f%", "share"),
    )


def _draw_centered_text(x: float, y: float, offset: float, text: str, css_class: str = "quiet") -> Markup:
    return draw_text(x + CELL_WIDTH / 2 - 0.5, y + offset, text, f"middle {css_class}")


# --- differences ---------------------------------------------------------------------------

DIFFERENCE_CAPTION = (
    "Each cell is the candidate’s share of its row minus the baseline’s, in percentage points; a "
    "row sums to zero. Blue with a plus: the candidate predicts this more often. Orange with a minus: "
    "less often. More is better on the outlined diagonal, less elsewhere. Hatched rows have no "
    "samples in one run and are excluded from means; a ring marks a label that one model lacks."
)


def draw_difference(matrix_difference: Mapping[str, Any]) -> Markup:
    """Draw the difference of two confusion matrices on a symmetric scale.

    `rows` and `columns` are `{label, spelled_by_candidate, only_in}`, `cells` rows of differences
    or None if undefined, `diagonal` the `{row, column}` of equal labels.
    """
    frame = HeatmapLayout(
        _build_axis(matrix_difference["rows"]), _build_axis(matrix_difference["columns"]), right_margin=12.0
    )
    defined = [abs(cell) for row in matrix_difference["cells"] if row is not None for cell in row]
    reach = max([MIN_SCALE, *defined])
    hits = {(each["row"], each["column"]) for each in matrix_difference.get("diagonal", ())}
    cells: list[Child] = []
    for at, row in enumerate(matrix_difference["cells"]):
        if row is None:
            cells.append(_draw_undefined_row(frame, at))
            continue
        for column, cell in enumerate(row):
            only = matrix_difference["columns"][column].get("only_in", "")
            cells.append(_draw_difference_cell(frame, (at, column), cell, reach, only))
    cells += [_draw_outline(frame, *where) for where in sorted(hits)]
    words = "Difference of two confusion matrices"
    width = max(frame.width, frame.left + 240)
    key = _draw_color_scale(frame.left, frame.height + 14, reach)
    return tag(
        "figure",
        draw_svg(width, frame.height + 46, words, frame.draw_names(), *cells, key),
        tag("figcaption", DIFFERENCE_CAPTION),
        class_="plotted",
    )


def _build_axis(labels: Sequence[Mapping[str, Any]]) -> Axis:
    raw = [str(each["label"]) for each in labels]
    spelled = [
        f"{own}; candidate: {each['spelled_by_candidate']}" if each.get("spelled_by_candidate") else own
        for own, each in zip(raw, labels, strict=True)
    ]
    shared = sum(not each.get("only_in") for each in labels)
    return Axis(display_labels(raw), spelled, shared)


def _draw_difference_cell(
    layout: HeatmapLayout, position: tuple[int, int], value: float, max_difference: float, only_side: str
) -> Markup:
    x, y = layout.corner(*position)
    points = 100 * value
    still = abs(points) < 0.05
    kind = "none" if still else "more" if value > 0 else "less"
    true, predicted = layout.rows.raw_names[position[0]], layout.columns.raw_names[position[1]]
    description = f"{true} predicted as {predicted}: {points:+.1f} points"
    note = f"; only the {only_side} has this label" if only_side else ""
    text = "·" if still else f"{points:+.1f}".replace("-", "−")
    return tag(
        "g",
        tag("title", description + note),
        draw_box(x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, kind, MAX_TINT * abs(value) / max_difference),
        _draw_centered_text(x, y, 24, text, "quiet" if still else "count"),
        tag("circle", class_="ring", cx=f"{x + 8:.1f}", cy=f"{y + 8:.1f}", r=3) if only_side else None,
    )


def _draw_outline(layout: HeatmapLayout, row: int, column: int) -> Markup:
    x, y = layout.corner(row, column)
    return draw_box(x + 1, y + 1, CELL_WIDTH - 3, CELL_HEIGHT - 3, "outline")


def _draw_undefined_row(layout: HeatmapLayout, row: int) -> Markup:
    x, y = layout.corner(row, 0)
    width, height = layout.columns.length(CELL_WIDTH) - 1, CELL_HEIGHT - 1
    words = f"{layout.rows.raw_names[row]}: no samples in one run"
    starts = range(0, int(width - height) + 1, STRIPE_SPACING)
    stripes = [draw_line(x + at, y + height, x + at + height, y, "stripe") for at in starts]
    return tag("g", tag("title", words), draw_box(x, y, width, height, "undefined"), stripes)


def _draw_color_scale(x: float, y: float, max_difference: float, steps: int = 4) -> Markup:
    """Draw the symmetric colour scale."""
    size = 20.0
    shares = [at / steps for at in range(-steps, steps + 1)]
    fields = [
        draw_box(x + at * size, y, size, 10, "more" if share > 0 else "less", MAX_TINT * abs(share))
        for at, share in enumerate(shares)
    ]
    ends = ((0, f"−{100 * max_difference:.0f}"), (steps, "0"), (2 * steps, f"+{100 * max_difference:.0f} points"))
    words = [draw_text(x + (at + 0.5) * size, y + 24, text, "middle quiet") for at, text in ends]
    return tag("g", fields, words)
