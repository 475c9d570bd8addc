"""The sets of metrics of spoken answers."""

from auricle.metrics.base import resolve_metrics
from auricle.metrics.catalogue import METRICS
from auricle.tasks.speech.metrics.sets import spoken_answers


def test_every_metric_of_the_set_has_a_name_of_its_own_in_the_catalogue() -> None:
    names = [metric.name for metric in resolve_metrics("spoken_answers")]
    assert names == [metric.name for metric in spoken_answers]
    assert set(names) <= set(METRICS.builtin)
    assert len(set(names)) == len(names)
