"""The table of runs: status, numbers and notes, with a filter, actions on ticked runs, and a trash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import navigation
from auricle.app.theme import PERSIST_STATE, escape_markdown
from auricle.app.views import components
from auricle.app.views.run_list import list_runs
from auricle.app.workspace import current_workspace
from auricle.core.errors import SpecError
from auricle.report.html_format import typeset_interval, typeset_value
from auricle.report.run_list import describe_metric, describe_status
from auricle.runs.metrics import Number
from auricle.runs.run_filter import RunFilter
from auricle.runs.run_notes import RunNotes, write_run_notes
from auricle.runs.run_summary import RunSummary
from auricle.runs.trash import empty_trash, list_trash, move_to_trash, restore_run

REFRESH_SECONDS = 2.0
ROW_HEIGHT, MAX_HEIGHT = 35, 560
"""Pixels."""
MAX_COMPARED = 6
FILTER_HELP = """
Words are searched in the name, title, model, task, tags and note. All terms must match; a leading `-` excludes.

| term | finds |
|---|---|
| `status:failed` | running, stopped, failed or done; also `model:`, `task:`, `tag:`, `note:`, `name:` and `metric:` |
| `wer>20` | runs with a WER above 20 %; any metric, and `n`, `failed`, `coverage` and `cost` |
| `duration>1h`, `date>=2026-11` | long runs; runs since November |
"""


@dataclass(frozen=True)
class TableColumn:
    """A column: its title, its value of a run, and how it is shown."""

    title: str
    value: Callable[[RunSummary], Any]
    config: Mapping[str, Any] = field(default_factory=dict)
    is_default: bool = True


def _text(**options: Any) -> Any:
    return st.column_config.TextColumn(**options)


def _number(**options: Any) -> Any:
    return st.column_config.NumberColumn(**options)


COLUMNS = (
    TableColumn("Run", lambda run: run.title, {"width": 150}),
    TableColumn("Status", describe_status, {"width": 165}),
    TableColumn("Metric", lambda run: describe_metric(run.headline), {"width": 130}),
    TableColumn(
        "Value",
        lambda run: run.shown_value(run.headline.metric) if run.headline else None,
        {"format": "%.2f", "width": 62, "help": "In per cent where the column Metric has a %."},
    ),
    TableColumn("95 % interval", lambda run: typeset_interval(run.headline) if run.headline else "", {"width": 118}),
    TableColumn("n", lambda run: run.scored, {"format": "localized", "width": 58, "help": "Samples with a score."}),
    TableColumn("Failed", lambda run: run.failed, {"format": "localized", "width": 62}),
    TableColumn("Task", lambda run: run.task, {"width": 120}),
    TableColumn("Model", lambda run: run.model, {"width": 140}),
    TableColumn("Coverage", lambda run: run.coverage, {"format": "percent", "width": 80}),
    TableColumn("Date", lambda run: run.created[:16].replace("T", " "), {"width": 130}),
    TableColumn(
        "Minutes", lambda run: None if run.seconds is None else run.seconds / 60, {"format": "%.1f", "width": 72}
    ),
    TableColumn("Cost", lambda run: run.cost, {"format": "%.4g", "width": 70}, is_default=False),
    TableColumn("Tags", lambda run: ", ".join(run.notes.tags), is_default=False),
    TableColumn("Note", lambda run: run.notes.note, is_default=False),
    TableColumn("Folder", lambda run: run.name, is_default=False),
)
NUMBER_COLUMNS = {"Value", "n", "Failed", "Coverage", "Minutes", "Cost"}


def draw_run_table(key: str, *kinds: str) -> None:
    """Draw the runs of these kinds, or all; refreshed every two seconds while one is running.

    Nothing is drawn if there are none, neither in the runs folder nor in the trash.

    Args:
        key: Distinguishes the tables of different pages.
        kinds: `run` and `perf`.
    """
    runs = list_runs(*kinds)
    if not runs and not list_trash(current_workspace().root):
        return
    st.subheader("Runs", anchor=False)
    is_running = any(run.status == "running" for run in runs)
    listed = [runs]  # for the first time that the table is drawn
    st.fragment(run_every=REFRESH_SECONDS if is_running else None)(_draw_table)(key, kinds, listed)


def _draw_table(key: str, kinds: Sequence[str], listed: list[list[RunSummary]]) -> None:
    runs = listed.pop() if listed else list_runs(*kinds)
    matching, titles = _draw_controls(key, runs)
    frame = build_frame(matching, titles)
    # Ticks are row numbers, so another list of runs is another table.
    table_key = f"{key}-table-{hash(tuple(run.name for run in matching))}"
    config: dict[str, Any] = {
        column.title: (_number if column.title in NUMBER_COLUMNS else _text)(**column.config) for column in COLUMNS
    }
    height = min(MAX_HEIGHT, ROW_HEIGHT * (len(frame) + 1) + 3)
    state: Any = st.dataframe(
        frame, key=table_key, hide_index=True, height=height, column_config=config, row_height=ROW_HEIGHT,
        on_select="rerun", selection_mode=["multi-row", "single-cell"], alt="Runs", placeholder="–",
    )  # fmt: skip
    _open_clicked_run(state, matching)
    ticked = [matching[row] for row in state["selection"]["rows"] if row < len(matching)]
    if ticked:
        _draw_actions(key, ticked)


def _draw_controls(key: str, runs: Sequence[RunSummary]) -> tuple[list[RunSummary], list[str]]:
    """Draw the filter, the choice of columns and the trash; return the runs that match and the chosen columns."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Filter runs", key=f"{key}-filter", placeholder="whisper status:done wer>20", help=FILTER_HELP,
            **PERSIST_STATE,
        )  # fmt: skip
        titles = _choose_columns(key, runs)
        _draw_trash(key)
    try:
        run_filter = RunFilter.parse(text or "")
    except SpecError as error:
        st.warning(escape_markdown(error), icon=":material/filter_alt:")
        run_filter = RunFilter()
    matching = [run for run in runs if run_filter.matches(run)]
    shown = f"{len(matching):,} of {len(runs):,} runs" if text else f"{len(runs):,} runs"
    st.caption(f"{shown}. Click the name of a run to open it; tick runs to compare, edit or delete them.")
    return matching, titles


