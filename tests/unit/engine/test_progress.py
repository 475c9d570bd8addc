"""Progress of a run as events."""

from auricle.core.types import Failure, Generation, Record, Sample
from auricle.engine.progress import ProgressEvent, ProgressTracker


def make_record(error: Failure | None = None, attempts: int = 1) -> Record:
    outputs = () if error else (Generation(text="a"),)
    return Record(sample=Sample(id="1", inputs={}), row=0, outputs=outputs, error=error, attempts=attempts)


def test_counts_add_up() -> None:
    tracker = ProgressTracker("demo × echo", 10)
    tracker.on_in_flight(4)
    tracker.on_result(make_record(attempts=3))
    tracker.on_result(make_record(Failure("Refused", "no")))
    tracker.on_skipped()
    event = tracker.event("progress")
    assert (event.done, event.answered, event.failed, event.answered_before) == (3, 1, 1, 1)
    assert (event.retried, event.in_flight, event.total) == (2, 4, 10)
    assert event.eta_seconds is not None
    assert event.rate > 0
    assert event.cost is None


def test_judging_starts_from_zero() -> None:
    tracker = ProgressTracker("demo × echo", 10)
    tracker.on_result(make_record())
    tracker.on_judging(5)
    event = tracker.event("started")
    assert (event.phase, event.total, event.done, event.rate) == ("judging", 5, 0, 0.0)


def test_event_is_parsed_as_it_was_written() -> None:
    event = ProgressEvent(event="failed", title="demo", id="7", kind="Refused", message="no\nkey", total=3, failed=1)
    line = event.to_json_line()
    assert line.count(b"\n") == 1
    assert b"eta_seconds" not in line
    assert ProgressEvent.parse(line) == event


def test_other_lines_are_not_events() -> None:
    for line in ("Loading weights", "{", "[]", '{"event": "other"}', '{"loss": 3}', ""):
        assert ProgressEvent.parse(line) is None


def test_unknown_fields_of_an_event_are_ignored() -> None:
    event = ProgressEvent.parse('{"event": "started", "total": 3, "new_field": 1}')
    assert event
    assert event.total == 3
