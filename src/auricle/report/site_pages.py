"""Render the pages of a site that are about several runs: the index, and one page per column of the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from auricle.report.html_format import Scale, pluralise
from auricle.report.leaderboard import Cell, Column, Leaderboard, Row
from auricle.report.run_html import MAX_UNFOLDED_GROUPS
from auricle.report.templating import render, render_page
from auricle.report.trade_offs import draw_trade_off, list_trade_offs
from auricle.runs.metrics import Number, format_money

ASSETS: dict[str, Any] = {"stylesheets": ("report/leaderboard.css",), "script": "report/leaderboard.js"}


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
    other_runs: tuple[RunLink, ...]
    """Runs that the leaderboard does not show."""
    run_count: int
    skipped: tuple[str, ...] = ()
    """Runs that could not be shown, with the reason."""
    split_by_prompt: bool
    created: str
    version: str


def render_index(view: SiteView) -> str:
    """Render the page with the leaderboard."""
    board = view.board
    shared = {"board": board, "pages": view.pages, "titles": board.column_titles()}
    table = render(
        "report/templates/leaderboard_table.html",
        best={column: board.best(column) for column in board.columns},
        has_speed=any(row.rtfx for row in board.rows),
        **shared,
    )
    counts = {column: sum(column in row.cells for row in board.rows) for column in board.columns}
    columns = render("report/templates/leaderboard_columns.html", counts=counts, **shared)
    other = render("report/templates/leaderboard_runs.html", runs=view.other_runs) if view.other_runs else ""
    sections = [
        ("leaderboard", "Leaderboard", table),
        ("columns", "Columns", columns),
        ("other-runs", "Other runs", other),
    ]
    return render_page(
        "report/templates/leaderboard.html",
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
        ],
        sections=[section for section in sections if section[2] and (board.rows or section[0] == "other-runs")],
        split_by_prompt=view.split_by_prompt,
    )


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
    """The best value of each group, of complete runs."""

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
    cells = [cell for _, cell in rows]
    title = board.column_titles()[column]
    table = render(
        "report/templates/task_table.html",
        rows=rows,
        column=column,
        title=title,
        best=board.best(column),
        scale=Scale.fit(end for cell in cells for end in (cell.value, cell.number.low, cell.number.high)),
        has_cost=any(cell.cost is not None for cell in cells),
        has_speed=any(cell.rtfx for cell in cells),
        money=format_money,
    )
    trade_offs = Markup("").join(map(draw_trade_off, list_trade_offs(board, column)))
    slices = _list_slices(rows, column)
    groups = render("report/templates/task_slices.html", slices=slices, column=column, title=title) if slices else ""
    sections = [
        ("ranking", "Ranking", table),
        ("trade-offs", "Quality against cost and speed", Markup('<div class="trade-offs">{}</div>').format(trade_offs))
        if trade_offs
        else ("", "", ""),
        ("slices", "Groups of samples", groups),
    ]
    signature = column.signature
    return render_page(
        "report/templates/task.html",
        **ASSETS,
        title=title,
        version=view.version,
        home="../index.html",
        column=column,
        facts=[("Models", f"{len(rows):,}"), ("Samples", f"{max(cell.number.total for cell in cells):,}")],
        notices=[],
        sections=[section for section in sections if section[2]],
        terms=[
            ("Task", signature.task),
            ("Data", signature.revision or "local"),
            ("Prompt", signature.inferencer or "any"),
            ("Metric", str(signature.metric)),
        ],
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
                [numbers[group] for _, cell, numbers in shown if cell.complete and group in numbers], column
            )
            for group in groups
        }
        tables.append(SliceTable(field, groups, tuple((row, numbers) for row, _, numbers in shown), best))
    return tables


def _choose_best(numbers: Sequence[Number], column: Column) -> float | None:
    values = [number.value for number in numbers if number.value is not None]
    return (max if column.higher_is_better else min)(values, default=None)
