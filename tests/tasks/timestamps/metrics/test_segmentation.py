"""Boundaries without labels, with known answers."""

import math
from itertools import pairwise
from typing import Any

import pytest

from auricle.core.types import Generation, Sample, Segment
from auricle.metrics.base import Metric
from auricle.metrics.intervals import compute_interval
from auricle.tasks.timestamps.metrics import segmentation as metrics
from auricle.tasks.timestamps.metrics.segmentation import list_boundaries


def cut(*times: float) -> tuple[Segment, ...]:
    """Return adjacent segments with these inner boundaries, from 0 to 4 s."""
    ends = (0.0, *times, 4.0)
    return tuple(Segment(start, end) for start, end in pairwise(ends))


def score(metric: Metric, reference: tuple[Segment, ...], hypothesis: tuple[Segment, ...]) -> Any:
    rows = [{"start": segment.start, "end": segment.end} for segment in reference]
    sample = Sample(id="1", inputs={}, meta={"segments": rows})
    return metric.score(sample, Generation(text="", segments=hypothesis), audio_seconds=4.0)


def measure(metric: Metric, reference: tuple[Segment, ...], hypothesis: tuple[Segment, ...]) -> float:
    return metric.aggregate([score(metric, reference, hypothesis)])


KNOWN = cut(1, 2, 3), cut(1.01, 2.05, 2.5, 3.0)


def test_the_known_answer_of_the_literature_is_reproduced() -> None:
    assert measure(metrics.segmentation_precision_20ms, *KNOWN) == pytest.approx(0.5)
    assert measure(metrics.segmentation_recall_20ms, *KNOWN) == pytest.approx(2 / 3)
    assert measure(metrics.segmentation_f1_20ms, *KNOWN) == pytest.approx(4 / 7)
    assert measure(metrics.over_segmentation, *KNOWN) == pytest.approx(1 / 3)
    assert measure(metrics.segmentation_r_value_20ms, *KNOWN) == pytest.approx(0.5286, abs=5e-5)


def test_a_boundary_at_the_tolerance_matches() -> None:
    assert measure(metrics.segmentation_recall_50ms, *KNOWN) == 1.0
    assert measure(metrics.segmentation_recall_20ms, cut(0.08), cut(0.1)) == 1.0
    assert measure(metrics.segmentation_recall_20ms, cut(0.08), cut(0.100001)) == 0.0


def test_perfect_boundaries_have_an_r_value_of_one() -> None:
    assert measure(metrics.segmentation_r_value_50ms, KNOWN[0], KNOWN[0]) == 1.0
    assert measure(metrics.over_segmentation, KNOWN[0], KNOWN[0]) == 0.0


def test_sprayed_boundaries_cost_more_in_r_value_than_in_f1() -> None:
    sprayed = cut(*(step / 100 for step in range(1, 400)))
    assert measure(metrics.segmentation_recall_20ms, KNOWN[0], sprayed) == 1.0
    assert measure(metrics.segmentation_r_value_20ms, KNOWN[0], sprayed) < -50
    assert measure(metrics.segmentation_f1_20ms, KNOWN[0], sprayed) > 0


def test_recordings_without_inner_boundaries_are_undefined_alone_but_their_extra_boundaries_count() -> None:
    alone = score(metrics.segmentation_recall_20ms, cut(), cut(1.0))
    assert math.isnan(metrics.segmentation_recall_20ms.aggregate([alone]))
    assert math.isnan(metrics.segmentation_r_value_20ms.aggregate([alone]))
    pooled = [alone, score(metrics.segmentation_precision_20ms, *KNOWN)]
    assert metrics.segmentation_precision_20ms.aggregate(pooled) == pytest.approx(2 / 5)


def test_one_boundary_matches_at_most_one_other() -> None:
    assert measure(metrics.segmentation_precision_50ms, cut(1.0), cut(0.98, 1.02)) == pytest.approx(1 / 2)


def test_words_that_touch_share_a_boundary_and_pauses_have_two() -> None:
    words = [Segment(0.1, 0.5), Segment(0.5, 0.9), Segment(1.0, 1.4)]
    assert list_boundaries(words) == [500_000, 900_000, 1_000_000]
    assert list_boundaries([]) == list_boundaries([Segment(0, 1)]) == []


def test_details_have_the_counts() -> None:
    stat = score(metrics.over_segmentation, *KNOWN)
    assert metrics.over_segmentation.details([stat])["hypothesis_boundaries"] == 4
    assert metrics.over_segmentation.badness(stat) == pytest.approx(1 / 3)
    assert metrics.over_segmentation.badness(score(metrics.over_segmentation, cut(), cut(1))) == -math.inf


def test_the_signature_has_the_tolerance() -> None:
    assert metrics.segmentation_f1_100ms.signature.endswith("inner-boundaries.tolerance-100ms-inclusive")
    assert "tolerance" not in metrics.over_segmentation.signature


def test_shares_of_perfect_recordings_have_an_interval_below_one() -> None:
    stats = [score(metrics.segmentation_f1_50ms, KNOWN[0], KNOWN[0])] * 5
    interval = compute_interval(stats, metrics.segmentation_f1_50ms.aggregate)
    assert (interval.method, interval.high) == ("wilson", 1.0)
    assert interval.low < 0.9


def test_r_values_have_an_interval_within_their_limits() -> None:
    aggregate = metrics.segmentation_r_value_50ms.aggregate
    perfect = compute_interval([score(metrics.segmentation_r_value_50ms, KNOWN[0], KNOWN[0])] * 8, aggregate)
    assert -1 < perfect.low < 0.9
    assert perfect.high == 1.0
    sprayed = compute_interval([(1.0, 1.0, 20.0, 2.0, 21.0), (1.0, 1.0, 22.0, 2.0, 23.0)] * 4, aggregate)
    assert sprayed.low < sprayed.high < -1
