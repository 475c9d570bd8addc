"""The observer that ignores everything."""

from auricle import Sample
from auricle.core.types import Record
from auricle.engine.observer import JudgeObserver, NullObserver, Observer


def test_null_observer_serves_runs_and_judges() -> None:
    observer: Observer = NullObserver()
    judge_observer: JudgeObserver = NullObserver()
    observer.on_result(Record(sample=Sample(id="1", inputs={}), row=0))
    observer.on_skipped()
    observer.on_in_flight(3)
    assert isinstance(judge_observer.start_judging(5), NullObserver)
