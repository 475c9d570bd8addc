"""Event-based F1: tolerances, and matching by brute force."""

from itertools import permutations

import numpy as np
import pytest

from auricle.tasks.sound_events.metrics.event_based import EventSettings, event_f1, event_f1_macro, match_events
from tests.support.sound_events import make_output, make_sample

SETTINGS = EventSettings()


@pytest.mark.parametrize(
    ("true", "detected", "agrees"),
    [
        ((1.0, 2.0), (1.2, 2.2), True),
        ((2.0, 3.0), (2.2, 3.0), True),  # 2.2 - 2.0 is a little more than 0.2 in floating point
        ((1.0, 2.0), (1.21, 2.0), False),
        ((1.0, 2.0), (1.0, 2.21), False),
        ((0.0, 10.0), (0.0, 12.0), True),  # 20 % of ten seconds
        ((0.0, 10.0), (0.0, 12.1), False),
        ((0.0, 10.0), (0.3, 10.0), False),  # the onset has no share of the length
    ],
)
def test_onsets_and_offsets_have_inclusive_tolerances(
    true: tuple[float, float], detected: tuple[float, float], agrees: bool
) -> None:
    assert SETTINGS.agrees(true, detected) is agrees


def test_matching_gives_up_an_early_match_if_more_events_can_be_matched() -> None:
    true, detected = [(1.0, 2.0), (1.15, 2.15)], [(1.1, 2.1), (0.9, 1.9)]
    # The first true event agrees with both detections; taking the first one would leave the second event unmatched.
    assert match_events(true, detected, SETTINGS.agrees) == {0: 1, 1: 0}


def brute_force(table: np.ndarray) -> int:
    """Return the largest number of matches, by trying all assignments."""
    rows, columns = table.shape
    if rows > columns:
        return brute_force(table.T)
    return max((int(sum(table[row, column] for row, column in enumerate(order))) for order in permutations(range(columns), rows)), default=0)  # fmt: skip  # noqa: E501


def test_as_many_events_are_matched_as_possible() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        rows, columns = rng.integers(0, 6, 2)
        table = rng.random((rows, columns)) < 0.4
        true, detected = [(float(row), 0.0) for row in range(rows)], [(float(column), 0.0) for column in range(columns)]
        matches = match_events(true, detected, lambda a, b, table=table: bool(table[int(a[0]), int(b[0])]))  # type: ignore[misc]
        assert len(matches) == brute_force(table)
        assert len(set(matches.values())) == len(matches)
        assert all(table[row, column] for row, column in matches.items())


def test_long_chains_of_matches_do_not_exceed_the_recursion_limit() -> None:
    count = 3000
    true = [(float(index), 0.0) for index in range(count)]
    links = {index: (index, index - 1) for index in range(count)}
    matches = match_events(true[::-1][:50] + true[:1], true, lambda a, b: int(b[0]) in links[int(a[0])])
    assert len(matches) == 51


def test_events_of_another_class_never_match() -> None:
    sample = make_sample([(0, 1, "dog"), (2, 3, "rain")])
    output = make_output([(0, 1, "rain"), (2, 3, "rain"), (5, 6, "dog")])
    assert event_f1.score(sample, output) == (1, 2, 1)
    assert event_f1.aggregate([(1, 2, 1)]) == pytest.approx(0.4)
    assert event_f1_macro.aggregate([event_f1_macro.score(sample, output)]) == pytest.approx((0 + 2 / 3) / 2)


def test_every_event_is_matched_at_most_once() -> None:
    sample, output = make_sample([(0, 1, "dog")]), make_output([(0, 1, "dog"), (0.1, 1.1, "dog")])
    assert event_f1.score(sample, output) == (1, 1, 0)


def test_tolerances_and_matching_are_part_of_the_signature() -> None:
    assert event_f1.signature == "event_f1:2.micro.optimal.collar-0.2.offset-share-0.2.threshold-0.5"
