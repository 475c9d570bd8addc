"""Numbers by value."""

import random

import numpy as np
import pytest

from auricle import Generation, Sample
from auricle.metrics.base import SupportsScale
from auricle.metrics.scales import SHARE
from auricle.tasks.asr.words.numbers import NumberCounts, count_numbers, number_f1, number_value_errors, numbers


@pytest.mark.parametrize(
    ("reference", "hypothesis", "counts"),
    [
        ("it costs $5.50", "it costs five fifty", (1, 1, 1, 0)),
        ("in nineteen eighty four", "in 1984", (1, 1, 1, 0)),
        ("call five five five, one two", "call 555-12", (1, 1, 1, 0)),
        ("room thirteen", "room thirty", (0, 1, 1, 1)),
        ("room thirteen", "room", (0, 1, 0, 0)),
        ("room", "room 13", (0, 0, 1, 0)),
        ("the 2nd of May", "the second of May", (1, 1, 1, 0)),
        ("wait a second", "wait a second", (0, 0, 0, 0)),
        ("no one came", "none came", (0, 0, 0, 0)),
        ("take 1 pill", "take one pill", (1, 1, 1, 0)),
        ("花了一百五十元", "花了150元", (1, 1, 1, 0)),
        ("", "", (0, 0, 0, 0)),
    ],
)
def test_numbers_are_compared_by_value(reference: str, hypothesis: str, counts: tuple[int, ...]) -> None:
    assert count_numbers(reference, hypothesis) == NumberCounts(*counts)


def test_counts_of_random_numbers_are_those_of_a_comparison_place_by_place() -> None:
    rng = random.Random(5)
    for _ in range(50):
        spoken = [rng.randint(2, 99) for _ in range(5)]
        written = [rng.choice((value, value, value + 1)) for value in spoken]
        reference, hypothesis = (
            " ".join(f"{name} is {value} pounds" for name, value in zip("abcde", values, strict=True))
            for values in (spoken, written)
        )
        equal = sum(map(int.__eq__, spoken, written))
        assert count_numbers(reference, hypothesis) == (equal, 5, 5, 5 - equal)


def test_rates_are_pooled_and_undefined_without_numbers() -> None:
    pairs = [("at 5 or 6 sharp", "at 5 or 6 sharp"), ("at 7", "at 8"), ("at noon", "at 9")]
    samples = [Sample(id=text, inputs={}, target=text) for text, _ in pairs]
    stats = [number_f1.score(sample, Generation(text=text)) for sample, (_, text) in zip(samples, pairs, strict=True)]
    values = {metric.name: metric.aggregate(stats) for metric in numbers}
    assert values == pytest.approx(
        {"number_f1": 4 / 7, "number_recall": 2 / 3, "number_precision": 2 / 4, "number_value_errors": 1 / 3}
    )
    assert number_f1.details(stats) == {
        "right": 2, "in_reference": 3, "in_answer": 4, "wrong_value": 1, "missing": 0, "added": 1,
    }  # fmt: skip
    empty = number_f1.score(Sample(id="1", inputs={}, target="a"), Generation(text="a"))
    assert all(metric.aggregate([empty]) != metric.aggregate([empty]) for metric in numbers)
    bounds = number_value_errors.bound(samples[0])
    assert bounds
    assert [number_value_errors.aggregate([stat]) for stat in bounds] == [1.0, 0.0]


def test_directions_scales_and_badness() -> None:
    assert [metric.higher_is_better for metric in numbers] == [True, True, True, False]
    stats = [(1, 2, 1, 0), (2, 3, 4, 1)]
    for metric in numbers:
        assert isinstance(metric.aggregate, SupportsScale)
        assert metric.aggregate.choose_scale(stats, np.arange(2)) is SHARE
        assert [metric.badness(stat) for stat in stats] == [1.0, 3.0]
