"""Scores of a judge that are corrected with labels of people."""

import math
from typing import Any

import numpy as np
import pytest
from bench.judge_calibration import BINARY_JUDGES, SCALE_JUDGES, draw_binary, measure_coverage, measure_scale_coverage
from numpy.typing import NDArray

from auricle.core.types import Sample
from auricle.metrics.base import Metric, mean
from auricle.metrics.calibration import MIN_LABELS, CorrectedMean, make_corrected_metric
from auricle.metrics.intervals import compute_interval

SHARE = CorrectedMean(1.0, (0.0, 1.0))
Stats = NDArray[np.float64]


def make_stats(verdicts: Any, labels: Any) -> Stats:
    """Return statistics in which the first samples have labels."""
    rows = np.zeros((len(verdicts), 3))
    rows[:, 0] = verdicts
    rows[: len(labels), 1] = labels
    rows[: len(labels), 2] = 1.0
    return rows


def test_a_judge_that_is_too_kind_is_corrected_by_its_bias() -> None:
    labels = np.tile([1.0, 0.0], 50)
    verdicts = np.concatenate(
        [np.minimum(1.0, labels + (np.arange(100) % 10 == 1)), np.tile([1.0, 1.0, 0.0, 1.0, 0.0], 180)]
    )
    stats = make_stats(verdicts, labels)
    assert mean(stats[:, 0]) == 0.6
    assert SHARE(stats) == pytest.approx(0.5, abs=0.01)
    interval = compute_interval(stats, SHARE)
    assert interval.low < 0.5 < interval.high < 0.6
    assert (interval.method, interval.units) == ("prediction-powered", 100)


def test_the_estimate_is_that_of_the_published_formula() -> None:
    """Without the prior on the weight: λ · mean of the rest + mean(labels − λ · verdicts)."""
    rng = np.random.default_rng(0)
    stats = draw_binary(rng, BINARY_JUDGES["kind"], 400, 100)
    labels, verdicts, rest = stats[:100, 1], stats[:100, 0], stats[100:, 0]
    weight = SHARE.details(stats)["judge_weight"]
    assert SHARE(stats) == pytest.approx(weight * rest.mean() + (labels - weight * verdicts).mean())
    tuned = np.cov(labels, verdicts)[0, 1] / stats[:, 0].var() / (1 + 100 / 300)
    assert weight == pytest.approx(tuned, abs=0.05)


def test_labels_of_all_samples_leave_nothing_to_the_judge() -> None:
    stats = make_stats(np.tile([1.0, 0.0], 15), np.tile([1.0, 1.0, 0.0], 10))
    assert SHARE(stats) == pytest.approx(2 / 3)
    assert SHARE.details(stats)["judge_weight"] == 0.0


def test_a_judge_that_always_answers_the_same_is_ignored() -> None:
    stats = make_stats(np.ones(200), np.tile([1.0, 0.0], 15))
    assert SHARE(stats) == 0.5
    assert SHARE.details(stats)["judge_weight"] == 0.0


@pytest.mark.parametrize(("labels", "reason"), [(0, ""), (MIN_LABELS - 1, "19 human labels are too few"), (20, None)])
def test_few_labels_correct_nothing(labels: int, reason: str | None) -> None:
    explanation = SHARE.explain_absence(make_stats(np.ones(100), np.ones(labels)))
    assert explanation == reason or (reason and explanation and explanation.startswith(reason))


def test_labels_that_agree_with_every_verdict_leave_an_interval() -> None:
    verdicts = np.tile([1.0, 1.0, 0.0], 100)
    interval = compute_interval(make_stats(verdicts, verdicts[:30]), SHARE)
    raw = compute_interval(verdicts, mean)
    assert interval.high - interval.low > raw.high - raw.low


def test_clusters_widen_the_interval_and_are_its_units() -> None:
    rng = np.random.default_rng(1)
    clusters = np.arange(300) // 10
    truth = (rng.random(30)[clusters] < 0.5).astype(float)
    stats = make_stats(np.where(rng.random(300) < 0.8, truth, 1 - truth), truth[:150])
    single, clustered = (compute_interval(stats, SHARE, clusters=codes) for codes in (None, clusters))
    assert clustered.high - clustered.low > 1.5 * (single.high - single.low)
    assert (clustered.units, clustered.method) == (15, "cluster-prediction-powered")


def test_one_label_or_none_has_no_interval() -> None:
    for count in (0, 1):
        interval = compute_interval(make_stats(np.ones(10), np.ones(count)), SHARE)
        assert math.isnan(interval.low)
        assert math.isnan(SHARE(make_stats(np.ones(10), np.ones(count))))


def test_the_metric_pairs_scores_with_labels() -> None:
    judged = Metric("judged", lambda sample, output, verdicts: 1.0, mean, variant="a1b2")
    corrected = make_corrected_metric(
        judged, lambda sample: 0.0 if "gold" in sample.meta else None, step=1.0, limits=(0.0, 1.0), unit="share"
    )
    assert (corrected.name, corrected.derived_from, corrected.unit) == ("judged.corrected", ("judged",), "share")
    labelled, other = (Sample(id="1", inputs={}, meta=meta) for meta in ({"gold": 0.0}, {}))
    assert corrected.score(labelled, 1.0) == (1.0, 0.0, 1.0)
    assert corrected.score(other, 1.0) == (1.0, 0.0, 0.0)
    assert corrected.score(labelled, None) is None
    assert corrected.badness((1.0, 0.0, 1.0)) > corrected.badness((1.0, 0.0, 0.0))


@pytest.mark.parametrize("judge", ["good", "kind", "strict", "poor"])
@pytest.mark.parametrize(("total", "labels"), [(200, 20), (300, 50)])
@pytest.mark.thorough
def test_intervals_cover_the_truth(judge: str, total: int, labels: int) -> None:
    """A reduced version of `python -m bench.judge_calibration`, with a fixed seed."""
    row = measure_coverage(BINARY_JUDGES[judge], total, labels, rounds=400, seed=7)
    assert 0.925 <= row.corrected <= 0.999
    assert row.judged < 0.9 or judge in ("good", "poor")


@pytest.mark.parametrize("judge", ["generous", "severe"])
def test_intervals_of_points_cover_the_truth(judge: str) -> None:
    row = measure_scale_coverage(SCALE_JUDGES[judge], 200, 30, rounds=150, seed=3)
    assert 0.92 <= row.corrected <= 0.99
    assert row.judged < 0.5
