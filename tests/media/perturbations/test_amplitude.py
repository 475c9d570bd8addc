"""Gain, clipping and quantisation."""

from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.media.perturbations.amplitude import Clip, Gain, Quantise, quantise
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound, make_generator
from auricle.media.perturbations.levels import measure_active_level
from tests.support.speech_like import speak

SPEECH = speak(1.0)
SILENCE = Sound(np.zeros(100, np.float32), 16_000)


def apply(perturbation: Perturbation, sound: Sound = SPEECH) -> PerturbedSound:
    return perturbation.apply(sound, make_generator("a", ""), [])


def test_gain_scales_and_rounds_to_16_bits() -> None:
    quieter = apply(Gain(-20.0)).sound.samples
    assert np.allclose(quieter, SPEECH.samples / 10, atol=0.51 / 32768)
    assert np.array_equal(quieter * 32768, np.round(quieter * 32768))
    assert np.array_equal(quieter * 32768, np.round(SPEECH.samples.astype(float) / 10 * 32768))


def test_clipped_samples_are_counted() -> None:
    sound = Sound(np.array([0.1, 0.6, -0.6, 0.2], np.float32), 16_000)
    result = apply(Gain(6.02), sound)
    assert result.measured == {"clipped": 0.5}
    assert result.sound.samples.tolist()[1:3] == [32767 / 32768, -1.0]


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_share_of_samples_is_clipped_and_the_level_kept(share: float) -> None:
    sound = speak(1.0, level=0.02)
    result = apply(Clip(share), sound)
    sizes = np.abs(result.sound.samples)
    assert np.mean(sizes >= sizes.max() * 0.999999) == pytest.approx(share, abs=1e-3)
    assert result.measured["share"] == pytest.approx(share, abs=1e-3)
    assert measure_active_level(*result.sound).level == pytest.approx(measure_active_level(*sound).level, abs=0.02)
    scale = np.median(result.sound.samples[sound.samples != 0] / sound.samples[sound.samples != 0])
    below = sizes < sizes.max() * 0.999
    assert np.allclose(result.sound.samples[below], sound.samples[below] * scale, atol=1e-6)


def test_more_samples_than_have_any_sound_can_be_clipped() -> None:
    sound = Sound(np.array([0, 0, 0, 0.5, -0.2, 0], np.float32), 16_000)
    assert np.sign(apply(Clip(0.9), sound).sound.samples).tolist() == [0, 0, 0, 1, -1, 0]


@pytest.mark.parametrize("bits", [8, 10, 12])
def test_error_of_rounding_is_six_decibels_less_with_each_bit(bits: int) -> None:
    noise = Sound(np.random.default_rng(0).uniform(-0.99, 0.99, 50_000).astype(np.float32), 16_000)
    result = apply(Quantise(bits), noise)
    assert result.measured["snr"] == pytest.approx(6.02 * bits, abs=0.15)
    assert len(np.unique(result.sound.samples)) <= 1 << bits


def test_rounding_is_to_the_nearest_step() -> None:
    assert quantise(np.array([0.3, -1.0, 1.0, 0.12]), 3).tolist() == [0.25, -1.0, 0.75, 0.0]


@pytest.mark.parametrize("perturbation", [Gain(20.0), Clip(0.1), Quantise(8)])
def test_silence_stays_silent(perturbation: Perturbation) -> None:
    assert not apply(perturbation, SILENCE).sound.samples.any()


def test_limits_are_accepted() -> None:
    assert [Gain(120.0).level, Gain(-120.0).level, Quantise(2).level, Quantise(16).level] == [120, -120, 2, 16]
    assert apply(Clip(0.1), SILENCE).measured == {"share": 0.0, "gain": 0.0}
    assert apply(Quantise(8), SILENCE).measured == {}


@pytest.mark.parametrize(("kind", "value"), [(Gain, 500.0), (Clip, 0.0), (Clip, 1.0), (Quantise, 1), (Quantise, 24)])
def test_invalid_arguments_are_refused(kind: Any, value: float) -> None:
    with pytest.raises(SpecError, match=f"{kind.name}: {kind.level_name} must be between"):
        kind(value)
