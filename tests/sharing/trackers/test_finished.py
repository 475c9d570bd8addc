from pathlib import Path

import pytest

from auricle import api
from auricle.core.errors import SpecError
from auricle.engine.trackers.base import FinalState, TrackedRun
from auricle.sharing.trackers.finished import log_runs
from tests.support.trackers import RecordingTracker


def test_a_run_that_is_logged_twice_is_one_run_in_the_tracker(
    recording: type[RecordingTracker], demo_run: Path
) -> None:
    for _ in range(2):
        (logged,) = log_runs([demo_run], ["recording"], "speech")
    ((first, final, second, _),) = recording.runs.values()
    assert isinstance(first, TrackedRun)
    assert first == second
    assert first.project == "speech"
    assert isinstance(final, FinalState)
    assert final.numbers == logged.numbers
    assert logged.numbers["wer"] == api.load_metrics(demo_run)["wer"].value
    assert (logged.tracker, logged.location) == ("recording", "the recording")


def test_a_failing_tracker_is_an_error(recording: type[RecordingTracker], demo_run: Path) -> None:
    recording.fails_at = "start"
    with pytest.raises(SpecError, match="was not logged to recording: ConnectionError: no route"):
        list(log_runs([demo_run], ["recording"]))
