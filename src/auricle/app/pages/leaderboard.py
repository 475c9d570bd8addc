"""Leaderboard: all runs of the shelf as one table, in which only like stands below like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_chart, draw_header
from auricle.app.views import charts, components, run_picker
from auricle.app.views.error_boundary import error_boundary
from auricle.core.errors import DataError
from auricle.report.html_format import Scale, metric_title
from auricle.report.leaderboard import Cell, Column, Leaderboard, Row, build_leaderboard
from auricle.report.markup import Child, tag
from auricle.report.text_format import format_coverage

MAX_COLUMNS = 12
MAX_RUNS = 500


def page() -> None:
    """Models against tasks, with intervals, coverage and speed."""
    draw_header(
        "Leaderboard",
        "Every model on every task. Only runs of the same data, asked and scored in the same way, share a column.",
    )
    components.apply_styles()
    with error_boundary():
        _draw_leaderboard()


def _draw_leaderboard() -> None:
    first, second, third = st.columns([2, 1, 1], vertical_alignment="bottom")
    every = second.toggle("Every metric", key="leaderboard-every", help="Or only each task's first")
    loose = third.toggle(
        "However asked", key="leaderboard-loose", help="Let runs that were asked in other ways share a column"
    )
    skipped: list[str] = []
    found = build_leaderboard(_iter_documents(skipped), all_metrics=every, split_by_prompt=not loose)
    tasks = list(dict.fromkeys(each.task for each in found.columns))
    kept = first.multiselect("Tasks", tasks, key="leaderboard-tasks", placeholder="all tasks")
    columns = [each for each in found.columns if not kept or each.task in kept]
    if not columns:
        st.info("No run in the runs folder has a number yet.", icon=":material/inbox:")
        return
    shown = _select_columns(found, tuple(columns[:MAX_COLUMNS]))
    if len(columns) > MAX_COLUMNS:
        components.draw_notes(f"{MAX_COLUMNS} of {len(columns)} columns are shown; choose tasks for others.")
    _draw_table(shown)
    _draw_downloads(shown)
    _draw_speed_chart(shown)
    _draw_footnotes(found, shown, skipped)


def _iter_documents(skipped: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in run_picker.list_entries("run")[:MAX_RUNS]:
        if entry.error:
            skipped.append(f"{entry.name}: {entry.error}")
            continue
        try:
            found = run_data.load_metrics(entry.path)
        except DataError as error:
            skipped.append(f"{entry.name}: {error}")
            continue
        yield entry.name, found


def _select_columns(full_board: Leaderboard, columns: tuple[Column, ...]) -> Leaderboard:
    rows = tuple(
        Row(row.model, row.arguments, kept)
        for row in full_board.rows
        if (kept := {each: row.cells[each] for each in columns if each in row.cells})
    )
    return Leaderboard(columns, rows, full_board.replaced_count)


def _draw_table(visible_board: Leaderboard) -> None:
    scales = {each: _column_scale(visible_board, each) for each in visible_board.columns}
    heads = [f"{each.title} {each.arrow}" for each in visible_board.columns]
    rows: list[list[Child]] = [
        [
            components.stack_lines(row.model, tag("small", row.arguments, class_="quiet")),
            *(
                _cell_markup(row.cells.get(each), visible_board.best(each), scales[each])
                for each in visible_board.columns
            ),
            f"{row.rtfx:,.1f}" if row.rtfx else "–",
        ]
        for row in visible_board.rows
    ]
    components.draw_markup(components.build_table(["Model", *heads, "RTFx"], rows))
    components.draw_notes(
        "Best in bold; below it the 95 % interval. Bars of one column share a scale. RTFx "
        "is seconds of sound answered a second, of the slowest run of a model."
    )


def _column_scale(visible_board: Leaderboard, column: Column) -> Scale:
    cells = [row.cells[column] for row in visible_board.rows if column in row.cells]
    return Scale.fit(each.number[end] for each in cells for end in ("value", "low", "high"))


def _cell_markup(cell: Cell | None, best: float | None, scale: Scale) -> Child:
    if cell is None:
        return tag("span", "–", class_="quiet")
    leading = cell.complete and cell.value is not None and cell.value == best
    covered = format_coverage(cell.number)
    beside = cell.interval + ("" if covered == "100 %" else f", {covered} covered")
    return components.stack_lines(
        tag("strong", cell.text) if leading else cell.text,
        components.build_interval_bar(scale, cell.number["low"], cell.value, cell.number["high"]),
        tag("small", beside if cell.complete else f"{beside}, unfinished", class_="quiet"),
    )


def _draw_downloads(visible_board: Leaderboard) -> None:
    made = {
        "CSV": (visible_board.to_csv, "leaderboard.csv", "text/csv"),
        "Markdown": (visible_board.to_markdown, "leaderboard.md", "text/markdown"),
        "LaTeX": (visible_board.to_latex, "leaderboard.tex", "text/x-tex"),
    }
    with st.container(horizontal=True):
        for label, (make, name, kind) in made.items():
            st.download_button(
                label, make(), name, kind, icon=":material/download:", on_click="ignore", key=f"leaderboard-{label}"
            )


def _draw_speed_chart(visible_board: Leaderboard) -> None:
    """How good against how fast, for a column of error rates or shares."""
    known = {
        f"{each.title} {each.metric}": each
        for each in visible_board.columns
        if each.unit == "share" and len(_speed_points(visible_board, each)) > 1
    }
    if not known:
        return
    st.subheader("How good, how fast", anchor=False)
    name = str(st.selectbox("Number", list(known), key="leaderboard-speed"))
    column = known[name]
    better = "higher is better" if column.higher_is_better else "lower is better"
    draw_chart(
        charts.speed_error_chart(
            pd.DataFrame(_speed_points(visible_board, column)), f"{metric_title(column.name)} ({better})"
        ),
        alt="Error against speed of each model",
    )
    components.draw_notes("Speeds are those of the machine each run was made on, and of what else ran there.")


def _speed_points(visible_board: Leaderboard, column: Column) -> list[dict[str, Any]]:
    return [
        {
            "model": row.title,
            "value": cell.value,
            "low": cell.number["low"],
            "high": cell.number["high"],
            "rtfx": cell.rtfx,
        }
        for row in visible_board.rows
        if (cell := row.cells.get(column)) and cell.rtfx and cell.value is not None
    ]


def _draw_footnotes(full_board: Leaderboard, visible_board: Leaderboard, skipped: list[str]) -> None:
    with st.expander("Columns, and what is left out", icon=":material/info:"):
        rows: list[list[Child]] = [
            [each.title, each.task, each.revision or "local", each.inferencer or "however", each.metric]
            for each in visible_board.columns
        ]
        components.draw_markup(components.build_table(["Column", "Task", "Data", "Asked", "Metric"], rows, 5))
        if full_board.replaced_count:
            components.draw_notes(
                f"{full_board.replaced_count} numbers are of older runs of the same model, arguments "
                "and column: the newest stands for them."
            )
        components.draw_notes(*(f"Left out: {each}" for each in skipped[:50]))
