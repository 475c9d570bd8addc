"""Samples that decide a rate by themselves."""

import doctest

import numpy as np
import pytest

from auricle.metrics import dominance
from auricle.metrics.base import RatioAggregator, mean, ratio
from auricle.metrics.dominance import describe_dominance

REPETITIONS = 300


def draw_errors(rng: np.random.Generator, samples: int, rate: float, concentration: float) -> np.ndarray:
    """Simulate utterances of 25 words on average; a low concentration puts errors into few of them."""
    words = rng.poisson(24, samples) + 1
    rates = rng.beta(rate * concentration, (1 - rate) * concentration, samples)
    return np.column_stack([rng.binomial(words, rates), words]).astype(float)


def test_the_errors_of_an_answer_that_repeats_itself_are_stated() -> None:
    stats = draw_errors(np.random.default_rng(1), 200, 0.02, 8)
    stats[17, 0] = 400
    dominant = describe_dominance(stats, ratio)["dominant"]
    assert dominant["share"] == pytest.approx(400 / stats[:, 0].sum())
    assert dominant["without"] == pytest.approx(ratio(np.delete(stats, 17, axis=0)))
    assert dominant["samples"] == 200


@pytest.mark.parametrize("samples", [20, 50, 200])
@pytest.mark.parametrize(("rate", "concentration"), [(0.02, 8), (0.02, 3), (0.1, 8), (0.4, 4)])
def test_ordinary_errors_have_no_dominant_sample(samples: int, rate: float, concentration: float) -> None:
    rng = np.random.default_rng(samples)
    dominant = sum(
        bool(describe_dominance(draw_errors(rng, samples, rate, concentration), ratio)) for _ in range(REPETITIONS)
    )
    assert dominant == 0


def test_few_samples_few_errors_wrong_answers_and_means_have_none() -> None:
    loop = [(300.0, 10.0)]
    assert not describe_dominance([(1.0, 10.0)] * 10 + loop, ratio)
    assert not describe_dominance([(0.0, 10.0)] * 30 + [(3.0, 10.0)], ratio)
    assert not describe_dominance([(0.0, 10.0)] * 30 + [(25.0, 25.0)], ratio)
    assert not describe_dominance([0.0] * 30 + [1.0], mean)
    assert not describe_dominance([(0.0, 0.0)] * 30, ratio)


def test_seconds_are_not_counted() -> None:
    assert describe_dominance([(0.25, 60.0)] * 30 + [(6.5, 6.0)], RatioAggregator())


def test_example_in_the_docstring_runs() -> None:
    assert doctest.testmod(dominance).failed == 0
