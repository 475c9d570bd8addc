"""Matrices as heat maps: confusions in counts and per cent, and the difference of two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.metrics.alignment import all_shown
from auricle.report.markup import Child, Markup, tag
from auricle.report.plots.drawing import box, line, named, picture, width_of, write

CELL_WIDTH, CELL_HEIGHT = 66.0, 40.0
LONGEST_LEVEL = 71.0  # a longer name of a column is written at a slant
SLANT = -40.0
GAP = 6.0  # between what both sides share and the rest
TINT = 0.6  # the strongest tint; beyond it the digits would no longer stand out
LEAST_SCALE = 0.05  # smaller differences are not blown up to strong colours
UNREADABLE = "unreadable"
STRIPES = 9  # how far apart the lines of a hatched row are


@dataclass(frozen=True, slots=True)
class Axis:
    """Names along a side, as shown and as they are, and where those that are shared end."""

    shown: Sequence[str]
    raw: Sequence[str]
    shared: int

    def place(self, at: int, size: float) -> float:
        """How far the cell stands from the first."""
        return at * size + (GAP if at >= self.shared else 0.0)

    def length(self, size: float) -> float:
        return self.place(len(self.raw) - 1, size) + size if self.raw else 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Room for names around a field of cells."""

    rows: Axis
    columns: Axis
    sizes: float = 52.0
    """Room at the right for how many samples a row has."""

    @property
    def left(self) -> float:
        return max(100.0, width_of(self.rows.shown) + 30)

    @property
    def slanted(self) -> bool:
        return width_of(self.columns.shown) > LONGEST_LEVEL

    @property
    def top(self) -> float:
        slope = -math.sin(math.radians(SLANT))
        return 40 + (slope * width_of(self.columns.shown) if self.slanted else 0)

    @property
    def width(self) -> float:
        slanting = 0.8 * width_of(self.columns.shown) if self.slanted else 0.0
        right = max(self.sizes, slanting - CELL_WIDTH / 2)
        return self.left + self.columns.length(CELL_WIDTH) + right

    @property
    def height(self) -> float:
        return self.top + self.rows.length(CELL_HEIGHT) + 4

    def corner(self, row: int, column: int) -> tuple[float, float]:
        return (
            self.left + self.columns.place(column, CELL_WIDTH),
            self.top + self.rows.place(row, CELL_HEIGHT),
        )

    def names(self) -> list[Markup]:
        """The labels of both axes; those of one side alone are set apart."""
        made = [write(self.left - 10, self.top - 8, "true ↓   said →", "end quiet")]
        for at, label in enumerate(self.rows.shown):
            _, y = self.corner(at, 0)
            kind = "end" if at < self.rows.shared else "end alone"
            made.append(named(self.left - 10, y + 24, label, self.rows.raw[at], kind))
        for at, label in enumerate(self.columns.shown):
            x, _ = self.corner(0, at)
            kind = "" if at < self.columns.shared else "alone"
            where = (x + CELL_WIDTH / 2, self.top - 8)
            if self.slanted:
                made.append(named(*where, label, self.columns.raw[at], kind, SLANT))
            else:
                made.append(named(*where, label, self.columns.raw[at], f"middle {kind}"))
        return made


# --- confusions ----------------------------------------------------------------------------


def confusion(matrix: Mapping[str, Any]) -> Markup:
    """A matrix as `metrics.json` has it: counts and shares of each row, shared labels first."""
    silent = any(matrix["unreadable"])
    extra = [UNREADABLE] if silent else []
    shared = matrix["shared"]
    frame = Frame(
        Axis(matrix["rows_shown"], matrix["rows"], shared),
        Axis([*matrix["columns_shown"], *extra], [*matrix["columns"], *extra], shared),
    )
    cells: list[Child] = []
    for at, counts in enumerate(matrix["counts"]):
        whole = [*counts, matrix["unreadable"][at]] if silent else counts
        cells += _row(frame, at, whole)
    words = f"Confusion matrix: {len(matrix['rows'])} true labels against {len(matrix['columns'])}"
    return picture(frame.width, frame.height, words, frame.names(), *cells)


def _row(frame: Frame, at: int, counts: Sequence[int]) -> list[Markup]:
    support = sum(counts)
    made = [_counted(frame, (at, column), size, support) for column, size in enumerate(counts)]
    x, y = frame.corner(at, len(counts) - 1)
    made.append(write(x + CELL_WIDTH + 8, y + 24, f"n {support:,}", "quiet"))
    return made


def _counted(frame: Frame, where: tuple[int, int], size: int, support: int) -> Markup:
    row, column = where
    x, y = frame.corner(row, column)
    hit = row == column and row < frame.rows.shared
    share = size / support if support else 0.0
    field = box(x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, "hit" if hit else "miss", TINT * share)
    if not size:
        return tag("g", box(x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, "none"), _middle(x, y, 24, "·"))
    told = f"{frame.rows.raw[row]} said as {frame.columns.raw[column]}: {size:,} of {support:,}"
    return tag(
        "g",
        tag("title", f"{told}, {100 * share:.1f} %"),
        field,
        _middle(x, y, 18, f"{size:,}", "count strong" if hit else "count"),
        _middle(x, y, 32, f"{100 * share:.0f}\u202f%", "share"),
    )


