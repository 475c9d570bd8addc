"""Reverberation."""

from typing import Any

import numpy as np
import pytest
from scipy.signal import fftconvolve

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import Sound, make_generator
from auricle.media.perturbations.levels import measure_active_level
from auricle.media.perturbations.reverb import Reverb, make_response, measure_decay
from tests.support.speech_like import speak


@pytest.mark.parametrize("t60", [0.2, 0.4, 0.8])
@pytest.mark.parametrize("drr", [-5.0, 6.0])
def test_response_has_the_decay_and_the_ratio_that_were_asked_for(t60: float, drr: float) -> None:
    result = Reverb(t60, drr).apply(speak(0.5), make_generator("a", "reverb"), [])
    assert result.measured["t60"] == pytest.approx(t60, rel=0.1)
    assert result.measured["drr"] == pytest.approx(drr, abs=0.1)


def test_decay_of_an_exact_exponential_is_its_time() -> None:
    times = np.arange(16_000) / 16_000
    assert measure_decay(10 ** (-3 * times / 0.5), 16_000) == pytest.approx(0.5, rel=1e-3)


def test_recording_is_convolved_with_the_response_and_keeps_level_and_start() -> None:
    sound = speak(1.0)
    reverberant = Reverb(0.4, 3.0).apply(sound, make_generator("a", "reverb"), []).sound
    response = make_response(0.4, 3.0, 16_000, make_generator("a", "reverb"))
    expected = fftconvolve(sound.samples, response)
    assert response[0] == 1
    assert not response[1:40].any()
    assert len(reverberant.samples) == len(expected) == 16_000 + 6_400
    assert np.corrcoef(reverberant.samples, expected)[0, 1] > 0.999999
    assert measure_active_level(*reverberant).level == pytest.approx(measure_active_level(*sound).level, abs=0.02)


def test_rooms_of_one_sample_differ_only_in_their_decay() -> None:
    short, long = (make_response(t60, 0.0, 16_000, make_generator("a", "reverb")) for t60 in (0.3, 0.9))
    count = len(short)
    assert np.array_equal(np.sign(short), np.sign(long[:count]))


def test_silence_stays_silent() -> None:
    result = Reverb(0.1).apply(Sound(np.zeros(100, np.float32), 16_000), make_generator("a", "reverb"), [])
    assert not result.sound.samples.any()


def test_direct_sound_and_reverberation_are_equally_strong_by_default() -> None:
    assert Reverb(0.3).apply(speak(0.2), make_generator("a", ""), []).measured["drr"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("arguments", "problem"), [({"t60": 0.0}, "t60 must be"), ({"t60": 1.0, "drr": 90.0}, "drr")])
def test_invalid_arguments_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        Reverb(**arguments)
