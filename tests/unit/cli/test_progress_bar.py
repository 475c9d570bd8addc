"""What is told of a run while it goes by."""

import io
from typing import Any

from auricle.cli.progress_bar import Progress
from auricle.core.types import Failure, Record, Sample


def record(**about: Any) -> Any:
    return Record(sample=Sample(id="1", inputs={}), row=0, **about)


def told(progress: Any, stream: Any) -> Any:
    progress.tell()
    return stream.getvalue().splitlines()[-1]


def test_what_is_in_flight_tried_again_and_failed_is_counted() -> None:
    stream = io.StringIO()
    with Progress("mine", 10, stream) as progress:
        progress.on_in_flight(4)
        progress.on_result(record(attempts=3))
        progress.on_result(record(error=Failure("Refused", "no")))
        line = told(progress, stream)
    assert line.startswith("mine: 2 of 10 samples")
    assert "4 in flight, 2 retried, 1 failed" in line


def test_where_nothing_happens_nothing_is_told_of_it() -> None:
    stream = io.StringIO()
    with Progress("mine", 1, stream) as progress:
        progress.on_result(record())
        line = told(progress, stream)
    assert not {"flight", "retried", "failed"} & {*line.replace(",", "").split()}
