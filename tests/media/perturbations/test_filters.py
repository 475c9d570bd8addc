"""Filters and resampling."""

import numpy as np
import pytest
from scipy.signal import fftconvolve

from auricle.media.perturbations.filters import convolve, fast_length, filter_zero_phase, fit_length, resample
from tests.support.speech_like import speak


def test_fast_lengths_have_only_small_factors_and_are_not_much_longer() -> None:
    for count in (1, 255, 1_000, 160_001, 480_000):
        length = fast_length(count)
        assert count <= length <= max(256, 1.25 * count + 1)
        for factor in (2, 3, 5, 7):
            while length % factor == 0:
                length //= factor
        assert length == 1


def test_filter_multiplies_the_spectrum_without_a_delay() -> None:
    times = np.arange(16_000) / 16_000
    low, high = np.sin(2 * np.pi * 600 * times), np.sin(2 * np.pi * 1_500 * times)
    filtered = filter_zero_phase(low + high, 16_000, lambda f: np.where(f < 1_000, 0.5, 0.0))
    assert np.allclose(filtered[1_000:-1_000], 0.5 * low[1_000:-1_000], atol=0.01)


def test_convolution_is_that_of_scipy() -> None:
    samples, response = speak(0.3).samples, np.random.default_rng(0).standard_normal(700)
    assert np.allclose(convolve(samples, response), fftconvolve(samples, response), atol=1e-6)


def test_resampling_changes_the_length_by_the_ratio_and_never_to_zero() -> None:
    samples = speak(0.5).samples
    assert len(resample(samples, 16_000, 8_000)) == 4_000
    assert np.array_equal(resample(samples, 16_000, 16_000), samples)
    assert len(resample(samples[:1], 16_000, 4_000)) == 1


@pytest.mark.parametrize(("count", "expected"), [(2, [1, 2]), (5, [1, 2, 3, 0, 0])])
def test_length_is_cut_or_filled_with_zeros(count: int, expected: list[float]) -> None:
    assert fit_length(np.array([1, 2, 3]), count).tolist() == expected
