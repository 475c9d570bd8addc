"""Rankings of classes: average precision, areas under the curve, and what they are with weights."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from auricle.core.types import Sample
from auricle.metrics.intervals import compute_interval
from auricle.tasks.sound_events.class_ranking import (
    DPrime,
    MeanAreaUnderCurve,
    MeanAveragePrecision,
    MicroAveragePrecision,
    Ranking,
    base_rates,
    to_d_prime,
)


def rank(scores: list[float], truth: list[int]) -> Ranking:
    return Ranking(np.array(scores), np.array(truth, dtype=bool))


def make_stats(seed: int, size: int = 30, classes: int = 3) -> list[tuple[float, ...]]:
    rng = np.random.default_rng(seed)
    scores, truth = rng.integers(0, 6, (size, classes)) / 5, (rng.random((size, classes)) < 0.4).astype(int)
    return [(*row, *flags) for row, flags in zip(scores.tolist(), truth.tolist(), strict=True)]


def test_the_average_precision_of_the_textbook_case_is_right() -> None:
    ranking = rank([0.9, 0.8, 0.7, 0.6, 0.5], [1, 0, 1, 0, 1])
    assert ranking.average_precision(np.ones(5)) == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    assert round(ranking.average_precision(np.ones(5)), 4) == 0.7556


def test_equal_scores_are_one_step_whatever_their_order() -> None:
    assert rank([0.5, 0.5], [1, 0]).average_precision(np.ones(2)) == 0.5
    assert rank([0.5, 0.5], [0, 1]).average_precision(np.ones(2)) == 0.5
    assert rank([0.5, 0.5, 0.1], [0, 1, 0]).area_under_curve(np.ones(3)) == 0.75


def test_a_class_without_positives_or_negatives_is_undefined() -> None:
    assert math.isnan(rank([0.5, 0.4], [0, 0]).average_precision(np.ones(2)))
    assert math.isnan(rank([0.5, 0.4], [0, 0]).area_under_curve(np.ones(2)))
    assert math.isnan(rank([0.5, 0.4], [1, 1]).area_under_curve(np.ones(2)))
    assert rank([0.5, 0.4], [1, 1]).average_precision(np.ones(2)) == 1.0


@pytest.mark.parametrize(
    "aggregator", [MeanAveragePrecision(), MicroAveragePrecision(), MeanAreaUnderCurve(), DPrime()]
)
def test_a_weight_counts_like_copies_of_a_recording(aggregator: MeanAveragePrecision) -> None:
    stats = make_stats(1)
    weights = np.random.default_rng(2).integers(0, 4, len(stats))
    copies = [stat for stat, weight in zip(stats, weights, strict=True) for _ in range(weight)]
    assert aggregator.prepare_weighted(stats)(weights.astype(float)) == pytest.approx(aggregator(copies))


def test_the_order_of_recordings_does_not_matter() -> None:
    stats = make_stats(3)
    assert MeanAveragePrecision()(stats[::-1]) == pytest.approx(MeanAveragePrecision()(stats))


def test_d_prime_of_a_perfect_ranking_is_finite_and_that_of_half_a_wrong_pair() -> None:
    stats = [(0.9, 1), (0.8, 1), (0.2, 0), (0.1, 0), (0.0, 0)]
    assert DPrime()(stats) == pytest.approx(math.sqrt(2) * NormalDist().inv_cdf(1 - 1 / 12))
    assert to_d_prime(0.5, 0.01) == 0.0
    assert math.isnan(to_d_prime(math.nan, 0.01))


def test_the_interval_of_d_prime_is_that_of_the_area() -> None:
    stats = make_stats(4)
    area = compute_interval(stats, MeanAreaUnderCurve())
    interval = compute_interval(stats, DPrime())
    assert (interval.low, interval.high) == pytest.approx((to_d_prime(area.low, 1e-3), to_d_prime(area.high, 1e-3)))
    assert interval.low < DPrime()(stats) < interval.high


def test_details_list_every_class_with_its_base_rate_and_name_rare_ones() -> None:
    sample = Sample(id="1", inputs={"choices": ["dog", "rain", "train"]}, target=[])
    aggregator = MeanAveragePrecision()
    named = aggregator.with_contexts([aggregator.extract_context(sample)])
    stats = [(0.9, 0.1, 0.0, 1, 0, 0), (0.2, 0.7, 0.0, 0, 1, 0), (0.1, 0.8, 0.0, 0, 0, 0)]
    details = named.details(stats)
    assert details["classes_without_positives"] == ["train"]
    assert details["classes_with_few_positives"] == ["dog", "rain"]
    assert details["tag_classes"]["rain"]["ap"] == 0.5
    assert details["tag_classes"]["rain"]["auc"] == 0.5
    assert details["tag_classes"]["dog"]["base_rate"] == pytest.approx(1 / 3)
    assert details["tag_classes"]["train"]["ap"] is None


def test_every_class_has_an_interval_around_its_average_precision() -> None:
    classes = MeanAveragePrecision().details(make_stats(6, size=120))["tag_classes"].values()
    assert all(figures["low"] < figures["ap"] < figures["high"] for figures in classes)
    perfect = MeanAveragePrecision().details([(0.9, 1), (0.8, 1), (0.1, 0), (0.2, 0)])["tag_classes"]["1"]
    assert perfect["high"] == 1.0
    assert perfect["low"] < 0.6  # from four recordings


def test_the_base_rate_is_the_mean_average_precision_of_equal_scores() -> None:
    stats = make_stats(5)
    constant = [(0.5,) * 3 + stat[3:] for stat in stats]
    assert base_rates([stat[3:] for stat in stats]) == pytest.approx(MeanAveragePrecision()(constant))
    assert math.isnan(base_rates([(0.0, 0.0)]))
