"""The table of runs: status, numbers and notes, with a filter, actions on ticked runs, and a trash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import navigation
from auricle.app.theme import PERSIST_STATE, escape_markdown
from auricle.app.views import components
from auricle.app.views.run_list import list_runs
from auricle.app.workspace import current_workspace
from auricle.core.errors import AuricleError, SpecError
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
CHANGED = "run-table-changed"
"""Set in the state of a session when its user has changed runs, until they are drawn again."""
FILTER_HELP = """
Words are searched in the name, title, model, task, tags and note. All terms must match; a leading `-` excludes.

| term | finds |
|---|---|
| `status:failed` | running, stopped, failed or done; also `model:`, `task:`, `tag:`, `note:`, `name:` and `metric:` |
| `wer>20` | runs with a WER above 20 %; any metric, and `n`, `failed`, `coverage` and `cost` |
| `duration>1h`, `date>=2026-11` | long runs; runs since November |
"""


TABLE_WIDTH = 900
"""Pixels for columns on a screen of 1,280: beyond them, columns are shown only if they are chosen."""
CHARACTER_WIDTH, CELL_PADDING = 7.0, 20
"""Approximate pixels of a letter and of the space around a text."""


@dataclass(frozen=True)
class TableColumn:
    """A column: its title, its value of a run, and how it is shown."""

    title: str
    value: Callable[[RunSummary], Any]
    config: Mapping[str, Any] = field(default_factory=dict)
    max_width: int = 0
    """Pixels up to which a column of texts is as wide as its longest text."""
    is_useful: Callable[[RunSummary], bool] = lambda run: True
    """Whether the column is worth its space because of this run."""

    def width(self, runs: Sequence[RunSummary]) -> int:
        """Return the width of the column in pixels, for these runs."""
        if not self.max_width:
            return int(self.config["width"])
        longest = max((len(str(self.value(run))) for run in runs), default=0)
        return min(self.max_width, round(CHARACTER_WIDTH * max(longest, len(self.title)) + CELL_PADDING))


COLUMNS = (
    TableColumn("Run", lambda run: run.title, max_width=200),
    TableColumn(
        "Value",
        lambda run: run.shown_value(run.headline.metric) if run.headline else None,
        {"format": "%.2f", "width": 60, "help": "In per cent where the column Metric has a %."},
    ),
    TableColumn("95 % interval", lambda run: typeset_interval(run.headline) if run.headline else "", max_width=130),
    TableColumn("Metric", lambda run: describe_metric(run.headline), max_width=160),
    TableColumn("Status", describe_status, max_width=180),
    TableColumn("n", lambda run: run.scored, {"format": "localized", "width": 58, "help": "Samples with a score."}),
    TableColumn(
        "Failed", lambda run: run.failed, {"format": "localized", "width": 62}, is_useful=lambda run: bool(run.failed)
    ),
    TableColumn("Model", lambda run: run.model, max_width=140),
    TableColumn("Task", lambda run: run.task, max_width=140),
    TableColumn(
        "Coverage",
        lambda run: run.coverage,
        {"format": "percent", "width": 80},
        is_useful=lambda run: run.coverage is not None and run.coverage < 1,
    ),
    TableColumn("Date", lambda run: run.created[:16].replace("T", " "), max_width=140),
    TableColumn(
        "Minutes", lambda run: None if run.seconds is None else run.seconds / 60, {"format": "%.1f", "width": 72}
    ),
    TableColumn(
        "Cost", lambda run: run.cost, {"format": "%.4g", "width": 70}, is_useful=lambda run: run.cost is not None
    ),
    TableColumn(
        "Tags", lambda run: ", ".join(run.notes.tags), max_width=160, is_useful=lambda run: bool(run.notes.tags)
    ),
    TableColumn("Note", lambda run: run.notes.note, max_width=300, is_useful=lambda run: False),
    TableColumn("Folder", lambda run: run.name, max_width=300, is_useful=lambda run: False),
)
IMPORTANCE = (
    *("Run", "Value", "Status", "95 % interval", "Metric", "n", "Failed", "Tags"),
    *("Model", "Task", "Date", "Cost", "Coverage", "Minutes"),
)
"""Columns in the order in which they are given space."""
NUMBER_COLUMNS = {"Value", "n", "Failed", "Coverage", "Minutes", "Cost"}


def choose_default_columns(runs: Sequence[RunSummary]) -> list[str]:
    """Return the columns to show unless others are chosen: the most important ones that fit without scrolling."""
    columns = {column.title: column for column in COLUMNS}
    chosen: set[str] = set()
    space = TABLE_WIDTH
    for title in IMPORTANCE:
        width = columns[title].width(runs)
        if width <= space and any(map(columns[title].is_useful, runs)):
            chosen.add(title)
            space -= width
    return [title for title in columns if title in chosen]


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
    st.header("Runs", anchor=False)
    is_running = any(run.status == "running" for run in runs)
    listed = [runs]  # for the first time that the table is drawn
    st.fragment(run_every=REFRESH_SECONDS if is_running else None)(_draw_table)(key, kinds, listed)


def _draw_table(key: str, kinds: Sequence[str], listed: list[list[RunSummary]]) -> None:
    if st.session_state.pop(CHANGED, False):
        st.rerun()  # the rest of the page shows runs, too
    runs = listed.pop() if listed else list_runs(*kinds)
    matching, titles = _draw_controls(key, runs)
    frame = build_frame(matching, titles)
    # Ticks are row numbers, so another list of runs is another table.
    table_key = f"{key}-table-{hash(tuple(run.name for run in matching))}"
    types: Any = st.column_config
    config = {
        column.title: (types.NumberColumn if column.title in NUMBER_COLUMNS else types.TextColumn)(
            **{**column.config, "width": column.width(matching)}
        )
        for column in COLUMNS
    }
    height = min(MAX_HEIGHT, ROW_HEIGHT * (len(frame) + 1) + 3)
    state: Any = st.dataframe(
        frame, key=table_key, hide_index=True, height=height, column_config=config, row_height=ROW_HEIGHT,
        on_select="rerun", selection_mode=["multi-row", "single-cell"], alt="Runs", placeholder="–",
    )  # fmt: skip
    for row, title in state["selection"].get("cells", ()):
        if title == COLUMNS[0].title and row < len(matching):
            page = "performance" if matching[row].kind == "perf" else "benchmark"
            st.switch_page(navigation.get_page(page), query_params={"run": matching[row].name})
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
    default = choose_default_columns(runs)
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
        st.button(
            "Delete", icon=":material/delete:", key=f"{key}-delete", on_click=_change, args=(partial(_delete, runs),)
        )
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
    shared = [tag for tag in notes.tags if all(tag in run.notes.tags for run in runs)]
    form_key = f"{key}-edit-{hash(tuple((run.name, run.notes) for run in runs))}"
    title_key, tags_key, note_key = (f"{form_key}-{name}" for name in ("title", "tags", "note"))

    def save() -> None:
        title, tags, note = (st.session_state.get(name, "") for name in (title_key, tags_key, note_key))
        entered = RunNotes.clean(title, tags, note)
        for run in runs:
            _save(run, entered if is_single else _replace_tags(run.notes, shared, entered.tags))

    with st.popover("Edit" if is_single else "Tag", icon=":material/edit:"), st.form(form_key, border=False):
        if is_single:
            st.text_input("Title", notes.title, placeholder=runs[0].name, key=title_key)
        st.text_input("Tags", " ".join(shared), placeholder="paper final", key=tags_key)
        if is_single:
            st.text_area("Note", notes.note, key=note_key)
        st.form_submit_button("Save", type="primary", on_click=_change, args=(save,))


def _change(change: Callable[[], None]) -> None:
    """Change runs when a button is clicked.

    Streamlit calls this before it draws anything: an input that follows at once interrupts drawing, and a change that
    the click led to there would be lost.
    """
    try:
        change()
        st.session_state[CHANGED] = True
    except (AuricleError, OSError) as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:")


def _replace_tags(notes: RunNotes, shared: Sequence[str], tags: Sequence[str]) -> RunNotes:
    """Return the notes with other tags instead of those that all ticked runs share."""
    own = [tag for tag in notes.tags if tag not in shared]
    return RunNotes(title=notes.title, tags=tuple(dict.fromkeys([*own, *tags])), note=notes.note)


def _save(run: RunSummary, notes: RunNotes) -> None:
    write_run_notes(current_workspace().resolve_run(run.name), notes)


def _delete(runs: Sequence[RunSummary]) -> None:
    workspace = current_workspace()
    for run in runs:
        workspace.resolve_run(run.name)
        move_to_trash(workspace.root, run.name)
    st.toast(f"{len(runs)} moved to the trash.", icon=":material/delete:")


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
                restore = partial(restore_run, root, deleted)
                st.button("Restore", key=f"{key}-restore-{deleted.path}", on_click=_change, args=(restore,))
        empty = partial(empty_trash, root)
        st.button("Empty the trash", type="primary", key=f"{key}-empty-trash", on_click=_change, args=(empty,))
