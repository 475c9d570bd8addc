"""Lagging against the formulas of the papers, and against numbers that SimulEval 1.1.4 returned."""

import random

import pytest

from auricle.tasks.calls.metrics.lagging import (
    average_lagging,
    average_proportion,
    differentiable_average_lagging,
    length_adaptive_average_lagging,
)


def test_numbers_equal_those_of_simuleval() -> None:
    delays, source, length = [1000, 1000, 2000, 3000, 4000, 4000], 4000, 5
    assert average_proportion(delays, source, length) == 0.75
    assert average_lagging(delays, source, length) == pytest.approx(600)
    assert length_adaptive_average_lagging(delays, source, length) == pytest.approx(866.6667, abs=1e-3)
    assert differentiable_average_lagging(delays, source) == pytest.approx(1111.1111, abs=1e-3)


def test_a_first_word_after_the_whole_source_lags_by_its_delay() -> None:
    assert average_lagging([5.0, 5.0], 4.0, 2) == 5.0


@pytest.mark.parametrize("seed", range(20))
def test_numbers_equal_a_second_computation_of_the_formulas(seed: int) -> None:
    rng = random.Random(seed)
    source, reference_length, count = rng.uniform(2, 20), rng.randint(1, 12), rng.randint(1, 12)
    delays = sorted(min(source, rng.uniform(0, 1.5 * source)) for _ in range(count))

    def lagging(length: int) -> float:
        total, number = 0.0, 0
        for delay in delays:
            total += delay - number * source / length
            number += 1
            if delay >= source:
                break
        return total / number

    assert average_lagging(delays, source, reference_length) == pytest.approx(lagging(reference_length))
    longest = max(reference_length, count)
    assert length_adaptive_average_lagging(delays, source, reference_length) == pytest.approx(lagging(longest))
    smoothed = [
        max(delays[first] + (index - first) * source / count for first in range(index + 1)) for index in range(count)
    ]
    mean_lag = sum(delay - index * source / count for index, delay in enumerate(smoothed)) / count
    assert differentiable_average_lagging(delays, source) == pytest.approx(mean_lag)
