"""Exact tests over listeners, compared with an enumeration of all signs."""

import itertools
import math

import numpy as np
import pytest

from auricle.metrics.rank_tests import sign_test, signed_rank_test


def enumerate_signs(differences: list[float]) -> float:
    """Return the p value of the signed-rank test by listing all assignments of signs."""
    values = [value for value in differences if value]
    sizes = sorted(abs(value) for value in values)
    ranks = [sizes.index(abs(value)) + (sizes.count(abs(value)) + 1) / 2 for value in values]
    observed = sum(rank for rank, value in zip(ranks, values, strict=True) if value > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=len(values))
    ]
    low, high = sum(total <= observed for total in sums), sum(total >= observed for total in sums)
    return min(1.0, 2 * min(low, high) / len(sums))


@pytest.mark.parametrize("seed", range(8))
def test_signed_ranks_equal_an_enumeration_also_with_ties_and_zeros(seed: int) -> None:
    random = np.random.default_rng(seed)
    differences = random.integers(-3, 5, 9).astype(np.float64)
    assert signed_rank_test(differences) == pytest.approx(enumerate_signs(differences.tolist()))


def test_a_sign_test_is_the_binomial_tail_on_both_sides() -> None:
    assert sign_test(9, 1) == pytest.approx(2 * 11 / 1024)
    assert sign_test(5, 5) == 1.0
    assert sign_test(1, 9) == sign_test(9, 1)


def test_without_differences_there_is_no_p_value() -> None:
    assert math.isnan(sign_test(0, 0))
    assert math.isnan(signed_rank_test(np.zeros(4)))
