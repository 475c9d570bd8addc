"""Counts that are shown while a run is in progress."""

import io
from typing import Any

from auricle.cli.progress_bar import Progress
from auricle.core.types import Failure, Record, Sample


def make_record(**fields: Any) -> Record:
    return Record(sample=Sample(id="1", inputs={}), row=0, **fields)


def last_line(progress: Progress, stream: io.StringIO) -> str:
    progress.update()
    return stream.getvalue().splitlines()[-1]


def test_requests_in_flight_retries_and_failures_are_counted() -> None:
    stream = io.StringIO()
    with Progress("mine", 10, stream) as progress:
        progress.on_in_flight(4)
        progress.on_result(make_record(attempts=3))
        progress.on_result(make_record(error=Failure("Refused", "no")))
        line = last_line(progress, stream)
    assert line.startswith("mine: 2 of 10 samples")
    assert "4 in flight, 2 retried, 1 failed" in line


def test_counts_of_zero_are_left_out() -> None:
    stream = io.StringIO()
    with Progress("mine", 1, stream) as progress:
        progress.on_result(make_record())
        line = last_line(progress, stream)
    assert not {"flight", "retried", "failed"} & {*line.replace(",", "").split()}


def test_samples_answered_before_count_as_done() -> None:
    stream = io.StringIO()
    with Progress("mine", 2, stream) as progress:
        progress.on_skipped()
        line = last_line(progress, stream)
    assert line.startswith("mine: 1 of 2 samples")
    assert "1 answered before" in line


def test_judging_is_counted_in_verdicts() -> None:
    stream = io.StringIO()
    with Progress("mine", 1, stream) as progress:
        progress.on_result(make_record())
        progress.start_judging(3)
    assert stream.getvalue().splitlines()[-1].startswith("judging: 0 verdicts")