def _choose_columns(key: str, runs: Sequence[RunSummary]) -> list[str]:
    used = {"Cost": any(run.cost is not None for run in runs), "Tags": any(run.notes.tags for run in runs)}
    default = [column.title for column in COLUMNS if column.is_default or used.get(column.title)]
    with st.popover("Columns", icon=":material/view_column:"):
        options: Any = {"key": f"{key}-columns", **PERSIST_STATE}
        return st.multiselect("Columns", [column.title for column in COLUMNS], default, **options) or ["Run"]


def build_frame(runs: Sequence[RunSummary], titles: Sequence[str]) -> pd.DataFrame:
    """Return one row per run, with the columns in their own order."""
    columns = [column for column in COLUMNS if column.title in titles]
    values = {column.title: [column.value(run) for run in runs] for column in columns}
    return pd.DataFrame(
        {
            title: pd.Series(cells, dtype="float" if title in NUMBER_COLUMNS else "str")
            for title, cells in values.items()
        }
    )


def _open_clicked_run(state: Any, runs: Sequence[RunSummary]) -> None:
    """Open the run whose name was clicked."""
    for row, title in state["selection"].get("cells", ()):
        if title == COLUMNS[0].title and row < len(runs):
            page = "performance" if runs[row].kind == "perf" else "benchmark"
            st.switch_page(navigation.get_page(page), query_params={"run": runs[row].name})


# --- actions on ticked runs -----------------------------------------------------------------


