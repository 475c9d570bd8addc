"""Quality against cost and speed, with the Pareto front: the models that no other beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from auricle.report.axis_labels import MAX_LABEL_LENGTH
from auricle.report.html_format import typeset_number
from auricle.report.plots import Axis, fit_axis
from auricle.report.templating import render
from auricle.report.usage_text import format_speed
from auricle.runs.metrics import format_money
from auricle.studies.leaderboards.table import SPEEDS, Cell, Column, Leaderboard, Row

MIN_POINTS = 2
MAX_LINEAR_RATIO = 20.0
"""Largest ratio of two costs or speeds that are drawn on a linear axis."""
WIDTH, HEIGHT = 400.0, 280.0
LEFT, TOP, BOTTOM, RIGHT = 66.0, 18.0, 50.0, 24.0
LABEL_GAP, LINE_HEIGHT, LETTER_WIDTH = 9.0, 14.0, 7.5
LINE_STEPS = 40
"""Number of places of a line that are compared with a label."""
MAX_NAMED = 8
"""Largest number of points that are all labelled; of more, only the front is."""


class Point(NamedTuple):
    """A model: its quality with the interval, and what it costs or how fast it is."""

    model: str
    """Its name and arguments."""
    name: str
    value: float
    low: float | None
    high: float | None
    amount: float
    amount_text: str
    rank: int


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The models of a column of which both quality and another amount are known."""

    name: str
    """What quality is drawn against, such as `Cost (USD)` or `RTFx`."""
    column: Column
    more_is_better: bool
    """Whether a larger amount is better: speed is, cost is not."""
    points: tuple[Point, ...]

    @property
    def front(self) -> list[Point]:
        """The points that no other beats, by amount."""
        sign = 1 if self.more_is_better else -1
        pairs = [(-self.column.direction.cost(point.value), sign * point.amount) for point in self.points]
        best = [point for point, is_best in zip(self.points, find_front(pairs), strict=True) if is_best]
        return sorted(best, key=lambda point: (point.amount, point.value))

    def label(self, point: Point) -> str:
        """Return the name of a model, or its rank if the name is too long for the plot or other models have it."""
        is_unique = sum(other.name == point.name for other in self.points) == 1
        return point.name if is_unique and len(point.name) <= MAX_LABEL_LENGTH else f"rank {point.rank}"

    @property
    def has_far_amounts(self) -> bool:
        return is_wide([point.amount for point in self.points])

    @property
    def has_far_values(self) -> bool:
        return is_wide([point.value for point in self.points])


def is_wide(values: Sequence[float]) -> bool:
    """Return whether values are so far apart that they need a logarithmic axis, and can be drawn on one."""
    return min(values) > 0 and max(values) / min(values) > MAX_LINEAR_RATIO


