"""Mel spectra against sums written out for single frequencies."""

import numpy as np
import pytest

from auricle.media.mel import mel_filterbank, mel_power


def test_every_filter_has_area_one() -> None:
    filters = mel_filterbank(16_000, 4_000, 40)  # fine enough that the sum is close to the integral
    assert filters.sum(axis=1) * (16_000 / 4_000) == pytest.approx(np.ones(40), rel=0.02)


def test_filters_are_evenly_spaced_below_1000_hz() -> None:
    peaks = mel_filterbank(16_000, 16_000, 40).argmax(axis=1)  # in Hz, at one bin per Hz
    steps = np.diff(peaks[peaks < 900])
    assert steps.min() >= steps.max() - 1
    assert np.diff(peaks[peaks > 1200]).min() > steps.max()


def test_a_tone_has_its_power_in_the_band_around_it() -> None:
    tone = np.sin(2 * np.pi * 1000 * np.arange(16_000) / 16_000)
    power = mel_power(tone, 16_000, 400, 160, 40)
    assert power.shape == (101, 40)
    peak = mel_filterbank(16_000, 400, 40)[:, 25].argmax()  # bin 25 is 1000 Hz
    assert (power[5:-5].argmax(axis=1) == peak).all()


def test_frames_are_centred_on_hops() -> None:
    click = np.zeros(1_600)
    click[800] = 1.0
    energy = mel_power(click, 16_000, 400, 160, 40).sum(axis=1)
    assert energy.argmax() == 5
    assert energy[4] == pytest.approx(energy[6])
