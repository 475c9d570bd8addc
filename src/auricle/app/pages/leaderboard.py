"""Leaderboard: all runs of the shelf as one table, in which only like stands below like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.app.theme import chart, head
from auricle.app.views import charts, components, run_picker
from auricle.app.views.error_boundary import guarded
from auricle.core.errors import DataError
from auricle.report.formatting import Scale, title
from auricle.report.leaderboard import Board, Cell, Column, Row, board
from auricle.report.markup import Child, tag
from auricle.report.number_format import coverage_of

MOST_COLUMNS = 12
MOST_RUNS = 500


def page() -> None:
    """Models against tasks, with intervals, coverage and speed."""
    head(
        "Leaderboard",
        "Every model on every task. Only runs of the same data, asked and "
        "scored in the same way, share a column.",
    )
    components.dress()
    with guarded():
        _board()


def _board() -> None:
    first, second, third = st.columns([2, 1, 1], vertical_alignment="bottom")
    every = second.toggle("Every metric", key="leaderboard-every", help="Or only each task's first")
    loose = third.toggle(
        "However asked",
        key="leaderboard-loose",
        help="Let runs that were asked in other ways share a column",
    )
    skipped: list[str] = []
    found = board(_runs(skipped), every=every, strict=not loose)
    tasks = list(dict.fromkeys(each.task for each in found.columns))
    kept = first.multiselect("Tasks", tasks, key="leaderboard-tasks", placeholder="all tasks")
    columns = [each for each in found.columns if not kept or each.task in kept]
    if not columns:
        st.info("No run in the runs folder has a number yet.", icon=":material/inbox:")
        return
    shown = _narrowed(found, tuple(columns[:MOST_COLUMNS]))
    if len(columns) > MOST_COLUMNS:
        components.say(
            f"{MOST_COLUMNS} of {len(columns)} columns are shown; choose tasks for others."
        )
    _table(shown)
    _exports(shown)
    _speed(shown)
    _footnotes(found, shown, skipped)


def _runs(skipped: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in run_picker.entries("run")[:MOST_RUNS]:
        if entry.reason:
            skipped.append(f"{entry.name}: {entry.reason}")
            continue
        try:
            found = run_data.document(entry.path)
        except DataError as error:
            skipped.append(f"{entry.name}: {error}")
            continue
        yield entry.name, found


def _narrowed(found: Board, columns: tuple[Column, ...]) -> Board:
    rows = tuple(
        Row(row.model, row.arguments, kept)
        for row in found.rows
        if (kept := {each: row.cells[each] for each in columns if each in row.cells})
    )
    return Board(columns, rows, found.replaced)


def _table(shown: Board) -> None:
    scales = {each: _scale(shown, each) for each in shown.columns}
    heads = [f"{each.title} {each.arrow}" for each in shown.columns]
    rows: list[list[Child]] = [
        [
            components.stacked(row.model, tag("small", row.arguments, class_="quiet")),
            *(_cell(row.cells.get(each), shown.best(each), scales[each]) for each in shown.columns),
            f"{row.rtfx:,.1f}" if row.rtfx else "–",
        ]
        for row in shown.rows
    ]
    components.show(components.table(["Model", *heads, "RTFx"], rows))
    components.say(
        "Best in bold; below it the 95 % interval. Bars of one column share a scale. RTFx "
        "is seconds of sound answered a second, of the slowest run of a model."
    )


def _scale(shown: Board, column: Column) -> Scale:
    cells = [row.cells[column] for row in shown.rows if column in row.cells]
    return Scale.over(each.number[end] for each in cells for end in ("value", "low", "high"))


def _cell(cell: Cell | None, best: float | None, scale: Scale) -> Child:
    if cell is None:
        return tag("span", "–", class_="quiet")
    leading = cell.complete and cell.value is not None and cell.value == best
    covered = coverage_of(cell.number)
    beside = cell.interval + ("" if covered == "100 %" else f", {covered} covered")
    return components.stacked(
        tag("strong", cell.text) if leading else cell.text,
        components.mark(scale, cell.number["low"], cell.value, cell.number["high"]),
        tag("small", beside if cell.complete else f"{beside}, unfinished", class_="quiet"),
    )


def _exports(shown: Board) -> None:
    made = {
        "CSV": (shown.csv, "leaderboard.csv", "text/csv"),
        "Markdown": (shown.markdown, "leaderboard.md", "text/markdown"),
        "LaTeX": (shown.latex, "leaderboard.tex", "text/x-tex"),
    }
    with st.container(horizontal=True):
        for label, (make, name, kind) in made.items():
            st.download_button(
                label,
                make(),
                name,
                kind,
                icon=":material/download:",
                on_click="ignore",
                key=f"leaderboard-{label}",
            )


def _speed(shown: Board) -> None:
    """How good against how fast, for a column of error rates or shares."""
    known = {
        f"{each.title} {each.metric}": each
        for each in shown.columns
        if each.unit == "share" and len(_placed(shown, each)) > 1
    }
    if not known:
        return
    st.subheader("How good, how fast", anchor=False)
    name = str(st.selectbox("Number", list(known), key="leaderboard-speed"))
    column = known[name]
    better = "higher is better" if column.higher_is_better else "lower is better"
    chart(
        charts.speed_and_error(
            pd.DataFrame(_placed(shown, column)), f"{title(column.name)} ({better})"
        ),
        alt="Error against speed of each model",
    )
    components.say(
        "Speeds are those of the machine each run was made on, and of what else ran there."
    )


def _placed(shown: Board, column: Column) -> list[dict[str, Any]]:
    return [
        {
            "model": row.title,
            "value": cell.value,
            "low": cell.number["low"],
            "high": cell.number["high"],
            "rtfx": cell.rtfx,
        }
        for row in shown.rows
        if (cell := row.cells.get(column)) and cell.rtfx and cell.value is not None
    ]


def _footnotes(found: Board, shown: Board, skipped: list[str]) -> None:
    with st.expander("Columns, and what is left out", icon=":material/info:"):
        rows: list[list[Child]] = [
            [each.title, each.task, each.revision or "local", each.asked or "however", each.metric]
            for each in shown.columns
        ]
        components.show(components.table(["Column", "Task", "Data", "Asked", "Metric"], rows, 5))
        if found.replaced:
            components.say(
                f"{found.replaced} numbers are of older runs of the same model, arguments "
                "and column: the newest stands for them."
            )
        components.say(*(f"Left out: {each}" for each in skipped[:50]))
