"""Pitch and mel-cepstra."""

from __future__ import annotations

import numpy as np
import pytest

from auricle.tasks.speech.metrics.world import ALPHA, ORDER, analyse, to_mel_cepstrum
from tests.support.extras import require_extra
from tests.support.spoken import RATE, make_speech


def warp_by_integration(power: np.ndarray, order: int, alpha: float) -> np.ndarray:
    """Sample the log amplitude at warped frequencies, and take its cosine series."""
    size = 2 * (len(power) - 1)
    log_amplitude = 0.5 * np.log(np.concatenate([power, power[-2:0:-1]]))
    cepstrum = np.fft.ifft(log_amplitude).real
    count = 16_384
    warped = 2 * np.pi * np.arange(count) / count
    plain = warped - 2 * np.arctan2(alpha * np.sin(warped), 1 + alpha * np.cos(warped))
    quefrencies = np.arange(1, size // 2)
    values = cepstrum[0] + cepstrum[size // 2] * np.cos(size // 2 * plain)
    values = values + 2 * np.cos(np.outer(plain, quefrencies)) @ cepstrum[1 : size // 2]
    series = np.fft.fft(values).real / count
    return np.concatenate([series[:1], 2 * series[1 : order + 1]])


def test_mel_cepstra_are_the_cosine_series_over_warped_frequencies() -> None:
    random = np.random.default_rng(3)
    for alpha in (0.0, ALPHA):
        power = np.exp(np.cumsum(0.1 * random.standard_normal((2, 65)), axis=1))
        expected = [warp_by_integration(row, ORDER, alpha) for row in power]
        np.testing.assert_allclose(to_mel_cepstrum(power, ORDER, alpha), expected, atol=1e-9)


def test_a_louder_spectrum_differs_in_the_first_coefficient_only() -> None:
    power = np.exp(np.random.default_rng(0).standard_normal((3, 513)))
    difference = to_mel_cepstrum(4 * power) - to_mel_cepstrum(power)
    np.testing.assert_allclose(difference[:, 0], np.log(2), atol=1e-9)
    np.testing.assert_allclose(difference[:, 1:], 0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("pitch", [110.0, 220.0])
def test_the_pitch_of_made_up_speech_is_that_it_was_made_with(pitch: float) -> None:
    require_extra("speech-quality")
    analysis = analyse(make_speech(1.0, pitch))
    voiced = analysis.pitch[analysis.pitch > 0]
    assert len(analysis.pitch) == len(analysis.cepstrum) == 201
    assert len(voiced) > 60
    assert np.median(voiced) == pytest.approx(pitch, rel=0.11)


@pytest.mark.slow
def test_silence_has_no_pitch() -> None:
    require_extra("speech-quality")
    assert not analyse(np.zeros(RATE)).pitch.any()
