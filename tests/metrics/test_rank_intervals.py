"""Ranges of ranks, and how often they hold."""

import numpy as np
import pytest

from auricle.core.direction import Direction
from auricle.metrics.base import Array, MeanAggregator, RatioAggregator, WeightedAggregator, mean, ratio
from auricle.metrics.confusion import ConfusionAggregator
from auricle.metrics.distributions import normal_quantile, t_quantile
from auricle.metrics.rank_intervals import (
    ModelStats,
    compute_rank_intervals,
    draw_weights,
    find_rank_intervals,
    widen_for_few_units,
)
from auricle.tasks.labels.metrics import macro_f1

COUNT = 200


def draw_hits(share: float, seed: int, count: int = COUNT) -> Array:
    hits: Array = (np.random.default_rng(seed).random(count) < share).astype(np.float64)
    return hits


def independent(stats: Array, aggregate: MeanAggregator | RatioAggregator = mean) -> ModelStats:
    return ModelStats(stats, np.arange(len(stats)), aggregate)


def test_clearly_different_models_have_certain_ranks() -> None:
    models = [independent(draw_hits(share, seed)) for seed, share in enumerate((0.9, 0.5, 0.1))]
    assert compute_rank_intervals(models, COUNT, direction=Direction.HIGHER) == [(1, 1), (2, 2), (3, 3)]
    assert compute_rank_intervals(models, COUNT, direction=Direction.LOWER) == [(3, 3), (2, 2), (1, 1)]


def test_models_of_equal_quality_may_have_either_rank() -> None:
    models = [independent(draw_hits(0.5, seed)) for seed in (1, 2)]
    assert compute_rank_intervals(models, COUNT, direction=Direction.HIGHER) == [(1, 2), (1, 2)]


def test_identical_models_are_tied_in_every_draw() -> None:
    stats = draw_hits(0.5, 1)
    models = [independent(stats), independent(stats.copy()), independent(np.zeros(COUNT))]
    assert compute_rank_intervals(models, COUNT, direction=Direction.HIGHER) == [(1, 2), (1, 2), (3, 3)]


def test_draws_are_paired() -> None:
    """A model that is right wherever the other is, and on ten more samples, is better in nearly every draw."""
    weak = draw_hits(0.5, 3)
    strong = weak.copy()
    strong[np.flatnonzero(weak == 0)[:10]] = 1.0
    paired = compute_rank_intervals([independent(strong), independent(weak)], COUNT, direction=Direction.HIGHER)
    assert paired == [(1, 1), (2, 2)]
    shuffled = np.random.default_rng(0).permutation(weak)
    unpaired = compute_rank_intervals([independent(strong), independent(shuffled)], COUNT, direction=Direction.HIGHER)
    assert unpaired == [(1, 2), (1, 2)]


def test_clusters_are_drawn_as_a_whole() -> None:
    """Twenty samples of each of ten speakers are not two hundred independent ones."""
    speakers = np.repeat(np.arange(10), 20)
    first = np.repeat(np.array([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], dtype=np.float64), 20)
    second = np.repeat(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 0], dtype=np.float64), 20)
    clustered = [ModelStats(stats, speakers, mean) for stats in (first, second)]
    assert compute_rank_intervals(clustered, 10, direction=Direction.HIGHER) == [(1, 2), (1, 2)]


def test_rates_are_pooled_over_the_drawn_samples() -> None:
    generator = np.random.default_rng(5)
    words = generator.integers(5, 20, COUNT).astype(np.float64)
    models = [independent(np.column_stack([generator.binomial(10, p, COUNT), words]), ratio) for p in (0.1, 0.4)]
    assert compute_rank_intervals(models, COUNT, direction=Direction.LOWER) == [(1, 1), (2, 2)]


