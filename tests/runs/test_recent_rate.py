"""Rates over the last minute."""

import pytest

from auricle.runs.recent_rate import RecentRate


def rate_of(*observations: tuple[float, int], now: float) -> float | None:
    rate = RecentRate()
    for time, count in observations:
        rate.observe(time, count)
    return rate.get(now)


@pytest.mark.parametrize("observations", [(), ((1.0, 0),), ((1.0, 5), (9.0, 5))])
def test_there_is_no_rate_before_something_is_added(observations: tuple[tuple[float, int], ...]) -> None:
    assert rate_of(*observations, now=10.0) is None


def test_answers_of_the_first_batch_are_not_taken_for_a_rate() -> None:
    assert rate_of((10.0, 1), (10.1, 8), (14.1, 9), (14.2, 16), now=14.2) == pytest.approx(8 / 4.2)


def test_rate_falls_while_nothing_is_added() -> None:
    assert rate_of((0.0, 0), (10.0, 10), now=20.0) == 0.5


def test_what_is_more_than_a_minute_ago_does_not_count() -> None:
    observations = [(float(second), second) for second in range(100)]
    observations += [(100.0 + second, 100 + 10 * second) for second in range(61)]
    assert rate_of(*observations, now=160.0) == pytest.approx(10.0)
