"""Which metrics are shown unfolded."""

import pytest

from auricle.core.features import find_features
from auricle.metrics.base import resolve_metrics
from auricle.metrics.headlines import MAX_UNFOLDED, is_headline, select_headlines
from auricle.tasks.labels.kinds import EMOTION_METRICS


def test_each_headline_is_a_metric_of_its_module() -> None:
    for feature in find_features():
        for module, names in feature.headlines.items():
            assert set(names) <= feature.metrics[module].keys()


@pytest.mark.parametrize("metrics", [("conversation",), ("streaming",), ("timestamps",), EMOTION_METRICS])
def test_a_task_with_many_metrics_shows_a_dozen_at_most(metrics: tuple[str, ...]) -> None:
    names = [metric.name for name in metrics for metric in resolve_metrics(name)]
    shown = select_headlines(names)
    assert len(names) > MAX_UNFOLDED
    assert shown[0] == names[0]
    assert len(shown) <= 12
    assert [name for name in names if name in shown] == shown


def test_few_metrics_are_all_shown() -> None:
    names = ["weighted_recall", "top2", "ece"]
    assert select_headlines(names) == names


def test_metrics_of_a_dimension_or_a_profile_are_shown_like_the_plain_one() -> None:
    assert is_headline("srcc.musicality")
    assert not is_headline("rmse.musicality")
    assert is_headline("formatted_wer@basic")
    assert not is_headline("cased_wer@basic")
