"""Silence that is added, and recordings that are cut."""

from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound, make_generator
from auricle.media.perturbations.levels import measure_rms_level
from auricle.media.perturbations.silence import Pad, Pause, Truncate, find_quiet_position
from tests.support.speech_like import speak

SPEECH = speak(1.0)


def apply(perturbation: Perturbation, sound: Sound = SPEECH) -> PerturbedSound:
    return perturbation.apply(sound, make_generator("a", ""), [])


def test_silence_is_added_before_and_after() -> None:
    samples = apply(Pad(0.5, 0.25)).sound.samples
    assert len(samples) == 28_000
    assert np.array_equal(samples[8_000:24_000], SPEECH.samples)
    assert not samples[:8_000].any()
    assert not samples[24_000:].any()


def test_added_noise_has_its_level() -> None:
    samples = apply(Pad(after=2.0, noise=-50.0)).sound.samples
    assert measure_rms_level(samples[16_000:]) == pytest.approx(-50, abs=0.2)


def test_all_that_is_added_is_the_level() -> None:
    assert (Pad(1.0, 2.0).level, Pad(after=2.0).level) == (3.0, 2.0)
    assert Pad(after=2.0).family == Pad(after=5.0).family == "pad:after"
    assert Pad(before=2.0, noise=-60.0).family == "pad:before,noise=-60"


def test_pause_is_inserted_where_the_recording_is_quiet() -> None:
    samples = SPEECH.samples.copy()
    samples += np.float32(0.01)
    samples[9_000:10_000] = 0
    result = apply(Pause(0.5), Sound(samples, 16_000))
    position = round(result.measured["position"] * 16_000)
    assert position == pytest.approx(9_500, abs=200)
    assert np.array_equal(np.delete(result.sound.samples, slice(position, position + 8_000)), samples)
    assert not result.sound.samples[position : position + 8_000].any()


def test_position_of_a_pause_is_within_the_recording() -> None:
    assert find_quiet_position(Sound(np.zeros(1, np.float32), 16_000)) in (0, 1)
    assert 0.2 <= find_quiet_position(SPEECH) / 16_000 <= 0.8


def test_durations_are_known() -> None:
    assert Pad(0.5, 0.25).change_duration(2.0) == 2.75
    assert Pause(0.5).change_duration(2.0) == 2.5
    assert [Truncate(share=0.25).change_duration(2.0), Truncate(seconds=0.5).change_duration(2.0)] == [0.5, 0.5]
    assert Truncate(seconds=5.0).change_duration(2.0) == 2.0


def test_limits_are_accepted() -> None:
    assert [Pad(600.0, noise=0.0).before, Pad(1.0, noise=-120.0).noise, Truncate(share=1.0).share] == [600, -120, 1]
    assert len(apply(Truncate(seconds=1e-6)).sound.samples) == 1
    assert measure_rms_level(apply(Pause(1.0, noise=-120.0)).sound.samples) < 0


def test_paddings_of_one_sample_share_their_noise() -> None:
    assert Pad(1.0, noise=-60.0).seed_name == Pad(2.0, noise=-60.0).seed_name == "pad"


def test_pause_of_a_short_recording_is_in_its_middle() -> None:
    assert find_quiet_position(Sound(np.ones(100, np.float32), 16_000)) == 50


@pytest.mark.parametrize(
    ("truncate", "count"),
    [(Truncate(share=0.25), 4_000), (Truncate(seconds=0.1), 1_600), (Truncate(seconds=9.0), 16_000)],
)
def test_start_of_the_recording_is_kept(truncate: Truncate, count: int) -> None:
    assert np.array_equal(apply(truncate).sound.samples, SPEECH.samples[:count])


@pytest.mark.parametrize(
    ("kind", "arguments", "problem"),
    [
        (Pad, {}, "give before=, after= or both"),
        (Pad, {"before": -1.0}, "before must be between 0 and 600 s, not -1"),
        (Pad, {"before": 1.0, "noise": 3.0}, "noise must be between -120 and 0 dB"),
        (Pause, {"seconds": 0.0}, "seconds must be above 0"),
        (Truncate, {}, "give either share= or seconds="),
        (Truncate, {"share": 0.5, "seconds": 1.0}, "give either share= or seconds="),
        (Pause, {"seconds": 1.0, "noise": -130.0}, "noise must be between -120 and 0 dB"),
        (Truncate, {"share": 0.0}, "share must be above 0, up to 1"),
        (Truncate, {"seconds": 0.0}, "seconds must be above 0, not 0"),
        (Truncate, {"share": 1.5}, "share must be above 0, up to 1"),
    ],
)
def test_invalid_arguments_are_refused(kind: Any, arguments: Any, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        kind(**arguments)
