"""`notes.json`: the title, the tags and the note that people give a run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from auricle.runs.documents import read_document, write_document

NOTES_FILE = "notes.json"
MAX_TITLE_LENGTH, MAX_TAG_LENGTH, MAX_NOTE_LENGTH = 120, 40, 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNotes:
    """What people wrote about a run; it does not affect its numbers."""

    format: int = 1
    title: str = ""
    """Shown instead of the name of the folder."""
    tags: tuple[str, ...] = ()
    note: str = ""

    @classmethod
    def clean(cls, title: str, tags: str, note: str) -> RunNotes:
        """Return the notes without white space around them; tags are separated by commas or spaces.

        >>> RunNotes.clean(" Best ", "paper, final paper", "").tags
        ('paper', 'final')
        """
        words = (word[:MAX_TAG_LENGTH] for word in tags.replace(",", " ").split())
        title = " ".join(title.split())[:MAX_TITLE_LENGTH]
        return cls(title=title, tags=tuple(dict.fromkeys(words)), note=note.strip()[:MAX_NOTE_LENGTH])


def read_run_notes(run_path: Path) -> RunNotes:
    """Read the notes of a run; a run without any has empty ones."""
    with suppress(FileNotFoundError):
        return read_document(run_path / NOTES_FILE, RunNotes, remedy="Delete it to start with empty notes.")
    return RunNotes()


def write_run_notes(run_path: Path, notes: RunNotes) -> None:
    """Write the notes of a run; empty ones remove the file."""
    if notes == RunNotes():
        (run_path / NOTES_FILE).unlink(missing_ok=True)
    else:
        write_document(run_path / NOTES_FILE, notes)
