"""Levels of recordings."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import lfilter

from auricle.core.errors import AudioError
from auricle.media.perturbations.levels import (
    fit_full_scale,
    measure_active_level,
    measure_rms_level,
    restore_active_level,
    scale_to_level,
    smooth_envelope,
)
from tests.support.speech_like import speak


def measure_by_definition(samples: NDArray[Any], rate: int) -> tuple[float, float]:
    """P.56 sample by sample, with the thresholds of 16 bits."""
    decay = math.exp(-1 / (rate * 0.03))
    thresholds = [2.0**power for power in range(-15, 0)]
    hangover = round(0.2 * rate)
    counts, silent_for = [0] * 15, [hangover] * 15
    first = second = 0.0
    for sample in samples.tolist():
        first = decay * first + (1 - decay) * abs(sample)
        second = decay * second + (1 - decay) * first
        for index, threshold in enumerate(thresholds):
            if second >= threshold:
                counts[index], silent_for[index] = counts[index] + 1, 0
            elif silent_for[index] < hangover:
                counts[index], silent_for[index] = counts[index] + 1, silent_for[index] + 1
    energy = float(np.sum(samples.astype(np.float64) ** 2))
    previous = (0.0, 0.0)
    for count, threshold in zip(counts, thresholds, strict=True):
        level = 10 * math.log10(energy / count)
        margin = level - 20 * math.log10(threshold)
        if margin <= 15.9:
            share = (previous[1] - 15.9) / (previous[1] - margin)
            active = previous[0] + share * (level - previous[0])
            return active, energy / (len(samples) * 10 ** (active / 10))
        previous = level, margin
    raise AssertionError("no threshold is 15.9 dB below the level")


@pytest.mark.parametrize(("rate", "level"), [(16_000, 0.1), (8_000, 0.3), (11_025, 0.004)])
def test_active_level_is_that_of_the_definition(rate: int, level: float) -> None:
    sound = speak(1.7, rate, level=level)
    assert measure_active_level(*sound) == pytest.approx(measure_by_definition(*sound), abs=1e-6)


def test_envelope_is_that_of_two_recursive_filters() -> None:
    samples = speak(0.7).samples
    decay = math.exp(-1 / (16_000 * 0.03))
    expected = np.abs(samples.astype(np.float64))
    for _ in range(2):
        expected = lfilter([1 - decay], [1, -decay], expected)
    assert np.allclose(smooth_envelope(samples, 16_000), expected, rtol=1e-9, atol=1e-15)


def test_silence_around_speech_lowers_the_mean_but_not_the_active_level() -> None:
    samples = speak(3.0).samples
    padded = np.concatenate([np.zeros(64_000, np.float32), samples, np.zeros(64_000, np.float32)])
    assert measure_active_level(padded, 16_000).level == pytest.approx(
        measure_active_level(samples, 16_000).level, abs=0.15
    )
    assert measure_rms_level(padded) < measure_rms_level(samples) - 4
    assert measure_active_level(padded, 16_000).activity == pytest.approx(
        measure_active_level(samples, 16_000).activity * 3 / 11, rel=0.05
    )


def test_level_of_a_tone_is_its_mean_power() -> None:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(80_000) / 16_000)
    assert measure_active_level(tone, 16_000).level == pytest.approx(-9.01, abs=0.01)
    assert measure_rms_level(tone) == pytest.approx(-9.03, abs=0.01)


def test_level_follows_the_gain_even_of_very_quiet_recordings() -> None:
    samples = speak(1.0).samples.astype(np.float64)
    loud, quiet = (measure_active_level(samples * gain, 16_000).level for gain in (1.0, 1e-5))
    assert loud - quiet == pytest.approx(100, abs=0.3)


@pytest.mark.parametrize("count", [1, 160])
def test_recording_that_is_too_short_still_has_a_level(count: int) -> None:
    samples = np.full(count, 0.5, np.float32)
    assert measure_active_level(samples, 16_000).level == pytest.approx(-6.02, abs=0.1)
    assert measure_rms_level(samples) == pytest.approx(-6.02, abs=0.01)


@pytest.mark.parametrize("count", [1, 16_000])
def test_level_of_silence_is_undefined(count: int) -> None:
    with pytest.raises(AudioError, match="The recording is silent"):
        measure_active_level(np.zeros(count, np.float32), 16_000)
    assert measure_rms_level(np.zeros(count)) == -math.inf


def test_scaled_recording_has_the_level_that_was_asked_for() -> None:
    samples = speak(1.0).samples
    assert measure_rms_level(scale_to_level(samples, measure_rms_level(samples), -30.0)) == pytest.approx(-30)


def test_active_level_of_a_changed_recording_is_restored() -> None:
    sound = speak(2.0)
    changed = np.tanh(sound.samples * 30)
    restored = restore_active_level(changed, sound.samples, 16_000)
    assert measure_active_level(restored, 16_000).level == pytest.approx(measure_active_level(*sound).level, abs=0.01)
    assert not restore_active_level(np.zeros(10), np.zeros(10), 16_000).any()


def test_recording_beyond_full_scale_is_scaled_as_a_whole() -> None:
    samples = np.array([0.5, -2.0, 1.0])
    scaled, gain = fit_full_scale(samples)
    assert np.allclose(scaled, samples / 2)
    assert gain == pytest.approx(-6.02, abs=0.01)
    assert fit_full_scale(np.array([0.5, -1.0]))[1] == 0.0
