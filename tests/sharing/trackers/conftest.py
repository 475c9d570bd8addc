"""A tracker that is registered for one test, and a finished run."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from auricle import api
from auricle.engine.spec import Spec
from auricle.sharing.trackers.catalogue import TRACKERS
from tests.support.trackers import RecordingTracker


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
