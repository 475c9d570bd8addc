"""Counts that are shown while a run is in progress."""

from pathlib import Path
from typing import Any

import pytest

from auricle.cli.progress import ProgressDisplay, ProgressEvents, ProgressLines, open_progress
from auricle.core.types import Failure, Generation, Record, Sample
from auricle.engine.progress import ProgressEvent
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.usage import Price

RUN = Run(Path("run"), RunSpec(identity={}, spec={}))


def make_record(**fields: Any) -> Record:
    return Record(sample=Sample(id="1", inputs={}), row=0, **fields)


def last_line(progress: ProgressDisplay, capsys: pytest.CaptureFixture[str]) -> str:
    progress.show()
    return capsys.readouterr().err.splitlines()[-1]


def test_requests_in_flight_retries_and_failures_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines("mine", 10) as progress:
        progress.on_in_flight(4)
        progress.on_result(make_record(attempts=3))
        progress.on_result(make_record(error=Failure("Rejected", "no")))
        line = last_line(progress, capsys)
    assert line.startswith("mine: 2 of 10 samples")
    assert "4 in flight, 2 retried, 1 failed" in line


def test_counts_of_zero_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines("mine", 1) as progress:
        progress.on_result(make_record())
        line = last_line(progress, capsys)
    assert not {"flight", "retried", "failed"} & {*line.replace(",", "").split()}


def test_samples_answered_before_count_as_done(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines("mine", 2) as progress:
        progress.on_skipped()
        line = last_line(progress, capsys)
    assert line.startswith("mine: 1 of 2 samples")
    assert "1 answered before" in line


def test_no_rate_is_shown_if_nothing_was_sent(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines("demo × echo", total=2) as progress:
        progress.on_skipped()
        progress.on_skipped()
    assert capsys.readouterr().err == "demo × echo: 2 samples, 2 answered before\n"


def test_judging_is_counted_in_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines("mine", 1) as progress:
        progress.on_result(make_record())
        progress.on_judging(RUN, 3, lambda: None)
    assert capsys.readouterr().err.splitlines()[-1].startswith("judging: 0 of 3 verdicts")


def test_scoring_without_a_judge_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with open_progress("auto", "judging", phase="judging"):
        pass
    assert capsys.readouterr().err == ""


def test_events_are_lines_of_json_with_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with open_progress("json", "mine", 2) as progress:
        assert isinstance(progress, ProgressEvents)
        progress.on_start(Run(tmp_path, RunSpec(identity={}, spec={})), lambda: None)
        progress.on_result(make_record())
        progress.on_result(make_record(error=Failure("Rejected", "no")))
        progress.show()
        progress.on_judging(RUN, 1, lambda: None)
        progress.finish(3)
    events = [ProgressEvent.parse(line) for line in capsys.readouterr().err.splitlines()]
    assert [event.event for event in events if event] == [
        "started",
        "failed",
        "progress",
        "progress",
        "started",
        "finished",
    ]
    failed, counts, finished = events[1], events[2], events[-1]
    assert failed
    assert counts
    assert finished
    assert (failed.id, failed.kind, failed.message) == ("1", "Rejected", "no")
    assert (counts.done, counts.answered, counts.failed, counts.total, counts.run) == (2, 1, 1, 2, str(tmp_path))
    assert (finished.phase, finished.exit_code) == ("judging", 3)


def test_cost_is_counted_if_there_is_a_price(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressEvents("mine", 1, Price("m", request=0.5)) as progress:
        progress.on_result(make_record(outputs=(Generation(text="a"),)))
        progress.show()
    event = ProgressEvent.parse(capsys.readouterr().err)
    assert event
    assert (event.cost, event.currency) == (0.5, "USD")
