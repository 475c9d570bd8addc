from pathlib import Path

import pytest

from auricle import api
from auricle.core.errors import AllRequestsFailed
from auricle.engine.progress import ProgressTracker
from auricle.engine.spec import Spec
from auricle.engine.trackers import following
from auricle.engine.trackers.base import FinalState, TrackedRun
from auricle.engine.trackers.following import RunTracking, Trackers
from auricle.runs.result import RunResult
from auricle.runs.run_directory import Run
from tests.support.trackers import RecordingTracker

SPEC = Spec(task="demo", model="echo", limit=3)


def run_tracked(out: Path, trackers: Trackers) -> RunResult:
    with RunTracking(trackers, ProgressTracker("demo × echo", 3)) as tracking:
        result = api.evaluate(SPEC, out, observer=tracking)
        tracking.finish(result)
    return result


def test_a_run_is_logged_from_its_start_to_its_numbers(recording: type[RecordingTracker], tmp_path: Path) -> None:
    notes: list[str] = []
    result = run_tracked(tmp_path / "run", Trackers(["recording"], "speech", notes.append))
    ((tracked, progress, final),) = recording.runs.values()
    assert isinstance(tracked, TrackedRun)
    assert tracked.project == "speech"
    assert progress == ({"inference/done": 3.0, "inference/failed": 0.0}, 3)
    assert isinstance(final, FinalState)
    assert final.status == "finished"
    assert final.numbers["wer"] == result["wer"].value
    assert notes == ["Logged to recording: the recording"]


def test_progress_is_logged_while_a_run_goes_on(
    recording: type[RecordingTracker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "LOG_SECONDS", 0.001)
    run_tracked(tmp_path / "run", Trackers(["recording"]))
    ((_, *progress, _),) = recording.runs.values()
    steps = [entry[1] for entry in progress if isinstance(entry, tuple)]
    assert steps == sorted(set(steps))
    assert steps[-1] == 3


def test_resuming_a_run_continues_it_in_the_tracker(recording: type[RecordingTracker], tmp_path: Path) -> None:
    for _ in range(2):
        run_tracked(tmp_path / "run", Trackers(["recording"]))
    assert len(recording.runs) == 1


@pytest.mark.parametrize("method", ["start", "log", "finish"])
def test_a_tracker_that_fails_costs_one_note_and_no_sample(
    recording: type[RecordingTracker], tmp_path: Path, method: str
) -> None:
    recording.fails_at = method
    notes: list[str] = []
    trackers = Trackers(["recording"], notify=notes.append)
    results = [run_tracked(tmp_path / name, trackers) for name in ("one", "two")]
    assert all(result.complete and result["wer"].scored == 3 for result in results)
    (note,) = notes
    assert "ConnectionError: no route" in note
    assert "auricle log RUN --to recording" in note
    assert "hunter2secret" not in note


def test_a_tracker_that_does_not_answer_is_not_waited_for(
    recording: type[RecordingTracker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "FINISH_SECONDS", 0.01)
    recording.answers.clear()
    notes: list[str] = []
    result = run_tracked(tmp_path / "run", Trackers(["recording"], notify=notes.append))
    assert result.complete
    (note,) = notes
    assert "it did not store the run within 0 s" in note


def test_a_run_that_ends_with_an_error_is_logged_as_failed(recording: type[RecordingTracker], tmp_path: Path) -> None:
    tracking = RunTracking(Trackers(["recording"]), ProgressTracker("demo × echo", 3))

    def fail_after_the_answers() -> None:
        with tracking:
            api.evaluate(SPEC, tmp_path / "run", observer=tracking)
            raise AllRequestsFailed("The first 20 requests failed.")

    with pytest.raises(AllRequestsFailed):
        fail_after_the_answers()
    ((*_, final),) = recording.runs.values()
    assert isinstance(final, FinalState)
    assert final.status == "failed"


def test_counts_of_inference_are_logged_before_those_of_the_judge(
    recording: type[RecordingTracker], tmp_path: Path
) -> None:
    with RunTracking(Trackers(["recording"]), ProgressTracker("demo × echo", 3)) as tracking:
        result = api.evaluate(SPEC, tmp_path / "run", observer=tracking)
        tracking.on_judging(Run.load(result.path), 7, lambda: None)
        tracking.finish(result)
    ((_, inference, judging, _),) = recording.runs.values()
    assert inference == ({"inference/done": 3.0, "inference/failed": 0.0}, 3)
    assert judging == ({"judging/done": 0.0, "judging/failed": 0.0}, 0)
