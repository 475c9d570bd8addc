"""Bands of frequencies."""

from typing import Any

import numpy as np
import pytest
import soxr
from scipy.signal import butter, freqs

from auricle.core.errors import SpecError
from auricle.media.perturbations.bands import Band, Resample
from auricle.media.perturbations.base import Sound, make_generator
from tests.support.speech_like import speak

RANDOM = make_generator("a", "band")


def test_gain_is_that_of_butterworth_filters_of_order_8() -> None:
    frequencies = np.linspace(20, 7_900, 400)
    low = np.abs(freqs(*butter(8, 300, "highpass", analog=True), frequencies)[1])
    high = np.abs(freqs(*butter(8, 3_400, "lowpass", analog=True), frequencies)[1])
    assert np.allclose(Band("telephone").get_gain(frequencies), low * high, rtol=1e-6)


def test_impulse_is_filtered_without_a_delay() -> None:
    impulse = np.zeros(8_001, np.float32)
    impulse[4_000] = 1
    filtered = Band(low=300, high=3_400).apply(Sound(impulse, 16_000), RANDOM, []).sound.samples
    assert int(np.argmax(filtered)) == 4_000
    assert np.allclose(filtered, filtered[::-1], atol=1e-6)
    spectrum = np.abs(np.fft.rfft(filtered))
    frequencies = np.fft.rfftfreq(8_001, 1 / 16_000)
    assert np.allclose(spectrum, Band("telephone").get_gain(frequencies), atol=1e-3)


def test_tones_inside_the_band_stay_and_tones_outside_vanish() -> None:
    times = np.arange(16_000) / 16_000
    for frequency, gain in ((1_000, 1.0), (100, 0.0), (6_800, 0.0), (3_400, 0.5**0.5)):
        tone = Sound((0.5 * np.sin(2 * np.pi * frequency * times)).astype(np.float32), 16_000)
        middle = Band("300-3400").apply(tone, RANDOM, []).sound.samples[4_000:12_000]
        assert 2 * np.sqrt(2 * np.mean(middle**2)) == pytest.approx(gain, abs=0.01)


def test_result_beyond_full_scale_is_scaled_down() -> None:
    square = Sound(np.sign(np.sin(2 * np.pi * 500 * np.arange(16_000) / 16_000) + 0.01).astype(np.float32), 16_000)
    result = Band(high=3_400.0).apply(square, RANDOM, [])
    assert np.abs(result.sound.samples).max() == 1
    assert -3 < result.measured["gain"] < -0.5


def test_all_forms_of_a_band_are_one_perturbation() -> None:
    assert Band("telephone") == Band("300-3400") == Band(low=300.0, high=3400.0)
    assert str(Band("telephone")) == "band:low=300,high=3400"
    assert (Band("wideband").level, Band(high=4000.0).family, Band(low=100.0).level) == (7000, "band", None)


def test_resampling_is_that_of_soxr_and_keeps_the_length() -> None:
    sound = speak(0.51)
    lowered = Resample(8_000).apply(sound, RANDOM, []).sound
    expected = soxr.resample(soxr.resample(sound.samples, 16_000, 8_000), 8_000, 16_000)
    assert lowered.rate == 16_000
    assert np.array_equal(lowered.samples, expected[: len(sound.samples)])
    assert np.array_equal(Resample(16_000).apply(sound, RANDOM, []).sound.samples, sound.samples)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "give a band such as 300-3400"),
        ({"band": "radio"}, "two frequencies such as 300-3400, or one of telephone, wideband, not radio"),
        ({"band": "300-3400", "low": 5.0}, "either a band, or low= and high="),
        ({"low": 500.0, "high": 400.0}, r"low must be below high \(400 Hz\), not 500"),
        ({"high": -1.0}, "high must be a frequency in Hz above zero"),
    ],
)
def test_invalid_bands_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        Band(**arguments)


def test_lowest_rate_is_accepted() -> None:
    assert Resample(500).level == 500
    with pytest.raises(SpecError, match="between 500"):
        Resample(499)


def test_invalid_rate_is_refused() -> None:
    with pytest.raises(SpecError, match="resample: rate must be between 500"):
        Resample(10)
