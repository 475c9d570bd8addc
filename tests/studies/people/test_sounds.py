"""Sounds of listening tests: levels, anchors and traps."""

import math

import numpy as np
import pytest

from auricle.core.errors import AudioError
from auricle.media import Audio
from auricle.studies.people.sounds import (
    SoundMeasures,
    SoundSource,
    choose_level,
    choose_rate,
    encode_sound,
    make_trap,
    measure_sound,
    remove_high_frequencies,
)
from tests.support.speech_like import speak

RATE = 16_000


def get_attenuation(cutoff: float, frequency: float) -> float:
    """Return by how many dB a tone is softer after the filter, away from its ends."""
    tone = np.sin(2 * np.pi * frequency * np.arange(RATE) / RATE)
    middle = slice(RATE // 4, -RATE // 4)
    ratio = float(np.std(remove_high_frequencies(tone, RATE, cutoff)[middle]) / np.std(tone[middle]))
    return -20 * math.log10(max(ratio, 1e-6))


def test_anchors_meet_the_mask_of_bs_1534() -> None:
    assert abs(get_attenuation(3500, 3400)) < 0.1
    assert get_attenuation(3500, 4000) > 25
    assert get_attenuation(3500, 4500) > 50
    assert abs(get_attenuation(7000, 6900)) < 0.1
    assert get_attenuation(7000, 7950) > 25


def test_a_trap_is_as_much_noise_as_sound_and_always_the_same() -> None:
    sound = speak()
    trap = make_trap(sound.samples, RATE, "item")
    muffled = remove_high_frequencies(sound.samples, RATE, 1000)
    assert np.std(trap - muffled) == pytest.approx(np.std(muffled), rel=0.05)
    assert np.array_equal(trap, make_trap(sound.samples, RATE, "item"))


def test_the_level_is_lowered_until_no_sound_exceeds_full_scale() -> None:
    measures = [SoundMeasures(-20, 0.5, 1.0), SoundMeasures(-20, 0.1, 1.0)]
    assert choose_level(measures, -26) == -26
    assert choose_level(measures, 0) == pytest.approx(-20 + 6.02 - 0.5, abs=0.01)


def test_a_silent_sound_has_no_level() -> None:
    with pytest.raises(AudioError, match="silent"):
        measure_sound(np.zeros(RATE), RATE)


def test_the_rate_is_the_highest_one_up_to_48_khz() -> None:
    sounds = [Audio.of(np.zeros(100, np.float32), rate=rate) for rate in (8000, 24_000)]
    assert choose_rate(sounds) == 24_000
    assert choose_rate([*sounds, Audio.of(np.zeros(100, np.float32), rate=96_000)]) == 48_000


def test_a_sound_is_changed_when_it_is_loaded_and_encoded_with_its_gain() -> None:
    audio = Audio.of(speak().samples, rate=RATE)
    anchor = SoundSource("item", "anchor-3500", audio, "anchor-3500").load(RATE)
    assert np.array_equal(anchor, remove_high_frequencies(audio.decode(), RATE, 3500))
    louder = Audio.of(encode_sound(anchor, RATE, 6.0)).decode()
    assert np.std(louder) == pytest.approx(2 * np.std(anchor), rel=0.01)
