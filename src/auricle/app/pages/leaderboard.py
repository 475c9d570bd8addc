"""The leaderboard page: all models on all tasks; only comparable runs share a column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from auricle.app import run_data
from auricle.app.theme import draw_chart, draw_header
from auricle.app.views import charts, components, run_list
from auricle.app.website import build_website
from auricle.core.errors import DataError
from auricle.report.html_format import Scale, collect_extents, mark_breaks
from auricle.report.usage_text import FACT_DESCRIPTIONS, format_speed
from auricle.runs.metrics import Metrics
from auricle.studies.leaderboards.site import SiteOptions
from auricle.studies.leaderboards.table import SPEEDS, Cell, Column, Leaderboard, Row, build_leaderboard

MAX_COLUMNS = 12
COLUMNS_PER_TABLE = 5
"""More columns do not fit beside each other on a small screen."""


def page() -> None:
    """Draw the leaderboard with intervals, coverage and speed."""
    draw_header(
        "Leaderboard", "All models on all tasks. Only comparable runs (same data, prompt and scoring) share a column."
    )
    with components.error_boundary():
        _draw_leaderboard()


def _draw_leaderboard() -> None:
    left, middle, right = st.columns([4, 2, 3], vertical_alignment="bottom")
    all_metrics = middle.toggle(
        "All metrics", key="leaderboard-all-metrics", help="Show all metrics, not just each task's primary one."
    )
    ignore_prompt = right.toggle(
        "Ignore prompt differences",
        key="leaderboard-ignore-prompt",
        help="Let runs with different prompts share a column.",
    )
    skipped: list[str] = []
    board = build_leaderboard(_iter_metrics(skipped), all_metrics=all_metrics, split_by_prompt=not ignore_prompt)
    tasks = list(dict.fromkeys(column.signature.task for column in board.columns))
    selected_tasks = left.multiselect("Tasks", tasks, key="leaderboard-tasks", placeholder="all tasks")
    columns = [column for column in board.columns if not selected_tasks or column.signature.task in selected_tasks]
    if not columns:
        st.info("No run has metrics yet.", icon=":material/inbox:")
        return
    visible_board = _select_columns(board, tuple(columns[:MAX_COLUMNS]))
    if len(columns) > MAX_COLUMNS:
        components.draw_notes(f"Showing {MAX_COLUMNS} of {len(columns)} columns. Select tasks to see others.")
    _draw_tables(visible_board)
    options = SiteOptions(all_metrics=all_metrics, split_by_prompt=not ignore_prompt)
    paths = [entry.path for entry in run_list.list_runs("run")[: run_data.MAX_CACHED_METRICS] if not entry.error]
    files = (
        ("Website", "leaderboard.zip", partial(build_website, paths, options)),
        ("CSV", "leaderboard.csv", visible_board.to_csv),
        ("Markdown", "leaderboard.md", visible_board.to_markdown),
        ("LaTeX", "leaderboard.tex", visible_board.to_latex),
    )
    components.draw_downloads("leaderboard", files)
    _draw_speed_chart(visible_board)
    _draw_footnotes(board, visible_board, skipped)


def _iter_metrics(skipped: list[str]) -> Iterator[tuple[str, Metrics]]:
    for entry in run_list.list_runs("run")[: run_data.MAX_CACHED_METRICS]:
        if entry.error:
            skipped.append(f"{entry.name}: {entry.error}")
            continue
        try:
            yield entry.name, run_data.load_metrics(entry.path)
        except DataError as error:
            skipped.append(f"{entry.name}: {error}")


def _select_columns(full_board: Leaderboard, columns: tuple[Column, ...]) -> Leaderboard:
    rows = tuple(
        Row(row.model, row.arguments, cells)
        for row in full_board.rows
        if (cells := {column: row.cells[column] for column in columns if column in row.cells})
    )
    return Leaderboard(columns, rows, full_board.replaced_count)


def _draw_tables(visible_board: Leaderboard) -> None:
    """Draw the columns in tables that fit on the screen, each with the models that have a result in it."""
    titles = visible_board.column_titles()
    for columns in split_columns(visible_board.columns):
        _draw_table(_select_columns(visible_board, columns), titles)
    components.draw_notes(
        "Bold: best. Below each value: 95 % interval. Bars in a column share a scale. Speeds are those of "
        "the slowest run of a model.",
        *(f"{title}: {FACT_DESCRIPTIONS[title]}" for title in SPEEDS.values()),
        *([f"{note}."] if (note := visible_board.few_units_note) else []),
    )


def split_columns(columns: Sequence[Column]) -> list[tuple[Column, ...]]:
    """Split columns into tables of at most `COLUMNS_PER_TABLE`; those of a task stay together if they fit."""
    tables: list[tuple[Column, ...]] = []
    for _, of_task in groupby(columns, key=lambda column: column.signature.task):
        task_columns = tuple(of_task)
        if tables and len(tables[-1]) + len(task_columns) <= COLUMNS_PER_TABLE:
            tables[-1] += task_columns
        else:
            starts = range(0, len(task_columns), COLUMNS_PER_TABLE)
            tables += [task_columns[start : start + COLUMNS_PER_TABLE] for start in starts]
    return tables


def _draw_table(board: Leaderboard, titles: Mapping[Column, str]) -> None:
    columns = [(column, board.best(column), _column_scale(board, column)) for column in board.columns]
    rows = []
    for row in board.rows:
        arguments = Markup('<small class="muted">{}</small>').format(mark_breaks(row.arguments))
        model = components.stack_lines(mark_breaks(row.model), arguments)
        cells = (_cell_markup(row.cells.get(column), best, scale) for column, best, scale in columns)
        rows.append([model, *cells, *map(format_speed, row.speeds.values())])
    components.draw_table(["Model", *(titles[column] for column in board.columns), *SPEEDS.values()], rows)


def _column_scale(visible_board: Leaderboard, column: Column) -> Scale:
    cells = [row.cells[column] for row in visible_board.rows if column in row.cells]
    return Scale.fit(collect_extents(cell.number for cell in cells))


def _cell_markup(cell: Cell | None, best: float | None, scale: Scale) -> Markup:
    if cell is None:
        return Markup('<span class="muted absent">–</span>')
    is_best = cell.complete and cell.value is not None and cell.value == best
    details = (
        cell.interval,
        f"coverage {cell.coverage}" if cell.coverage else "",
        "" if cell.complete else "unfinished",
    )
    return components.stack_lines(
        Markup("<strong>{}</strong>").format(cell.text) if is_best else cell.text,
        components.build_interval_bar(scale, cell.number.shown_ends[0], cell.value, cell.number.shown_ends[1]),
        *(Markup('<small class="muted">{}</small>').format(detail) for detail in details if detail),
    )


def _draw_speed_chart(visible_board: Leaderboard) -> None:
    """Draw a metric against speed, for a column of error rates or shares."""
    titles = visible_board.column_titles()
    columns = {
        titles[column]: column
        for column in visible_board.columns
        if column.unit == "share" and len(_speed_points(visible_board, column)) > 1
    }
    if not columns:
        return
    st.header("Quality against speed", anchor=False)
    column = columns[str(st.selectbox("Metric", list(columns), key="leaderboard-speed"))]
    direction = column.direction.phrase
    frame, title = pd.DataFrame(_speed_points(visible_board, column)), f"{column.metric_title} ({direction})"
    draw_chart(charts.speed_error_chart(frame, title), alt="Quality against speed of each model")
    components.draw_notes(
        "Throughput depends on the machine each run used, its load at the time and the number of requests in flight."
    )


def _speed_points(visible_board: Leaderboard, column: Column) -> list[dict[str, Any]]:
    return [
        {
            "model": row.title,
            "value": cell.value,
            "low": cell.number.shown_ends[0],
            "high": cell.number.shown_ends[1],
            "throughput": cell.throughput,
        }
        for row in visible_board.rows
        if (cell := row.cells.get(column)) and cell.throughput and cell.value is not None
    ]


def _draw_footnotes(full_board: Leaderboard, visible_board: Leaderboard, skipped: list[str]) -> None:
    with st.expander("Column details and skipped runs", icon=":material/info:"):
        titles = visible_board.column_titles()
        signatures = [(titles[column], column.signature) for column in visible_board.columns]
        rows = [
            [title, signature.task, signature.revision or "local", signature.inferencer or "any", str(signature.metric)]
            for title, signature in signatures
        ]
        components.draw_table(["Column", "Task", "Data", "Prompt", "Metric"], rows, 5)
        if full_board.replaced_count:
            components.draw_notes(
                f"{full_board.replaced_count} results of older runs (same model, arguments and column) are hidden; "
                "only the newest is shown."
            )
        components.draw_notes(*(f"Skipped: {reason}" for reason in skipped[:50]))
