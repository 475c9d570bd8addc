"""Tests of the table of runs; ticks and clicks are tested in a browser."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from auricle.app.views import run_table
from auricle.app.views.run_table import COLUMNS, TABLE_WIDTH, build_frame, choose_default_columns
from auricle.app.workspace import Workspace
from auricle.runs.run_directory import lock_run
from auricle.runs.run_notes import RunNotes, read_run_notes, write_run_notes
from auricle.runs.run_summary import RunSummary
from auricle.runs.trash import list_trash, move_to_trash
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import draw_page, find_button
from tests.support.app_runs import make_number


def summary(**fields: Any) -> RunSummary:
    return RunSummary(name="a", path=Path("a"), **fields)


def test_frame_has_numbers_as_they_are_shown() -> None:
    number = make_number("wer", value=0.05, low=0.04, high=0.06, scored=90, total=100, unit="share")
    run = summary(numbers=(number,), seconds=90.0, created="2026-11-17T12:00:00+00:00", notes=RunNotes(tags=("a", "b")))
    (row,) = build_frame([run], [column.title for column in COLUMNS]).to_dict("records")
    assert (row["Value"], row["n"], row["Coverage"], row["Minutes"]) == (5.0, 90.0, 0.9, 1.5)
    assert (row["95 % interval"], row["Date"], row["Tags"]) == ("4.00 – 6.00", "2026-11-17 12:00", "a, b")


def test_run_without_numbers_has_empty_cells() -> None:
    frame = build_frame([summary()], ["Run", "Value", "n"])
    assert list(frame.columns) == ["Run", "Value", "n"]
    assert frame[["Value", "n"]].isna().all(axis=None)


def test_default_columns_fit_the_screen_and_leave_out_what_no_run_has() -> None:
    number = make_number("option_accuracy", value=0.5, low=0.4, high=0.6, scored=90, total=90)
    done = summary(numbers=(number,), failed=0, model="whisper", task="asr-mine", created="2026-11-17T12:00:00")
    assert choose_default_columns([done]) == [
        *("Run", "Value", "95 % interval", "Metric", "Status", "n", "Model", "Task", "Date", "Minutes")
    ]
    long_names = summary(numbers=(number,), model="m" * 30, task="t" * 30, failed=3, status="running", done=3, total=9)
    chosen = choose_default_columns([done, long_names])
    assert "Failed" in chosen
    assert "Task" not in chosen
    widths = [column.width([done, long_names]) for column in COLUMNS if column.title in chosen]
    assert sum(widths) <= TABLE_WIDTH


def test_a_column_is_as_wide_as_its_longest_text_up_to_a_limit() -> None:
    (run_column, *_) = COLUMNS
    widths = [run_column.width([RunSummary(name=name, path=Path(name))]) for name in ("a", "a" * 20, "a" * 90)]
    assert widths == [41, 160, 200]


# --- the pages ----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["home", "benchmark"])
def test_pages_list_runs_with_their_numbers(draw: DrawRun, runs: Path, page: str) -> None:
    frame = draw(page, runs).dataframe[0].value.set_index("Run")
    assert frame.loc["asr-small", "Metric"] == "WER, % ↓"
    assert frame.loc["asr-small", "Model"] == "Recogniser"
    assert frame.loc["quiz-good", "n"] == 16
    assert set(frame["Status"]) == {"✓ done"}


def test_filter_selects_runs_and_explains_what_is_wrong_with_it(draw: DrawRun, runs: Path) -> None:
    app = draw("home", runs, fresh=True)
    app.text_input(key="home-filter").set_value("task:asr wer<20").run()
    assert list(app.dataframe[0].value["Run"]) == ["asr-large"]
    assert app.caption[0].value.startswith("1 of 12 runs.")
    app.text_input(key="home-filter").set_value("wer>much").run()
    assert "Not a number in the filter" in app.warning[0].value
    assert len(app.dataframe[0].value) == 12


def test_columns_can_be_chosen(draw: DrawRun, runs: Path) -> None:
    app = draw("home", runs, fresh=True)
    app.multiselect(key="home-columns").set_value(["Note", "Run"]).run()
    assert list(app.dataframe[0].value.columns) == ["Run", "Note"]


@pytest.fixture
def own_runs(workspace: Workspace, runs: Path) -> Workspace:
    """Return a workspace with copies of two runs."""
    for name in ("asr-small", "asr-large"):
        shutil.copytree(runs / name, workspace.root / name)
    return workspace


def test_run_that_is_being_written_comes_first(own_runs: Workspace) -> None:
    for name in ("asr-small", "asr-large"):
        with lock_run(own_runs.root / name):
            frame = draw_page("home").dataframe[0].value
        assert (frame["Run"][0], frame["Status"][0]) == (name, "▶ running 16 of 16")


def test_title_and_tags_are_shown(own_runs: Workspace) -> None:
    write_run_notes(own_runs.root / "asr-small", RunNotes(title="The *small* one", tags=("paper",)))
    frame = draw_page("home").dataframe[0].value.set_index("Run")
    assert frame.loc["The *small* one", "Tags"] == "paper"


def test_deleted_run_is_restored_or_deleted_for_good(own_runs: Workspace) -> None:
    for name in ("asr-small", "asr-large"):
        move_to_trash(own_runs.root, name)
    app = draw_page("home")
    next(button for button in app.button if button.label == "Restore").click().run()
    assert len(list_trash(own_runs.root)) == 1
    assert len(app.dataframe[0].value) == 1
    find_button(app, "Empty the trash").click().run()
    assert list_trash(own_runs.root) == []
    assert "Empty the trash" not in [button.label for button in app.button]


def test_tags_of_several_runs_keep_what_each_has_alone() -> None:
    notes = RunNotes(title="x", tags=("own", "shared"), note="y")
    assert run_table._replace_tags(notes, ["shared"], ["new"]) == RunNotes(title="x", tags=("own", "new"), note="y")


def test_notes_are_written_to_the_run(own_runs: Workspace) -> None:
    run = RunSummary(name="asr-small", path=own_runs.root / "asr-small")
    run_table._save(run, RunNotes(title="Renamed"))
    assert read_run_notes(run.path).title == "Renamed"


EDITOR = """
import streamlit as st
from auricle.app.views import run_table
from auricle.app.views.run_list import list_runs
if "interrupted" in st.session_state:
    st.stop()
runs = sorted(list_runs(), key=lambda run: run.name)
run_table._draw_editor("key", [run for run in runs if run.name.startswith("asr")][:{count}])
"""


@pytest.mark.parametrize("count", [1, 2])
def test_notes_are_saved_though_drawing_is_interrupted_before_the_form(own_runs: Workspace, count: int) -> None:
    write_run_notes(own_runs.root / "asr-small", RunNotes(tags=("own",)))
    app = AppTest.from_string(EDITOR.format(count=count), default_timeout=60).run()
    next(field for field in app.text_input if field.label == "Tags").set_value("paper, final")
    app.session_state["interrupted"] = True  # as by an input that follows at once
    find_button(app, "Save").click().run()
    tags = [read_run_notes(own_runs.root / name).tags for name in ("asr-large", "asr-small")]
    assert tags == ([("paper", "final"), ("own",)] if count == 1 else [("paper", "final"), ("own", "paper", "final")])


def test_change_that_is_not_possible_is_explained(own_runs: Workspace) -> None:
    move_to_trash(own_runs.root, "asr-small")
    app = draw_page("home")
    (own_runs.root / "asr-small").mkdir()
    find_button(app, "Restore").click().run()
    assert "Cannot restore" in app.toast[0].value
    assert len(list_trash(own_runs.root)) == 1
