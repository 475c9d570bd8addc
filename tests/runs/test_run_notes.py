"""Titles, tags and notes of runs."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.runs.run_notes import MAX_TITLE_LENGTH, NOTES_FILE, RunNotes, read_run_notes, write_run_notes


def test_notes_are_read_as_written(tmp_path: Path) -> None:
    notes = RunNotes(title="Best so far", tags=("paper", "final"), note="Two lines\nof text")
    write_run_notes(tmp_path, notes)
    assert read_run_notes(tmp_path) == notes


def test_empty_notes_leave_no_file(tmp_path: Path) -> None:
    assert read_run_notes(tmp_path) == RunNotes()
    write_run_notes(tmp_path, RunNotes(title="x"))
    write_run_notes(tmp_path, RunNotes())
    assert not (tmp_path / NOTES_FILE).exists()


def test_what_people_enter_is_cleaned() -> None:
    notes = RunNotes.clean("  a \n b ", "paper, final paper,,x", "  note\n")
    assert notes == RunNotes(title="a b", tags=("paper", "final", "x"), note="note")
    assert len(RunNotes.clean("x" * 999, "y" * 999, "z" * 9999).title) == MAX_TITLE_LENGTH


def test_damaged_notes_are_reported(tmp_path: Path) -> None:
    (tmp_path / NOTES_FILE).write_text("{")
    with pytest.raises(DataError, match=r"not valid JSON.*Delete it"):
        read_run_notes(tmp_path)
