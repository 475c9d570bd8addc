"""Tests of the measures of a recording, against mixtures of known ratio."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from auricle.media.perturbations.levels import measure_active_level
from auricle.media.sound_measures import MIN_BLOCKS, estimate_activity, estimate_band, estimate_snr, measure_signal

Samples = NDArray[np.float32]


def make_phrases(rate: int) -> tuple[NDArray[np.float64], float]:
    """Return syllables in phrases with pauses between them, and their power while there is sound."""
    time = np.arange(6 * rate) / rate
    syllables = np.clip(np.sin(2 * np.pi * 3.5 * time), 0, None) ** 0.5
    envelope = syllables * (np.sin(2 * np.pi * 0.4 * time + 0.5) > -0.4)
    voice = sum(np.sin(2 * np.pi * hertz * time + k) / k for k, hertz in enumerate((150, 300, 450, 900, 1800), 1))
    phrases = voice * envelope
    return phrases, float(np.mean(phrases[envelope > 0.05] ** 2))


def make_noise(count: int, rate: int, *, pink: bool) -> NDArray[np.float64]:
    """Return white or pink noise from 60 Hz on, with a power of 1."""
    spectrum = np.fft.rfft(np.random.default_rng(1).standard_normal(count))
    frequencies = np.fft.rfftfreq(count, 1 / rate)
    spectrum[frequencies < 60] = 0
    spectrum[1:] /= np.sqrt(frequencies[1:]) if pink else 1.0
    noise = np.fft.irfft(spectrum, count)
    scaled: NDArray[np.float64] = noise / np.sqrt(np.mean(noise**2))
    return scaled


@pytest.mark.parametrize("rate", [8_000, 44_100])
@pytest.mark.parametrize("pink", [False, True])
@pytest.mark.parametrize(("decibels", "tolerance"), [(0, 4.0), (5, 2.0), (10, 1.2), (20, 1.0), (40, 1.0)])
def test_snr_of_a_known_mixture_is_estimated(rate: int, pink: bool, decibels: int, tolerance: float) -> None:
    phrases, power = make_phrases(rate)
    noise = make_noise(len(phrases), rate, pink=pink) * math.sqrt(power / 10 ** (decibels / 10))
    mixture = (0.05 * (phrases + noise) + 0.1).astype(np.float32)  # with an offset, as of cheap sound cards
    assert estimate_snr(mixture, rate) == pytest.approx(decibels, abs=tolerance)


@pytest.mark.parametrize(
    "samples",
    [
        np.sin(0.1 * np.arange(32_000)),
        0.1 * np.random.default_rng(2).standard_normal(64_000),
        np.zeros(32_000),
        np.ones((MIN_BLOCKS - 1) * 320),
    ],
    ids=["tone", "noise", "silence", "too short"],
)
def test_recording_without_pauses_has_no_snr(samples: NDArray[np.float64]) -> None:
    assert math.isnan(estimate_snr(samples.astype(np.float32), 16_000))


def test_speech_between_digital_silence_has_a_high_but_finite_snr() -> None:
    assert 60 < estimate_snr((0.1 * make_phrases(16_000)[0]).astype(np.float32), 16_000) < 100


def test_level_and_peak_are_relative_to_full_scale() -> None:
    measures = measure_signal((0.5 * np.sin(0.1 * np.arange(62_832))).astype(np.float32), 16_000)
    assert measures.peak == pytest.approx(20 * math.log10(0.5), abs=0.01)
    assert measures.level == pytest.approx(measures.peak - 3.01, abs=0.01)
    assert measures.clipped == 0


def test_clipped_samples_are_counted() -> None:
    samples = np.array([1.0, -1.0, 0.5, 0.0], np.float32)
    assert measure_signal(samples, 16_000).clipped == 0.5


def test_empty_recording_has_no_measures() -> None:
    assert all(math.isnan(value) for value in measure_signal(np.zeros(0, np.float32), 16_000))


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
@pytest.mark.parametrize("pause", [0.0, 2.0, 6.0])
def test_activity_is_about_that_of_p56(rate: int, pause: float) -> None:
    phrases = 0.1 * make_phrases(rate)[0]
    samples = np.concatenate([phrases, np.zeros(round(pause * rate))])
    samples += 0.0003 * np.random.default_rng(3).standard_normal(len(samples))
    expected = measure_active_level(samples, rate).activity
    assert estimate_activity(samples.astype(np.float32), rate) == pytest.approx(expected, abs=0.06)


def test_upper_limit_of_the_band_is_estimated_whatever_the_rate() -> None:
    rng = np.random.default_rng(4)
    for rate in (16_000, 44_100):
        noise = 0.1 * rng.standard_normal(3 * rate)
        spectrum = np.fft.rfft(noise)
        spectrum[np.fft.rfftfreq(len(noise), 1 / rate) > 3400] = 0
        narrow = np.fft.irfft(spectrum, len(noise)).astype(np.float32)
        assert estimate_band(narrow, rate) == pytest.approx(3400, abs=60)
        assert estimate_band(noise.astype(np.float32), rate) == pytest.approx(rate / 2, rel=0.02)


def test_quiet_consonants_count_for_the_band_as_loud_vowels_do() -> None:
    rate = 16_000
    time = np.arange(rate) / rate
    vowel, fricative = np.sin(2 * np.pi * 300 * time), 0.05 * np.sin(2 * np.pi * 6000 * time)
    assert estimate_band(np.concatenate([vowel, fricative]).astype(np.float32), rate) == pytest.approx(6000, abs=60)


@pytest.mark.parametrize("samples", [np.zeros(32_000), np.zeros(10), np.full(32_000, 0.3)])
def test_silence_has_neither_activity_nor_band(samples: NDArray[np.float64]) -> None:
    assert math.isnan(estimate_band(samples.astype(np.float32), 16_000))
    assert math.isnan(estimate_activity(samples.astype(np.float32), 16_000))
