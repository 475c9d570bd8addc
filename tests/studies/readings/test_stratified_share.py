"""Shares of finite populations, against an enumeration of all populations and simulated samples."""

import math
import random

import pytest

from auricle.studies.readings.stratified_share import TAIL, Stratum, estimate_share, exact_interval


def enumerate_interval(population: int, labelled: int, hits: int) -> tuple[float, float]:
    """Return the ends of all populations under which neither so many hits nor so few are too unlikely."""

    def probability(total: int, counts: range) -> float:
        ways = (math.comb(total, count) * math.comb(population - total, labelled - count) for count in counts)
        return sum(ways) / math.comb(population, labelled)

    possible = [
        total
        for total in range(hits, population - (labelled - hits) + 1)
        if probability(total, range(hits, labelled + 1)) > TAIL and probability(total, range(hits + 1)) > TAIL
    ]
    return possible[0] / population, possible[-1] / population


@pytest.mark.parametrize(("population", "labelled"), [(30, 7), (40, 20), (12, 12), (9, 1)])
def test_the_interval_of_a_stratum_equals_an_enumeration(population: int, labelled: int) -> None:
    for hits in range(labelled + 1):
        assert exact_interval(population, labelled, hits) == enumerate_interval(population, labelled, hits)


def test_a_large_population_is_like_an_infinite_one() -> None:
    low, high = exact_interval(10**6, 50, 49)
    assert low == pytest.approx(0.8935, abs=1e-4)  # Clopper and Pearson
    assert high == pytest.approx(0.9995, abs=1e-4)


def test_strata_weigh_as_much_as_their_populations() -> None:
    estimate = estimate_share([Stratum(900, 50, 50), Stratum(100, 100, 40)])
    assert estimate
    share, low, high = estimate
    assert share == pytest.approx(0.94)
    assert low == pytest.approx(share - 0.9 * (1 - exact_interval(900, 50, 50)[0]))
    assert high == pytest.approx(share)  # the second is known completely


def test_distances_to_the_ends_of_strata_are_combined_as_deviations() -> None:
    estimate = estimate_share([Stratum(900, 50, 45), Stratum(100, 20, 10)])
    assert estimate
    share, low, high = estimate
    ends = (0.9, exact_interval(900, 50, 45), 0.9), (0.1, exact_interval(100, 20, 10), 0.5)
    assert share == pytest.approx(0.86)
    assert share - low == pytest.approx(math.hypot(*(weight * (own - low) for weight, (low, _), own in ends)))
    assert high - share == pytest.approx(math.hypot(*(weight * (high - own) for weight, (_, high), own in ends)))


def test_without_labels_of_every_stratum_there_is_no_estimate() -> None:
    assert estimate_share([Stratum(10, 0, 0), Stratum(3, 3, 3)]) is None
    assert estimate_share([Stratum(0, 0, 0)]) is None
    assert estimate_share([Stratum(0, 0, 0), Stratum(3, 3, 2)]) == (2 / 3, 2 / 3, 2 / 3)


def test_intervals_cover_the_true_share_in_at_least_95_percent_of_samples() -> None:
    rng = random.Random(7)
    others = [index >= 12 for index in range(300)]  # 96 % right
    weak = [index >= 8 for index in range(20)]
    truth = (sum(others) + sum(weak)) / 320
    covered = 0
    for _ in range(400):
        estimate = estimate_share([Stratum(300, 50, sum(rng.sample(others, 50))), Stratum(20, 20, sum(weak))])
        assert estimate
        covered += estimate[1] <= truth <= estimate[2]
    assert covered >= 380