def _middle(x: float, y: float, down: float, text: str, kind: str = "quiet") -> Markup:
    return write(x + CELL_WIDTH / 2 - 0.5, y + down, text, f"middle {kind}")


# --- differences ---------------------------------------------------------------------------

GUIDE = (
    "Each cell is the candidate’s share of its row less the baseline’s, in percentage points; a "
    "row sums to zero. Blue with a plus: the candidate says this more often. Orange with a minus: "
    "less often. On the outlined diagonal more is better, elsewhere less is. Hatched rows have no "
    "samples on one side and are part of no mean; a ring marks a label that one side does not have."
)


def difference(found: Mapping[str, Any]) -> Markup:
    """The candidate's matrix less the baseline's, as `comparison` tells it, on a symmetric scale.

    `rows` and `columns` are `{label, spelled_by_candidate, only_in}`, `cells` rows of differences
    or None where undefined, `diagonal` the `{row, column}` that mean the same.
    """
    frame = Frame(_union(found["rows"]), _union(found["columns"]), sizes=12.0)
    defined = [abs(cell) for row in found["cells"] if row is not None for cell in row]
    reach = max([LEAST_SCALE, *defined])
    hits = {(each["row"], each["column"]) for each in found.get("diagonal", ())}
    cells: list[Child] = []
    for at, row in enumerate(found["cells"]):
        if row is None:
            cells.append(_undefined(frame, at))
            continue
        for column, cell in enumerate(row):
            only = found["columns"][column].get("only_in", "")
            cells.append(_changed(frame, (at, column), cell, reach, only))
    cells += [_outline(frame, *where) for where in sorted(hits)]
    words = "Difference of two confusion matrices"
    width = max(frame.width, frame.left + 240)
    key = _key(frame.left, frame.height + 14, reach)
    return tag(
        "figure",
        picture(width, frame.height + 46, words, frame.names(), *cells, key),
        tag("figcaption", GUIDE),
        class_="plotted",
    )


def _union(labels: Sequence[Mapping[str, Any]]) -> Axis:
    raw = [str(each["label"]) for each in labels]
    spelled = [
        f"{own}; candidate: {each['spelled_by_candidate']}"
        if each.get("spelled_by_candidate")
        else own
        for own, each in zip(raw, labels, strict=True)
    ]
    shared = sum(not each.get("only_in") for each in labels)
    return Axis(all_shown(raw), spelled, shared)


def _changed(frame: Frame, where: tuple[int, int], cell: float, reach: float, only: str) -> Markup:
    x, y = frame.corner(*where)
    points = 100 * cell
    still = abs(points) < 0.05
    kind = "none" if still else "more" if cell > 0 else "less"
    told = f"{frame.rows.raw[where[0]]} said as {frame.columns.raw[where[1]]}: {points:+.1f} points"
    note = f"; only the {only} has this label" if only else ""
    text = "·" if still else f"{points:+.1f}".replace("-", "−")
    return tag(
        "g",
        tag("title", told + note),
        box(x, y, CELL_WIDTH - 1, CELL_HEIGHT - 1, kind, TINT * abs(cell) / reach),
        _middle(x, y, 24, text, "quiet" if still else "count"),
        tag("circle", class_="ring", cx=f"{x + 8:.1f}", cy=f"{y + 8:.1f}", r=3) if only else None,
    )


def _outline(frame: Frame, row: int, column: int) -> Markup:
    x, y = frame.corner(row, column)
    return box(x + 1, y + 1, CELL_WIDTH - 3, CELL_HEIGHT - 3, "outline")


def _undefined(frame: Frame, row: int) -> Markup:
    x, y = frame.corner(row, 0)
    width, height = frame.columns.length(CELL_WIDTH) - 1, CELL_HEIGHT - 1
    words = f"{frame.rows.raw[row]}: no samples on one side"
    starts = range(0, int(width - height) + 1, STRIPES)
    stripes = [line(x + at, y + height, x + at + height, y, "stripe") for at in starts]
    return tag("g", tag("title", words), box(x, y, width, height, "undefined"), stripes)


def _key(x: float, y: float, reach: float, steps: int = 4) -> Markup:
    """The scale, the same to both sides of zero."""
    size = 20.0
    shares = [at / steps for at in range(-steps, steps + 1)]
    fields = [
        box(x + at * size, y, size, 10, "more" if share > 0 else "less", TINT * abs(share))
        for at, share in enumerate(shares)
    ]
    ends = ((0, f"−{100 * reach:.0f}"), (steps, "0"), (2 * steps, f"+{100 * reach:.0f} points"))
    words = [write(x + (at + 0.5) * size, y + 24, text, "middle quiet") for at, text in ends]
    return tag("g", fields, words)
