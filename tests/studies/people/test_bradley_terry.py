"""Bradley-Terry strengths: the known toy, symmetry, and systems that are not connected."""

import math

import numpy as np
import pytest

from auricle.studies.people.bradley_terry import (
    BradleyTerryAggregator,
    NotConnected,
    fit_bradley_terry,
    is_strongly_connected,
)

TOY = np.array([[0.0, 7.0, 8.0], [3.0, 0.0, 7.0], [2.0, 3.0, 0.0]])
"""a-b 7:3, a-c 8:2, b-c 6:2 and two ties."""


def test_the_toy_has_its_known_strengths() -> None:
    strengths = fit_bradley_terry(TOY)
    assert np.exp(strengths - strengths[2]).round(3).tolist() == [4.539, 2.13, 1.0]
    assert strengths[0] == pytest.approx(0.7563, abs=5e-5)
    assert strengths.mean() == pytest.approx(0)


def test_expected_wins_equal_observed_wins_at_the_maximum() -> None:
    strengths = fit_bradley_terry(TOY)
    probabilities = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    np.fill_diagonal(probabilities, 0)
    assert ((TOY + TOY.T) * probabilities).sum(axis=1) == pytest.approx(TOY.sum(axis=1))


def test_two_systems_have_the_logit_of_their_share() -> None:
    strengths = fit_bradley_terry(np.array([[0.0, 9.0], [3.0, 0.0]]))
    assert strengths[0] - strengths[1] == pytest.approx(math.log(3))


def test_very_unequal_systems_converge() -> None:
    strengths = fit_bradley_terry(np.array([[0.0, 100_000.0], [1.0, 0.0]]))
    assert strengths[0] - strengths[1] == pytest.approx(math.log(100_000))


@pytest.mark.parametrize(
    "wins",
    [
        [[0.0, 5.0], [0.0, 0.0]],
        [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]],
        [[0.0, 2.0, 2.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
    ],
)
def test_systems_that_are_not_connected_are_refused(wins: list[list[float]]) -> None:
    with pytest.raises(NotConnected, match="never preferred"):
        fit_bradley_terry(np.array(wins))


def test_a_cycle_is_connected_and_a_chain_is_not() -> None:
    cycle = np.roll(np.eye(5, dtype=bool), 1, axis=1)
    assert is_strongly_connected(cycle)
    assert not is_strongly_connected(np.triu(cycle))


def test_the_aggregator_counts_ties_as_half_a_win() -> None:
    stats = [(1.0, 0, 1)] * 7 + [(0.0, 0, 1)] * 3 + [(1.0, 0, 2)] * 8 + [(0.0, 0, 2)] * 2
    stats += [(1.0, 1, 2)] * 6 + [(0.0, 1, 2)] * 2 + [(0.5, 1, 2)] * 2
    assert BradleyTerryAggregator(0, 3)(stats) == pytest.approx(0.7563, abs=5e-5)
    assert BradleyTerryAggregator(0, 3).explain_absence(stats) is None


def test_the_aggregator_explains_why_there_is_no_strength() -> None:
    reason = BradleyTerryAggregator(0, 2).explain_absence([(1.0, 0, 1)])
    assert reason is not None
    assert "never preferred" in reason
