"""Quality against cost and speed, with the Pareto front: the models that no other beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from auricle.report.axis_labels import MAX_LABEL_LENGTH
from auricle.report.html_format import typeset_number
from auricle.report.leaderboard import Cell, Column, Leaderboard
from auricle.report.plots import Axis, fit_axis
from auricle.report.templating import render
from auricle.runs.metrics import format_money

MIN_POINTS = 2
MAX_LINEAR_RATIO = 20.0
"""Largest ratio of two costs or speeds that are drawn on a linear axis."""
WIDTH, HEIGHT = 400.0, 280.0
LEFT, TOP, BOTTOM, RIGHT = 66.0, 18.0, 50.0, 24.0


class Point(NamedTuple):
    """A model: its quality with the interval, and what it costs or how fast it is."""

    model: str
    value: float
    low: float | None
    high: float | None
    amount: float
    amount_text: str
    rank: int

    @property
    def label(self) -> str:
        """The name of the model, or its rank if the name is too long for the plot."""
        return self.model if len(self.model) <= MAX_LABEL_LENGTH else f"rank {self.rank}"


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The models of a column of which both quality and another amount are known."""

    name: str
    """What quality is drawn against: `Cost (USD)` or `RTFx`."""
    column: Column
    more_is_better: bool
    """Whether a larger amount is better: speed is, cost is not."""
    points: tuple[Point, ...]

    @property
    def front(self) -> list[Point]:
        """The points that no other beats, by amount."""
        signs = 1 if self.column.higher_is_better else -1, 1 if self.more_is_better else -1
        pairs = [(signs[0] * point.value, signs[1] * point.amount) for point in self.points]
        best = [point for point, is_best in zip(self.points, find_front(pairs), strict=True) if is_best]
        return sorted(best, key=lambda point: (point.amount, point.value))

    @property
    def is_logarithmic(self) -> bool:
        amounts = [point.amount for point in self.points]
        return min(amounts) > 0 and max(amounts) / min(amounts) > MAX_LINEAR_RATIO


def find_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return whether each point is on the Pareto front, where more is better in both directions.

    >>> find_front([(1.0, 5.0), (2.0, 4.0), (1.0, 4.0)])
    [True, True, False]
    """

    def is_beaten(point: tuple[float, float]) -> bool:
        return any(other != point and other[0] >= point[0] and other[1] >= point[1] for other in points)

    return [not is_beaten(point) for point in points]


def list_trade_offs(board: Leaderboard, column: Column) -> list[TradeOff]:
    """Return what quality can be drawn against: cost, in one currency, and speed; complete runs only."""
    cells = [(row.title, cell) for row in board.rows if (cell := row.cells.get(column)) and cell.rank]
    currencies = sorted({cell.currency for _, cell in cells if cell.cost is not None})
    trade_offs = [
        TradeOff(
            f"Cost ({currency})",
            column,
            more_is_better=False,
            points=tuple(
                _make_point(title, cell, cell.cost, format_money(cell.cost, currency))
                for title, cell in cells
                if cell.currency == currency and cell.cost is not None
            ),
        )
        for currency in currencies
    ]
    speeds = (_make_point(title, cell, cell.rtfx, f"RTFx {cell.rtfx:,.1f}") for title, cell in cells if cell.rtfx)
    trade_offs.append(TradeOff("RTFx", column, more_is_better=True, points=tuple(speeds)))
    return [trade_off for trade_off in trade_offs if len(trade_off.points) >= MIN_POINTS]


def _make_point(title: str, cell: Cell, amount: float, amount_text: str) -> Point:
    assert cell.rank
    assert cell.value is not None  # a result without a value has no rank
    return Point(title, cell.value, cell.number.low, cell.number.high, amount, amount_text, cell.rank.place)


# --- drawing ------------------------------------------------------------------------------------------


def draw_trade_off(trade_off: TradeOff) -> Markup:
    """Draw quality against cost or speed; the points of the front are filled, labelled and connected."""
    transform = math.log10 if trade_off.is_logarithmic else float
    scale = 100.0 if trade_off.column.unit == "share" else 1.0
    points = trade_off.points
    across = _fit_amounts([transform(point.amount) for point in points], is_logarithmic=trade_off.is_logarithmic)
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    up = fit_axis([scale * end for end in ends])

    def place(amount: float, value: float) -> tuple[float, float]:
        x, y = across.position(transform(amount)), up.position(scale * value)
        return LEFT + WIDTH * x, TOP + HEIGHT * (1 - y)

    def place_label(point: Point) -> tuple[float, float, str]:
        x, y = place(point.amount, point.value)
        is_right = x > LEFT + WIDTH / 2
        return (x - 9 if is_right else x + 9), y - 7, "end strong" if is_right else "strong"

    return render(
        "report/templates/trade_off.html",
        trade_off=trade_off,
        front=trade_off.front,
        title=f"{trade_off.column.metric_title}{' (%)' if scale > 1 else ''}",
        place=place,
        place_label=place_label,
        format_value=lambda value: typeset_number(value, trade_off.column.unit),
        x_ticks=[
            (LEFT + WIDTH * across.position(tick), f"{10**tick if trade_off.is_logarithmic else tick:,.6g}")
            for tick in across.ticks
        ],
        y_axis=up,
        left=LEFT,
        top=TOP,
        width=WIDTH,
        bottom=TOP + HEIGHT,
        full_size=(LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM),
    )


def _fit_amounts(amounts: Sequence[float], *, is_logarithmic: bool) -> Axis:
    """Return an axis around amounts, or around their logarithms with a tick at each power of ten."""
    if not is_logarithmic:
        return fit_axis(amounts)
    low, high = math.floor(min(amounts)), math.ceil(max(amounts))
    return fit_axis([low, high])._replace(ticks=[float(power) for power in range(low, high + 1)])
