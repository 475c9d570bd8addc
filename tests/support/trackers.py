"""A tracker that keeps what it is given, and fails or waits as a broken one does."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import ClassVar

from auricle.sharing.trackers.base import FinalState, TrackedRun, Tracker


class RecordingTracker(Tracker):
    """Keeps the runs of all its objects by key, as a server would."""

    runs: ClassVar[dict[str, list[object]]]
    fails_at: ClassVar[str] = ""
    """Name of the method that raises an error."""
    answers: ClassVar[threading.Event]
    """Unset while the server does not answer."""
    location = "the recording"

    def start(self, run: TrackedRun) -> None:
        self.answers.wait()
        self._check("start")
        self._entries = self.runs.setdefault(run.key, [])
        self._entries.append(run)

    def log(self, values: Mapping[str, float], step: int) -> None:
        self._check("log")
        self._entries.append((dict(values), step))

    def finish(self, final: FinalState) -> None:
        self._check("finish")
        self._entries.append(final)

    def _check(self, method: str) -> None:
        if method == self.fails_at:
            raise ConnectionError(f"no route to https://user:hunter2secret@host in {method}")
