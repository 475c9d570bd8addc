"""Render the pages of a site that are about several runs: the index, and one page per column of the leaderboard."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from auricle.core.direction import Direction
from auricle.core.value_text import pluralise
from auricle.report.html_format import Scale
from auricle.report.run_html import MAX_UNFOLDED_GROUPS
from auricle.report.templating import render, render_page
from auricle.report.usage_text import FACT_DESCRIPTIONS, format_speed
from auricle.runs.metrics import Number, format_money
from auricle.studies.leaderboards.site_names import name_models
from auricle.studies.leaderboards.site_samples import ASSETS, SampleLink
from auricle.studies.leaderboards.table import SPEEDS, Cell, Column, Leaderboard, Row
from auricle.studies.leaderboards.trade_offs import draw_trade_off, list_trade_offs

MIN_FENCED = 5
"""Number of values from which on those far from the others are left out of a scale."""
FENCE = 3.0
"""Distance from the middle half of the values, in widths of that half, beyond which a value is far from the others."""
BAR_WIDTH = 80
"""Pixels of the intervals in the cells of the index, as in the style sheet."""


@dataclass(frozen=True, slots=True)
class RunLink:
    """A run in a list of runs."""

    page: str
    model: str
    task: str
    samples: int
    created: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteView:
    """What the pages of a site show."""

    title: str
    board: Leaderboard
    pages: Mapping[Column, str]
    """The name of the page of each column."""
    samples: Mapping[Column, tuple[SampleLink, ...]]
    """The samples of each column that have a page."""
    other_runs: tuple[RunLink, ...]
    """Runs that the leaderboard does not show."""
    run_count: int
    skipped: tuple[str, ...] = ()
    """Runs that could not be shown, with the reason."""
    silent: tuple[str, ...] = ()
    """Tasks without recordings, with the reason."""
    split_by_prompt: bool
    created: str
    version: str


def render_index(view: SiteView) -> str:
    """Render the page with the leaderboard."""
    board = view.board
    shared = {"board": board, "pages": view.pages, "titles": board.column_titles()}
    scales = {column: FencedScale.around(board.list_cells(column)) for column in board.columns}
    table = render(
        "studies/leaderboards/leaderboard_table.html",
        best={column: board.best(column) for column in board.columns},
        speeds={name: title for name, title in SPEEDS.items() if any(row.speeds[name] for row in board.rows)},
        speed_descriptions=FACT_DESCRIPTIONS,
        format_speed=format_speed,
        draw_bar=_bar_drawer(scales),
        is_clipped=any(scale.is_clipped for scale in scales.values()),
        **shared,
    )
    counts = {column: sum(column in row.cells for row in board.rows) for column in board.columns}
    columns = render("studies/leaderboards/leaderboard_columns.html", counts=counts, **shared)
    other = render("studies/leaderboards/leaderboard_runs.html", runs=view.other_runs) if view.other_runs else ""
    sections = [
        ("leaderboard", "Leaderboard", table),
        ("columns", "Columns", columns),
        ("other-runs", "Other runs", other),
    ]
    return render_page(
        "studies/leaderboards/leaderboard.html",
        **ASSETS,
        title=view.title,
        version=view.version,
        created=view.created,
        description="Models against tasks. Only comparable results share a column.",
        facts=[
            ("Models", f"{len(board.rows):,}"),
            ("Columns", f"{len(board.columns):,}"),
            ("Runs", f"{view.run_count:,}"),
        ],
        notices=[
            *(_list_notices(board) if board.rows else ["No run has a result that can be compared."]),
            *(f"Not shown: {reason}" for reason in view.skipped),
            *(f"Without sound: {reason}" for reason in view.silent),
        ],
        sections=[section for section in sections if section[2] and (board.rows or section[0] == "other-runs")],
        split_by_prompt=view.split_by_prompt,
    )


@dataclass(frozen=True, slots=True)
class FencedScale(Scale):
    """A scale around the values of a column; one model that is far off does not squeeze the others together."""

    is_clipped: bool = False
    """Whether values are left out, which are drawn at an end."""

    @classmethod
    def around(cls, cells: Sequence[Cell]) -> FencedScale:
        """Return a scale around the values and intervals of results."""
        low, high = find_fences([cell.value for cell in cells if cell.value is not None])
        near = [cell for cell in cells if cell.value is None or low <= cell.value <= high]
        scale = cls.fit(end for cell in near for end in (cell.value, *cell.number.shown_ends))
        return cls(scale.low, scale.high, len(near) < len(cells))


def find_fences(values: Sequence[float]) -> tuple[float, float]:
    """Return the limits beyond which values are far from the others.

    >>> find_fences([1.0, 2.0, 3.0, 4.0, 5.0, 80.0])
    (-5.25, 12.25)
    """
    known = [value for value in values if math.isfinite(value)]
    if len(known) < MIN_FENCED:
        return -math.inf, math.inf
    first, third = np.quantile(known, (0.25, 0.75)).tolist()
    reach = FENCE * (third - first)
    return (first - reach, third + reach) if reach else (-math.inf, math.inf)


def _bar_drawer(scales: Mapping[Column, Scale]) -> Callable[[Column, Cell], Markup]:
    """Return a function that draws the interval of a result on the scale of its column.

    There may be thousands of them: each is a single path, in pixels.
    """

    def draw(column: Column, cell: Cell) -> Markup:
        scale, number = scales[column], cell.number
        ends = number.shown_ends
        if number.value is None or ends[0] is None or ends[1] is None:
            return Markup("")
        low, value, high = (
            f"{1 + (BAR_WIDTH - 2) * scale.share(end - scale.low):.0f}" for end in (ends[0], number.value, ends[1])
        )
        return Markup('<svg class="whisker" aria-hidden="true"><path d="M{} 4H{}M{} 1v6"/></svg>').format(
            low, high, value
        )

    return draw


def _list_notices(board: Leaderboard) -> list[str]:
    unfinished = {cell.run for row in board.rows for cell in row.cells.values() if not cell.complete}
    notices = []
    if unfinished:
        verb = "is" if len(unfinished) == 1 else "are"
        notices.append(f"{pluralise(len(unfinished), 'run')} shown here {verb} not finished and not ranked.")
    if board.replaced_count:
        notices.append(
            "Of several runs with the same model, arguments and column, only the newest is shown; "
            f"{pluralise(board.replaced_count, 'older result')} left out."
        )
    return notices


@dataclass(frozen=True, slots=True)
class SliceTable:
    """The numbers of each model over the groups of a metadata field."""

    field: str
    groups: tuple[str, ...]
    rows: tuple[tuple[Row, Mapping[str, Number]], ...]
    best: Mapping[str, float | None]
    """The best value of each group, of ranked results."""
    direction: Direction
    ends: tuple[float, float]
    """The costs of the best and the worst value, without those far from the others."""

    def heat(self, number: Number) -> str:
        """Return the class of a background: from `heat0`, the best number of the table, to `heat8`, the worst."""
        low, high = self.ends
        if number.value is None or low == high:
            return ""
        share = (self.direction.cost(number.value) - low) / (high - low)
        return f"heat{round(8 * min(1.0, max(0.0, share)))}"

    @property
    def is_collapsed(self) -> bool:
        return len(self.groups) > MAX_UNFOLDED_GROUPS


def render_task(view: SiteView, column: Column) -> str:
    """Render the page of a column: the ranking, quality against cost and speed, and groups of samples."""
    board = view.board
    rows = sorted(
        [(row, row.cells[column]) for row in board.rows if column in row.cells],
        key=lambda entry: (entry[1].rank.place if entry[1].rank else len(board.rows) + 1, entry[0].title),
    )
    title = board.column_titles()[column]
    trade_offs = Markup("").join(map(draw_trade_off, list_trade_offs(board, column)))
    slices = _list_slices(rows, column)
    groups = (
        render("studies/leaderboards/task_slices.html", slices=slices, column=column, title=title) if slices else ""
    )
    sections = [
        ("ranking", "Ranking", _render_ranking(board, column, rows, title)),
        ("trade-offs", "Quality against cost and speed", Markup('<div class="trade-offs">{}</div>').format(trade_offs))
        if trade_offs
        else ("", "", ""),
        ("slices", "Groups of samples", groups),
        ("samples", "Samples", _render_samples(view, column)),
    ]
    signature = column.signature
    return render_page(
        "studies/leaderboards/task.html",
        **ASSETS,
        title=title,
        version=view.version,
        home="../index.html",
        column=column,
        page=view.pages[column],
        badges=[
            (row.title, name)
            for name, row in zip(name_models(board.rows), board.rows, strict=True)
            if column in row.cells
        ],
        facts=[("Models", f"{len(rows):,}"), ("Samples", f"{max(cell.number.total for _, cell in rows):,}")],
        notices=[],
        sections=[section for section in sections if section[2]],
        terms=[
            ("Task", signature.task),
            ("Data", signature.revision or "local"),
            ("Prompt", signature.inferencer or "any"),
            ("Metric", str(signature.metric)),
        ],
    )


def _render_ranking(board: Leaderboard, column: Column, rows: Sequence[tuple[Row, Cell]], title: str) -> Markup:
    """Render the table of a column: rank, value, cost and speed of each model."""
    cells = [cell for _, cell in rows]
    scale = FencedScale.around(cells)
    ranks = [cell.rank for cell in cells if cell.rank and cell.rank.low is not None]
    return render(
        "studies/leaderboards/task_table.html",
        rows=rows,
        column=column,
        title=title,
        best=board.best(column),
        ranks=Scale(1.0, float(ranks[0].count)) if ranks and ranks[0].count > 1 else None,
        unranked=any(cell.rank is None for cell in cells),
        scale=scale,
        is_clipped=scale.is_clipped,
        has_cost=any(cell.cost is not None for cell in cells),
        speeds={name: title for name, title in SPEEDS.items() if any(getattr(cell, name) for cell in cells)},
        speed_descriptions=FACT_DESCRIPTIONS,
        format_speed=format_speed,
        money=format_money,
    )


def _render_samples(view: SiteView, column: Column) -> str:
    samples = view.samples.get(column, ())
    if not samples:
        return ""
    return render(
        "studies/leaderboards/task_samples.html",
        samples=samples,
        column=column,
        task_page=view.pages[column],
        has_sound=any(sample.has_sound for sample in samples),
    )


def _list_slices(rows: Sequence[tuple[Row, Cell]], column: Column) -> list[SliceTable]:
    """Return a table for each metadata field that the numbers are broken down by, in the order of the runs."""
    fields = list(dict.fromkeys(number.field for _, cell in rows for number in cell.slices))
    tables = []
    for field in fields:
        entries = [
            (row, cell, {number.group: number for number in cell.slices if number.field == field}) for row, cell in rows
        ]
        shown = [entry for entry in entries if entry[2]]
        groups = tuple(dict.fromkeys(group for *_, numbers in shown for group in numbers))
        best = {
            group: _choose_best(
                [numbers[group] for _, cell, numbers in shown if cell.rank and group in numbers], column
            )
            for group in groups
        }
        values = [number.value for *_, numbers in shown for number in numbers.values() if number.value is not None]
        low, high = find_fences(values)
        costs = [column.direction.cost(value) for value in values if low <= value <= high]
        tables.append(
            SliceTable(
                field,
                groups,
                tuple((row, numbers) for row, _, numbers in shown),
                best,
                column.direction,
                (min(costs, default=0.0), max(costs, default=0.0)),
            )
        )
    return tables


def _choose_best(numbers: Sequence[Number], column: Column) -> float | None:
    values = [number.value for number in numbers if number.value is not None]
    return column.direction.choose_best(values)
