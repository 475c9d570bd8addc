"""Follow a run."""

from collections.abc import Callable
from typing import Any

from auricle.core.types import Generation, Record, Sample
from auricle.engine.observer import ForwardingObserver, Observer
from auricle.runs.run_directory import Run
from auricle.runs.verdicts import Verdict


def make_record() -> Record:
    return Record(sample=Sample(id="1", inputs={}), row=0, outputs=(Generation(text="hello"),))


class Collects(Observer):
    def __init__(self) -> None:
        self.calls: list[object] = []

    def on_start(self, run: Run, stop: Callable[[], None], /) -> None:
        self.calls.append((run, stop))

    def on_verdict(self, verdict: Verdict, /) -> None:
        self.calls.append(verdict)

    def on_result(self, record: Record, /) -> None:
        self.calls.append(record)

    def on_skipped(self) -> None:
        self.calls.append("skipped")

    def on_in_flight(self, count: int, /) -> None:
        self.calls.append(count)

    def on_judging(self, run: Run, total: int, stop: Callable[[], None], /) -> None:
        self.calls.append(("judging", run, total, stop))


def test_an_observer_ignores_everything_by_default() -> None:
    observer = Observer()
    run: Any = object()
    observer.on_result(make_record())
    observer.on_skipped()
    observer.on_in_flight(3)
    observer.on_judging(run, 2, lambda: None)
    assert observer.stop_reason == ""


def test_every_call_is_forwarded() -> None:
    collects = Collects()
    observer = ForwardingObserver(collects)
    record = make_record()
    run: Any = object()
    stop: Any = object()
    verdict: Any = object()
    observer.on_start(run, stop)
    observer.on_result(record)
    observer.on_skipped()
    observer.on_in_flight(3)
    observer.on_judging(run, 2, stop)
    observer.on_verdict(verdict)
    assert collects.calls == [(run, stop), record, "skipped", 3, ("judging", run, 2, stop), verdict]
