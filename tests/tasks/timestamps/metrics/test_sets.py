"""The default metrics of times."""

from auricle.metrics.base import resolve_metrics
from auricle.tasks.timestamps.metrics.sets import timestamps


def test_the_set_begins_with_the_number_that_ranks_models_and_is_short() -> None:
    assert resolve_metrics("timestamps") == list(timestamps)
    assert timestamps[0].name == "boundary_recall_50ms"
    assert len(timestamps) <= 12


def test_metrics_of_the_set_are_those_of_the_catalogue() -> None:
    for metric in timestamps:
        assert resolve_metrics(metric.name) == [metric]
