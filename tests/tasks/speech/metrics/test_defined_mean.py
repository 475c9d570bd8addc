"""Means over the answers for which a measure is defined."""

import math

import numpy as np

from auricle.metrics.scales import NONNEGATIVE, REAL
from auricle.tasks.speech.metrics.defined_mean import DefinedMean

MEAN = DefinedMean(("too_short", "noticed"))


def test_undefined_answers_are_left_out_and_counted() -> None:
    stats = [MEAN.make_stat(2.0), MEAN.make_stat(4.0, "noticed"), MEAN.make_stat(None, "too_short")]
    assert MEAN(stats) == 3.0
    assert MEAN.details(stats) == {"defined": 2, "undefined": 1, "too_short": 1, "noticed": 1}


def test_infinite_and_missing_values_are_undefined() -> None:
    for value in (math.inf, -math.inf, math.nan, None):
        assert MEAN.make_stat(value) == (0.0, 0.0, 0.0, 0.0)
    assert math.isnan(MEAN([MEAN.make_stat(None)]))


def test_the_scale_is_the_stated_one() -> None:
    assert MEAN.choose_scale([MEAN.make_stat(0.5)], np.arange(1)) is REAL
    assert DefinedMean((), NONNEGATIVE).choose_scale([(0.5, 1.0)], np.arange(1)) is NONNEGATIVE
