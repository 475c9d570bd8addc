"""Ranks in data that is drawn again."""

import numpy as np
import pytest

from auricle.metrics.base import Array, MeanAggregator, RatioAggregator, WeightedAggregator, mean, ratio
from auricle.metrics.confusion import ConfusionAggregator
from auricle.metrics.labels import macro_f1
from auricle.metrics.rank_intervals import ModelStats, compute_rank_intervals

COUNT = 200


def draw_hits(share: float, seed: int, count: int = COUNT) -> Array:
    hits: Array = (np.random.default_rng(seed).random(count) < share).astype(np.float64)
    return hits


def independent(stats: Array, aggregate: MeanAggregator | RatioAggregator = mean) -> ModelStats:
    return ModelStats(stats, np.arange(len(stats)), aggregate)


def test_clearly_different_models_have_certain_ranks() -> None:
    models = [independent(draw_hits(share, seed)) for seed, share in enumerate((0.9, 0.5, 0.1))]
    assert compute_rank_intervals(models, COUNT, higher_is_better=True) == [(1, 1), (2, 2), (3, 3)]
    assert compute_rank_intervals(models, COUNT, higher_is_better=False) == [(3, 3), (2, 2), (1, 1)]


def test_models_of_equal_quality_may_have_either_rank() -> None:
    models = [independent(draw_hits(0.5, seed)) for seed in (1, 2)]
    assert compute_rank_intervals(models, COUNT, higher_is_better=True) == [(1, 2), (1, 2)]


def test_identical_models_are_tied_in_every_draw() -> None:
    stats = draw_hits(0.5, 1)
    models = [independent(stats), independent(stats.copy()), independent(np.zeros(COUNT))]
    assert compute_rank_intervals(models, COUNT, higher_is_better=True) == [(1, 2), (1, 2), (3, 3)]


def test_draws_are_paired() -> None:
    """A model that is right wherever the other is, and on ten more samples, is better in nearly every draw."""
    weak = draw_hits(0.5, 3)
    strong = weak.copy()
    strong[np.flatnonzero(weak == 0)[:10]] = 1.0
    paired = compute_rank_intervals([independent(strong), independent(weak)], COUNT, higher_is_better=True)
    assert paired == [(1, 1), (2, 2)]
    shuffled = np.random.default_rng(0).permutation(weak)
    unpaired = compute_rank_intervals([independent(strong), independent(shuffled)], COUNT, higher_is_better=True)
    assert unpaired == [(1, 2), (1, 2)]


def test_clusters_are_drawn_as_a_whole() -> None:
    """Twenty samples of each of ten speakers are not two hundred independent ones."""
    speakers = np.repeat(np.arange(10), 20)
    first = np.repeat(np.array([1, 1, 1, 1, 1, 1, 0, 0, 0, 0], dtype=np.float64), 20)
    second = np.repeat(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 0], dtype=np.float64), 20)
    clustered = [ModelStats(stats, speakers, mean) for stats in (first, second)]
    assert compute_rank_intervals(clustered, 10, higher_is_better=True) == [(1, 2), (1, 2)]


def test_rates_are_pooled_over_the_drawn_samples() -> None:
    generator = np.random.default_rng(5)
    words = generator.integers(5, 20, COUNT).astype(np.float64)
    models = [independent(np.column_stack([generator.binomial(10, p, COUNT), words]), ratio) for p in (0.1, 0.4)]
    assert compute_rank_intervals(models, COUNT, higher_is_better=False) == [(1, 1), (2, 2)]


def test_samples_that_one_model_lacks_are_drawn_for_the_others() -> None:
    half = ModelStats(np.ones(COUNT // 2), np.arange(COUNT // 2), mean)
    assert compute_rank_intervals([half, independent(np.zeros(COUNT))], COUNT, higher_is_better=True) == [
        (1, 1),
        (2, 2),
    ]


def test_a_number_that_is_undefined_in_a_draw_ranks_last() -> None:
    one_sample = ModelStats(np.ones(1), np.zeros(1, dtype=np.int64), mean)
    intervals = compute_rank_intervals([one_sample, independent(np.zeros(COUNT))], COUNT, higher_is_better=True)
    assert intervals == [(1, 2), (1, 2)]


def test_numbers_that_are_no_sums_are_computed_from_weights() -> None:
    aggregate = macro_f1.aggregate
    assert isinstance(aggregate, ConfusionAggregator)
    truth = ["a", "b"] * 50
    right = [(label, label) for label in truth]
    wrong = [("a", label) for label in truth]
    models = [ModelStats(stats, np.arange(100), aggregate) for stats in (right, wrong)]
    assert all(model.can_be_drawn for model in models)
    assert compute_rank_intervals(models, 100, higher_is_better=True) == [(1, 1), (2, 2)]


@pytest.mark.parametrize(("aggregate", "can_be_drawn"), [(mean, True), (WeightedAggregator(), True), (max, False)])
def test_an_unknown_function_cannot_be_drawn(aggregate: object, can_be_drawn: bool) -> None:
    assert ModelStats([1.0], np.zeros(1, dtype=np.int64), aggregate).can_be_drawn == can_be_drawn  # type: ignore[arg-type]
