"""Standard deviations between answers to one text."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auricle.tasks.speech.metrics.seed_spread import spread_over_seeds
from auricle.tasks.speech.metrics.signal_quality import characters_per_second, speech_duration
from tests.support.spoken import RATE, make_answer, make_sample

SPREAD = spread_over_seeds(speech_duration)


def answer(seconds: float) -> object:
    return make_answer(np.full(round(seconds * RATE), 0.1, np.float32))


def test_variances_within_texts_are_pooled() -> None:
    durations = [(1.0, 1.2, 1.4), (3.0, 3.0)]
    stats = [SPREAD.score(make_sample(), *map(answer, seconds)) for seconds in durations]
    squares = sum(np.var(seconds) * len(seconds) for seconds in durations)
    assert SPREAD.aggregate(stats) == pytest.approx(math.sqrt(squares / 3))
    assert SPREAD.details(stats) == {"texts": 2, "answers": 5}


def test_one_answer_has_no_spread_and_one_without_audio_is_left_out() -> None:
    assert SPREAD.score(make_sample(), answer(1.0)) is None
    assert SPREAD.score(make_sample(), answer(1.0), make_answer(None)) is None
    assert math.isnan(SPREAD.aggregate([(0.0, 0.0)]))


def test_a_metric_of_pairs_is_that_of_each_answer() -> None:
    stat = spread_over_seeds(characters_per_second).score(make_sample("aaaa"), answer(1.0), answer(2.0))
    assert stat == pytest.approx((2.0, 1.0))  # 4 and 2 characters per second


def test_its_name_and_signature_state_what_it_is() -> None:
    assert SPREAD.name == "speech_duration.sd"
    assert SPREAD.signature == "speech_duration.sd:1.sd-within-text"
    assert SPREAD.unit == "s"
    assert not SPREAD.higher_is_better
