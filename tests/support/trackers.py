"""A tracker that keeps what it is given, and fails or waits as a broken one does; fixtures with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from auricle import api
from auricle.engine.spec import Spec
from auricle.engine.trackers.base import TRACKERS, FinalState, TrackedRun, Tracker


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


@pytest.fixture
def recording() -> Iterator[type[RecordingTracker]]:
    """Register the tracker `recording`."""

    class Recording(RecordingTracker):
        runs: ClassVar[dict[str, list[object]]] = {}
        answers = threading.Event()

    Recording.answers.set()
    TRACKERS("recording")(Recording)
    yield Recording
    Recording.answers.set()  # ends threads that wait
    del TRACKERS._registered["recording"]


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of three samples."""
    path = tmp_path_factory.mktemp("runs") / "demo-echo"
    api.evaluate(Spec(task="demo", model="echo", limit=3), path)
    return path
