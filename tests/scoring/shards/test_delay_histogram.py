"""Delays by bins."""

import random

import numpy as np
import pytest

from auricle.scoring.shards.delay_histogram import DelayHistogram


def test_percentiles_are_known_to_one_per_cent_and_parts_add_up() -> None:
    rng = random.Random(0)
    seconds = [rng.lognormvariate(-1, 1) for _ in range(2000)]
    joined = DelayHistogram.of(seconds[:700])
    joined.add(DelayHistogram.of(seconds[700:]))
    delay = joined.summarise()
    assert delay == DelayHistogram.of(seconds).summarise()
    assert delay is not None
    assert delay.answers == 2000
    assert delay.p50 == pytest.approx(np.percentile(seconds, 50), rel=0.02)
    assert delay.p95 == pytest.approx(np.percentile(seconds, 95), rel=0.02)


def test_nothing_and_few_delays() -> None:
    assert DelayHistogram().summarise() is None
    few = DelayHistogram.of([0.0, 0.2]).summarise()
    assert few is not None
    assert few.p95 is None
