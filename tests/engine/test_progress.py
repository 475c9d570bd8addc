"""Progress of a run as events."""

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.types import Failure, Generate, Generation, Record, Sample
from auricle.engine.progress import ProgressEvent, ProgressTracker
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.shards.status import StatusReader
from auricle.runs.shards.store import ShardStore
from auricle.runs.usage import Price
from auricle.runs.verdicts import JudgeRequest, Verdict
from tests.support.shards import make_completion, make_parts

RUN = Run(Path("run"), RunSpec(identity={}, spec={}))


def make_record(error: Failure | None = None, attempts: int = 1) -> Record:
    outputs = () if error else (Generation(text="a"),)
    return Record(sample=Sample(id="1", inputs={}), row=0, outputs=outputs, error=error, attempts=attempts)


def test_counts_add_up() -> None:
    tracker = ProgressTracker("demo × echo", 10)
    tracker.on_in_flight(4)
    tracker.on_result(make_record(attempts=3))
    tracker.on_result(make_record())
    tracker.on_result(make_record(Failure("Rejected", "no")))
    tracker.on_skipped()
    event = tracker.event("progress")
    assert (event.done, event.answered, event.failed, event.answered_before) == (4, 2, 1, 1)
    assert (event.retried, event.in_flight, event.total) == (2, 4, 10)
    assert event.rate > 0
    assert event.rate > 0
    assert event.cost is None


def test_judging_starts_from_zero() -> None:
    tracker = ProgressTracker("demo × echo", 10)
    tracker.on_result(make_record())
    tracker.on_judging(RUN, 5, lambda: None)
    event = tracker.event("started")
    assert (event.phase, event.total, event.done, event.rate) == ("judging", 5, 0, 0.0)


def test_event_is_parsed_as_it_was_written() -> None:
    event = ProgressEvent(event="failed", title="demo", id="7", kind="Rejected", message="no\nkey", total=3, failed=1)
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


class Updates(ProgressTracker):
    """Counts how often the progress is shown."""

    updates = 0

    def update(self) -> None:
        self.updates += 1