def _draw_actions(key: str, runs: Sequence[RunSummary]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{len(runs)} ticked**")
        if len(runs) == 1:
            navigation.draw_page_link(
                "performance" if runs[0].kind == "perf" else "benchmark", "Open", run=runs[0].name
            )
        if len(runs) == 2:
            newer, older = runs
            navigation.draw_page_link("compare", "Compare sample by sample", a=older.name, b=newer.name)
        _draw_editor(key, runs)
        if st.button("Delete", icon=":material/delete:", key=f"{key}-delete"):
            _delete(runs)
    if len(runs) > 1:
        _draw_numbers(runs)


def _draw_numbers(runs: Sequence[RunSummary]) -> None:
    """Draw the numbers of several runs side by side."""
    shown = [run for run in runs if run.numbers][:MAX_COMPARED]
    metrics = dict.fromkeys(number.metric for run in shown for number in run.numbers)
    rows = []
    for metric in metrics:
        numbers = [next((number for number in run.numbers if number.metric == metric), None) for run in shown]
        first = next(number for number in numbers if number)
        rows.append([describe_metric(first), *map(_stack_number, numbers)])
    if rows:
        components.draw_table(["", *(run.title for run in shown)], rows)
    if len(shown) < len(runs):
        components.draw_notes(
            f"Numbers of {len(shown)} of {len(runs)} ticked runs; the others have none or are too many."
        )


def _stack_number(number: Number | None) -> str:
    return components.stack_lines(typeset_value(number), typeset_interval(number)) if number else "–"


def _draw_editor(key: str, runs: Sequence[RunSummary]) -> None:
    """Draw the form for the title, tags and note; of several runs only the tags can be changed."""
    is_single = len(runs) == 1
    notes = runs[0].notes
    form_key = f"{key}-edit-{hash(tuple(run.name for run in runs))}"
    with st.popover("Edit" if is_single else "Tag", icon=":material/edit:"), st.form(form_key, border=False):
        title = st.text_input("Title", notes.title, placeholder=runs[0].name) if is_single else ""
        shared = [tag for tag in notes.tags if all(tag in run.notes.tags for run in runs)]
        tags = st.text_input("Tags", " ".join(shared), placeholder="paper final")
        note = st.text_area("Note", notes.note) if is_single else ""
        if st.form_submit_button("Save", type="primary"):
            for run in runs:
                entered = RunNotes.clean(title, tags, note)
                _save(run, entered if is_single else _replace_tags(run.notes, shared, entered.tags))
            st.rerun()


def _replace_tags(notes: RunNotes, shared: Sequence[str], tags: Sequence[str]) -> RunNotes:
    """Return the notes with other tags instead of those that all ticked runs share."""
    own = [tag for tag in notes.tags if tag not in shared]
    return RunNotes(title=notes.title, tags=tuple(dict.fromkeys([*own, *tags])), note=notes.note)


def _save(run: RunSummary, notes: RunNotes) -> None:
    with components.error_boundary():
        write_run_notes(current_workspace().resolve_run(run.name), notes)


def _delete(runs: Sequence[RunSummary]) -> None:
    workspace = current_workspace()
    with components.error_boundary():
        for run in runs:
            workspace.resolve_run(run.name)
            move_to_trash(workspace.root, run.name)
        st.toast(f"{len(runs)} moved to the trash.", icon=":material/delete:")
        st.rerun()


def _draw_trash(key: str) -> None:
    """Draw the deleted runs, with buttons to restore each and to delete all for good."""
    root = current_workspace().root
    deleted_runs = list_trash(root)
    if not deleted_runs:
        return
    with st.popover(f"Trash ({len(deleted_runs)})", icon=":material/delete:"):
        for deleted in deleted_runs:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(escape_markdown(deleted.name))
                if st.button("Restore", key=f"{key}-restore-{deleted.path}"):
                    with components.error_boundary():
                        restore_run(root, deleted)
                        st.rerun()
        if st.button("Empty the trash", type="primary", key=f"{key}-empty-trash"):
            empty_trash(root)
            st.rerun()
