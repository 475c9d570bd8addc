"""`progress.json`: whether the last pass over the data completed, and how long each pass took."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from auricle.core.errors import DataError
from auricle.runs.documents import read_document, write_document

PROGRESS_FILE = "progress.json"


@dataclass(frozen=True, slots=True)
class PassTiming:
    """Timing of one pass, from its first request to its last answer."""

    wall_seconds: float
    samples: int
    """Samples answered in this pass."""
    audio_seconds: float | None = None
    """Duration of their audio; None if some durations are unknown."""
    model_seconds: float | None = None
    """Time that the model took for them; None for passes that recorded only their wall time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The state of a run after its last pass. During a pass only the earlier passes are known."""

    format: int = 1
    complete: bool = False
    rows: int | None = None
    """Rows of the data that were read."""
    limit: int | None = None
    """How many rows of its data, from the first, the run is about; None if all. The journal may contain more: answers
    of an earlier pass with another limit, or of another run."""
    total: int | None = None
    """Rows that a pass is to read, if that was known when it began."""
    stopping: bool = False
    """Whether a stop was requested during a pass that still waits for requests in flight."""
    passes: tuple[PassTiming, ...] = ()
    revision: str = ""
    """Identifier of the data."""
    notes: tuple[str, ...] = ()

    @property
    def completed_rows(self) -> int | None:
        """Rows of the data, if the last pass over them completed."""
        return self.rows if self.complete else None


def read_progress(run_path: Path) -> Progress:
    """Read the progress of a run; a run that was never finished has none."""
    remedy = "Delete it and run the same `auricle run` command again; completed samples are kept."
    with suppress(FileNotFoundError):
        return read_document(run_path / PROGRESS_FILE, Progress, remedy=remedy)
    return Progress()


def read_limit(run_path: Path) -> int | None:
    """Return how many rows of its data, from the first, a run is about; None if all, or if that cannot be read."""
    try:
        return read_progress(run_path).limit
    except DataError:
        return None


def write_progress(run_path: Path, progress: Progress) -> None:
    write_document(run_path / PROGRESS_FILE, progress)
