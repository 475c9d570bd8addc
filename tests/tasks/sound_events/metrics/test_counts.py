"""F1 from counts."""

import math

import pytest

from auricle.tasks.sound_events.metrics.counts import COUNTED_F1, MacroF1, rate_counts
from tests.support.sound_events import make_sample


def test_f1_is_pooled_over_recordings() -> None:
    assert COUNTED_F1([(1, 1, 0), (1, 0, 1)]) == pytest.approx(4 / 6)
    assert math.isnan(COUNTED_F1([(0, 0, 0)]))
    assert COUNTED_F1.details([(1, 3, 0)])["precision"] == 0.25


def test_the_macro_mean_leaves_out_classes_without_any_count() -> None:
    stats = [(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0)]
    assert MacroF1()(stats) == pytest.approx((4 / 6 + 0) / 2)  # the second class has a false alarm only
    assert MacroF1(with_positives_only=True)(stats) == pytest.approx(4 / 6)
    assert math.isnan(MacroF1()([(0.0, 0.0, 0.0)]))


def test_details_have_the_names_of_the_classes() -> None:
    aggregator = MacroF1()
    named = aggregator.with_contexts([aggregator.extract_context(make_sample([], ["dog", "rain"]))])
    classes = named.details([(2.0, 0.0, 1.0, 0.0, 0.0, 0.0)])["event_classes"]
    assert classes["dog"] == {
        "hits": 2, "false_alarms": 1, "misses": 0, "precision": 2 / 3, "recall": 1.0, "f1": 0.8,
    }  # fmt: skip
    assert classes["rain"]["f1"] is None


def test_recordings_without_any_event_are_the_best() -> None:
    assert rate_counts((0, 0, 0)) < rate_counts((1, 0, 0)) < rate_counts((1, 1, 0)) < rate_counts((0, 0, 1))