def find_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return whether each point is on the Pareto front, where more is better in both directions.

    >>> find_front([(1.0, 5.0), (2.0, 4.0), (1.0, 4.0)])
    [True, True, False]
    """

    def is_beaten(point: tuple[float, float]) -> bool:
        return any(other != point and other[0] >= point[0] and other[1] >= point[1] for other in points)

    return [not is_beaten(point) for point in points]


def list_trade_offs(board: Leaderboard, column: Column) -> list[TradeOff]:
    """Return what quality can be drawn against: cost, in one currency, and speed; ranked results only."""
    cells = [(row, cell) for row in board.rows if (cell := row.cells.get(column)) and cell.rank]
    currencies = sorted({cell.currency for _, cell in cells if cell.cost is not None})
    trade_offs = [
        _trade_cost(column, [entry for entry in cells if entry[1].currency == currency]) for currency in currencies
    ]
    for name, title in SPEEDS.items():
        known = [(row, cell, speed) for row, cell in cells if (speed := getattr(cell, name))]
        speeds = [_make_point(row, cell, speed, f"{title} {format_speed(speed)}×") for row, cell, speed in known]
        trade_offs.append(TradeOff(title, column, more_is_better=True, points=tuple(speeds)))
    delays = [
        _make_point(row, cell, cell.first_token_p95, f"{cell.first_token_p95:.3g} s")
        for row, cell in cells
        if cell.first_token_p95
    ]
    trade_offs.append(TradeOff("Time to first token, p95 (s)", column, more_is_better=False, points=tuple(delays)))
    return [trade_off for trade_off in trade_offs if len(trade_off.points) >= MIN_POINTS]


def _trade_cost(column: Column, cells: Sequence[tuple[Row, Cell]]) -> TradeOff:
    """Draw against the cost of an hour of audio, or of the whole run if some durations are unknown."""
    priced = [(row, cell, cell.cost) for row, cell in cells if cell.cost is not None]
    is_hourly = all(cell.audio_hours for _, cell, _ in priced)
    amounts = [cost / (cell.audio_hours or 1.0) if is_hourly else cost for _, cell, cost in priced]
    currency = priced[0][1].currency
    unit = f"{currency} per hour of audio" if is_hourly else currency
    points = tuple(
        _make_point(row, cell, amount, format_money(amount, currency) + (" per hour of audio" if is_hourly else ""))
        for (row, cell, _), amount in zip(priced, amounts, strict=True)
    )
    return TradeOff(f"Cost ({unit})", column, more_is_better=False, points=points)


def _make_point(row: Row, cell: Cell, amount: float, amount_text: str) -> Point:
    assert cell.rank
    assert cell.value is not None  # a result without a value has no rank
    number = cell.number
    return Point(row.title, row.model, cell.value, *number.shown_ends, amount, amount_text, cell.rank.place)


# --- drawing ------------------------------------------------------------------------------------------


def draw_trade_off(trade_off: TradeOff) -> Markup:
    """Draw quality against cost or speed; the points of the front are filled and connected."""
    scale = 100.0 if trade_off.column.unit == "share" else 1.0
    points, front = trade_off.points, trade_off.front
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    across = PlotAxis.fit([point.amount for point in points], is_logarithmic=trade_off.has_far_amounts)
    up = PlotAxis.fit([scale * end for end in ends], is_logarithmic=trade_off.has_far_values)

    def place(amount: float, value: float) -> tuple[float, float]:
        return LEFT + WIDTH * across.position(amount), TOP + HEIGHT * (1 - up.position(scale * value))

    named = points if len(points) <= MAX_NAMED else front
    labels = place_labels(
        [(*place(point.amount, point.value), trade_off.label(point)) for point in named],
        [place(point.amount, point.value) for point in front],
    )
    return render(
        "studies/leaderboards/trade_off.html",
        trade_off=trade_off,
        front=front,
        labels=list(zip(named, labels, strict=True)),
        title=f"{trade_off.column.metric_title}{' (%)' if scale > 1 else ''}",
        place=place,
        format_value=lambda value: typeset_number(value, trade_off.column.unit),
        x_ticks=[(LEFT + WIDTH * position, label) for position, label in across.ticks],
        y_ticks=[(TOP + HEIGHT * (1 - position), label) for position, label in up.ticks],
        left=LEFT,
        top=TOP,
        width=WIDTH,
        bottom=TOP + HEIGHT,
        full_size=(LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM),
    )


class LabelPlace(NamedTuple):
    """Where a label may be: its anchor and the box it fills."""

    x: float
    y: float
    """Baseline of the text."""
    left: float
    right: float

    @property
    def css(self) -> str:
        return "end" if self.x == self.right else ""

    def contains(self, x: float, y: float) -> bool:
        return self.left - 2 <= x <= self.right + 2 and self.y - LINE_HEIGHT + 2 <= y <= self.y + 4

    def overlaps(self, other: LabelPlace) -> bool:
        return self.left < other.right and other.left < self.right and abs(self.y - other.y) < LINE_HEIGHT

    def is_crossed(self, start: tuple[float, float], end: tuple[float, float]) -> bool:
        """Return whether a straight line crosses the box."""
        steps = (step / LINE_STEPS for step in range(LINE_STEPS + 1))
        return any(self.contains(*(a + step * (b - a) for a, b in zip(start, end, strict=True))) for step in steps)


def place_labels(
    points: Sequence[tuple[float, float, str]], line: Sequence[tuple[float, float]] = ()
) -> list[LabelPlace]:
    """Return the place of each label: beside its point where it covers least, and below other labels.

    Args:
        points: Position and label of each point.
        line: Corners of a line that labels should not cross.
    """
    placed: dict[int, LabelPlace] = {}
    for at in sorted(range(len(points)), key=lambda at: points[at][1]):

        def count_covered(place: LabelPlace) -> int:
            labels = sum(place.overlaps(other) for other in placed.values())
            lines = sum(place.is_crossed(*segment) for segment in pairwise(line))
            outside = place.left < LEFT or place.right > LEFT + WIDTH + RIGHT or place.y > TOP + HEIGHT
            return 2 * labels + lines + sum(place.contains(x, y) for x, y, _ in points) + 3 * outside

        place = min(_list_places(*points[at]), key=count_covered)
        for other in sorted(placed.values(), key=lambda other: other.y):
            if place.overlaps(other):
                place = place._replace(y=other.y + LINE_HEIGHT)
        placed[at] = place
    return [placed[at] for at in range(len(points))]


def _list_places(x: float, y: float, text: str) -> list[LabelPlace]:
    """Return the places around a point, the usual one first: above it, on the side with more room."""
    length = LETTER_WIDTH * len(text)
    right, left = (x + LABEL_GAP, x + LABEL_GAP + length), (x - LABEL_GAP - length, x - LABEL_GAP)
    sides = [(right[0], right), (left[1], left)]
    if x > LEFT + WIDTH / 2:
        sides.reverse()
    heights = (y - LABEL_GAP + 2, y + LABEL_GAP + 7)
    return [LabelPlace(anchor, height, *ends) for height in heights for anchor, ends in sides]


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """An axis, linear or logarithmic."""

    axis: Axis
    is_logarithmic: bool

    @classmethod
    def fit(cls, values: Sequence[float], *, is_logarithmic: bool) -> PlotAxis:
        """Return an axis around values; a logarithmic one has a tick at each power of ten, and none below them."""
        if not is_logarithmic:
            return cls(fit_axis(values), is_logarithmic=False)
        powers = [math.log10(value) for value in values if value > 0]
        low, high = math.floor(min(powers)), math.ceil(max(powers))
        axis = fit_axis([low, high])._replace(ticks=[float(power) for power in range(low, high + 1)])
        return cls(axis, is_logarithmic=True)

    def position(self, value: float) -> float:
        """Return the position of a value between the ends of the axis, from 0 to 1."""
        if not self.is_logarithmic:
            return self.axis.position(value)
        return self.axis.position(math.log10(value)) if value > 0 else 0.0

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The position and the label of each tick."""
        if not self.is_logarithmic:
            return [(self.axis.position(tick), label) for tick, label in self.axis.labelled_ticks()]
        return [(self.axis.position(tick), f"{10**tick:,.6g}") for tick in self.axis.ticks]