def test_samples_that_one_model_lacks_are_drawn_for_the_others() -> None:
    half = ModelStats(np.ones(COUNT // 2), np.arange(COUNT // 2), mean)
    assert compute_rank_intervals([half, independent(np.zeros(COUNT))], COUNT, direction=Direction.HIGHER) == [
        (1, 1),
        (2, 2),
    ]


def test_a_number_that_many_draws_leave_undefined_may_have_any_rank() -> None:
    one_sample = ModelStats(np.ones(1), np.zeros(1, dtype=np.int64), mean)
    intervals = compute_rank_intervals([one_sample, independent(np.zeros(COUNT))], COUNT, direction=Direction.HIGHER)
    assert intervals == [(1, 2), (1, 2)]


def test_numbers_that_are_no_sums_are_computed_from_weights() -> None:
    aggregate = macro_f1.aggregate
    assert isinstance(aggregate, ConfusionAggregator)
    truth = ["a", "b"] * 50
    right = [(label, label) for label in truth]
    wrong = [("a", label) for label in truth]
    models = [ModelStats(stats, np.arange(100), aggregate) for stats in (right, wrong)]
    assert all(model.can_be_drawn for model in models)
    assert compute_rank_intervals(models, 100, direction=Direction.HIGHER) == [(1, 1), (2, 2)]


@pytest.mark.parametrize(("aggregate", "can_be_drawn"), [(mean, True), (WeightedAggregator(), True), (max, False)])
def test_an_unknown_function_cannot_be_drawn(aggregate: object, can_be_drawn: bool) -> None:
    assert ModelStats([1.0], np.zeros(1, dtype=np.int64), aggregate).can_be_drawn == can_be_drawn  # type: ignore[arg-type]


def simulate_ranges(skills: Array, seed: int, count: int = 60) -> list[tuple[int, int]]:
    """Return the ranges of models that answer a new set of samples; what is hard for one is hard for all."""
    generator = np.random.default_rng(seed)
    abilities = np.array([normal_quantile(skill) for skill in skills]) * np.sqrt(2)
    hits = (generator.normal(size=(count, 1)) + generator.normal(size=(count, len(skills))) < abilities).astype(float)
    drawn = np.concatenate([weights @ hits / count for weights in draw_weights(count, 200, seed)])
    return find_rank_intervals(hits.mean(axis=0), drawn, count, direction=Direction.HIGHER)


@pytest.mark.parametrize("skills", [np.full(8, 0.7), np.repeat([0.85, 0.6], 4), np.linspace(0.65, 0.75, 8)])
def test_all_ranges_hold_at_once_in_95_percent_of_data_sets(skills: Array) -> None:
    """Of equal models, any order is true; quantiles of drawn ranks fail here in up to half of the data sets."""
    first, last = ([int(1 + (skills > own).sum()) for own in skills], [int((skills >= own).sum()) for own in skills])
    failures = 0
    for seed in range(60):
        ranges = simulate_ranges(skills, seed)
        failures += not all(
            low <= best and worst <= high for (low, high), best, worst in zip(ranges, first, last, strict=True)
        )
    assert failures <= 7  # 3 expected at most; a binomial of 60 and 5 % exceeds 7 in 1 % of cases


def test_models_that_differ_clearly_have_a_rank_of_their_own() -> None:
    assert simulate_ranges(np.array([0.95, 0.55, 0.1]), 1, 300) == [(1, 1), (2, 2), (3, 3)]


def test_few_samples_do_not_separate_models_that_differ_in_all_of_them() -> None:
    right, wrong = independent(np.ones(5)), independent(np.zeros(5))
    assert compute_rank_intervals([right, wrong], 5, direction=Direction.HIGHER) == [(1, 2), (1, 2)]
    right, wrong = independent(np.ones(6)), independent(np.zeros(6))
    assert compute_rank_intervals([right, wrong], 6, direction=Direction.HIGHER) == [(1, 1), (2, 2)]


def test_the_distance_from_zero_is_ranked_where_zero_is_best() -> None:
    biases = [
        independent(np.random.default_rng(seed).normal(bias, 0.1, COUNT)) for seed, bias in enumerate((-0.5, 0.1))
    ]
    assert compute_rank_intervals(biases, COUNT, direction=Direction.ZERO) == [(2, 2), (1, 1)]


@pytest.mark.parametrize("unit_count", [4, 10, 50, 1000])
def test_limits_are_those_of_students_t(unit_count: int) -> None:
    exact = t_quantile(0.975, unit_count - 1) * np.sqrt(unit_count / (unit_count - 1))
    assert widen_for_few_units(normal_quantile(0.975), unit_count) == pytest.approx(exact, rel=0.02)
    assert widen_for_few_units(1.96, 1) == np.inf
    assert widen_for_few_units(60.0, 2) == np.inf