class Clock:
    """A clock that a test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("auricle.engine.progress.time.monotonic", lambda: self.now)


def make_verdict(error: Failure | None = None) -> Verdict:
    request = JudgeRequest("key", "1", "metric", Generate(turns=()))
    return Verdict(request, "judge", None if error else Generation(text="yes"), error, 0.1)


def test_verdicts_are_counted_like_samples() -> None:
    tracker = Updates("demo × echo", phase="judging")
    tracker.on_verdict(make_verdict())
    tracker.on_verdict(make_verdict())
    tracker.on_verdict(make_verdict(Failure("Rejected", "no")))
    assert (tracker.answered, tracker.failed, tracker.done) == (2, 1, 3)


def test_every_result_and_skipped_sample_is_shown() -> None:
    tracker = Updates("demo × echo", 10)
    tracker.on_result(make_record())
    tracker.on_skipped()
    tracker.on_verdict(make_verdict())
    assert tracker.updates == 3


def test_judging_forgets_every_count_of_the_samples() -> None:
    tracker = ProgressTracker("demo × echo", 10)
    tracker.on_result(make_record(Failure("Rejected", "no"), attempts=3))
    tracker.on_result(make_record())
    tracker.on_skipped()
    tracker.on_in_flight(4)
    tracker.on_judging(RUN, 5, lambda: None)
    event = tracker.event("progress")
    assert (event.answered, event.failed, event.answered_before, event.retried, event.in_flight) == (0, 0, 0, 0, 0)


def test_rate_and_remaining_time_follow_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    tracker = ProgressTracker("demo × echo", 10)
    tracker.on_skipped()
    tracker.on_result(make_record())
    tracker.on_result(make_record(Failure("Rejected", "no")))
    clock.now += 3.0
    event = tracker.event("progress")
    assert (event.rate, event.eta_seconds) == (0.6667, None)  # answers of an earlier pass do not count in the rate
    tracker.on_judging(RUN, 4, lambda: None)
    clock.now += 2.01
    tracker.on_verdict(make_verdict())
    event = tracker.event("progress")
    assert (event.rate, event.eta_seconds) == (0.4975, None)


def test_there_is_no_remaining_time_without_a_total_or_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    for total in (None, 1, 0):
        tracker = ProgressTracker("demo × echo", total)
        tracker.on_result(make_record())
        clock.now += 1.0
        assert tracker.eta_seconds is None
    assert ProgressTracker("demo × echo", 5).eta_seconds is None


def test_cost_is_counted_with_its_currency() -> None:
    tracker = ProgressTracker("demo × echo", price=Price("m", request=0.00000123, currency="EUR"))
    tracker.on_result(make_record())
    event = tracker.event("progress")
    assert (event.cost, event.currency) == (0.000001, "EUR")


def test_an_event_without_counts_counts_nothing() -> None:
    event = ProgressEvent(event="started")
    assert (event.done, event.answered, event.failed, event.answered_before) == (0, 0, 0, 0)
    assert (event.retried, event.in_flight, event.rate) == (0, 0, 0.0)
    tracker = ProgressTracker("demo × echo")
    assert (tracker.answered, tracker.failed, tracker.answered_before) == (0, 0, 0)
    assert (tracker.retried, tracker.in_flight) == (0, 0)


def test_the_run_is_named_by_its_folder(tmp_path: Path) -> None:
    tracker = ProgressTracker("demo × echo")
    with Run.open(tmp_path / "run", RunSpec(identity={}, spec={})) as run:
        tracker.on_start(run, lambda: None)
    assert tracker.event("started").run == str(tmp_path / "run")


def test_rate_relates_to_the_seconds_since_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("auricle.engine.progress.time.monotonic", lambda: clock[0])
    tracker = ProgressTracker("demo × echo", 10)
    tracker.on_result(make_record())
    assert tracker.rate > 1e6, "no time has passed"
    tracker.on_result(make_record())
    clock[0] = 100.5
    assert (tracker.rate, tracker.eta_seconds) == (4.0, None)


def test_remaining_time_follows_the_recent_rate_without_the_time_before_the_first_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    tracker = ProgressTracker("demo × echo", 100)
    clock.now += 500.0  # the model is loading
    tracker.on_result(make_record())
    clock.now += 2.0
    assert tracker.eta_seconds is None, "a rate since the start would contain the time of loading"
    for _ in range(10):
        tracker.on_result(make_record())
        clock.now += 2.0
    assert tracker.eta_seconds == pytest.approx((100 - 11) / (10 / 22))
    assert tracker.rate == pytest.approx(10 / 22)
    for _ in range(40):  # it gets faster
        tracker.on_result(make_record())
        clock.now += 1.0
    for _ in range(40):
        clock.now += 1.0
        tracker.on_result(make_record())
    assert tracker.eta_seconds == pytest.approx(9 / (61 / 61), rel=0.1)


def test_the_counts_of_a_sharded_run_are_those_of_its_workers(tmp_path: Path) -> None:
    store = ShardStore.create(tmp_path, make_parts(3, 10))
    reader, tracker = StatusReader(store), ProgressTracker("large")
    store.complete(replace(make_completion(0), rows=10, answered=10))
    tracker.on_shards(reader.read(60.0))
    assert (tracker.done, tracker.answered_before, tracker.total) == (10, 10, 30)
    store.complete(replace(make_completion(1), rows=10, answered=8, failed=2, cost=0.5))
    tracker.on_shards(reader.read(60.0))
    assert (tracker.done, tracker.answered, tracker.failed) == (20, 8, 2)
    event = tracker.event("progress")
    assert (event.shards, event.shards_done, event.cost, event.total) == (3, 2, 0.5, 30)
    tracker.on_shards(replace(reader.read(60.0), rows=9))  # a file has shrunk
    assert (tracker.done, tracker.answered, tracker.failed) == (9, 0, 0)
