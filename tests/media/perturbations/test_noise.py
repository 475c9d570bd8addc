"""Noise and competing talkers at a signal-to-noise ratio."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import AudioError, SpecError
from auricle.media.perturbations.base import PerturbedSound, Sound, make_generator
from auricle.media.perturbations.catalogue import parse_chain
from auricle.media.perturbations.levels import measure_active_level, measure_rms_level
from auricle.media.perturbations.noise import BABBLE_TALKERS, Noise, Talker
from auricle.media.perturbations.noise_sources import make_coloured_noise
from auricle.media.perturbations.segments import draw_segment
from tests.support.speech_like import speak

SPEECH = speak(2.0)
OTHERS = [speak(seconds, rate, seed) for seed, (seconds, rate) in enumerate([(1.0, 16_000), (3.0, 8_000)] * 3, 1)]
KINDS: list[Any] = ["white", "pink", "brown", "speech", "babble", "music"]


def apply(perturbation: Noise | Talker, sound: Sound = SPEECH, sample: str = "a") -> PerturbedSound:
    others = OTHERS[: perturbation.needed_sounds]
    return perturbation.apply(sound, make_generator(sample, perturbation.seed_name), others)


def added_noise(result: PerturbedSound, sound: Sound = SPEECH) -> Any:
    gain = 10 ** (result.measured["gain"] / 20)
    return result.sound.samples.astype(np.float64) / gain - sound.samples


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("snr", [20.0, -5.0])
def test_ratio_is_that_of_active_speech_to_noise(kind: Any, snr: float) -> None:
    result = apply(Noise(snr, kind))
    ratio = measure_active_level(*SPEECH).level - measure_rms_level(added_noise(result))
    assert ratio == pytest.approx(snr, abs=0.01)
    assert result.measured["snr"] == pytest.approx(snr, abs=0.01)


def test_ratio_can_be_that_of_the_mean_power() -> None:
    result = apply(Noise(10.0, measure="rms"))
    powers = [np.mean(np.square(part, dtype=np.float64)) for part in (SPEECH.samples, added_noise(result))]
    assert 10 * np.log10(powers[0] / powers[1]) == pytest.approx(10, abs=0.01)


@pytest.mark.parametrize("snr", [10.0, -3.0])
def test_competing_talker_has_an_active_level(snr: float) -> None:
    result = apply(Talker(snr))
    ratio = measure_active_level(*SPEECH).level - measure_active_level(added_noise(result), 16_000).level
    assert ratio == pytest.approx(snr, abs=0.02)
    assert result.measured["snr"] == pytest.approx(snr, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_levels_of_one_sample_share_proportional_noise(kind: Any) -> None:
    first, second = (added_noise(apply(Noise(snr, kind))) for snr in (10.0, 0.0))
    assert np.allclose(first * 10**0.5, second, atol=2e-6)
    other = added_noise(apply(Noise(0.0, kind), sample="b"))
    assert abs(np.corrcoef(second, other)[0, 1]) < 0.6


def test_what_is_added_is_the_noise_that_was_made() -> None:
    white = make_coloured_noise("white", len(SPEECH.samples), 16_000, make_generator("a", "noise"))
    assert np.corrcoef(added_noise(apply(Noise(0.0))), white)[0, 1] > 0.999999
    random = make_generator("a", "noise:kind=babble")
    babble = sum(
        draw_segment(other, len(SPEECH.samples), 16_000, random) / 10 ** (measure_active_level(*other).level / 20)
        for other in OTHERS
    )
    assert np.corrcoef(added_noise(apply(Noise(0.0, "babble"))), babble)[0, 1] > 0.999999


def test_mixture_beyond_full_scale_is_scaled_as_a_whole() -> None:
    result = apply(Noise(-20.0))
    assert np.abs(result.sound.samples).max() <= 1
    assert result.measured["gain"] < -1
    assert apply(Noise(30.0)).measured["gain"] == 0
    assert result.measured["snr"] == pytest.approx(-20, abs=0.01)


def test_talkers_of_babble_are_equally_loud() -> None:
    quiet_first = [Sound(OTHERS[0].samples * np.float32(0.01), 16_000), *OTHERS[1:]]
    results = [
        Noise(0.0, "babble").apply(SPEECH, make_generator("a", "x"), others).sound.samples
        for others in (OTHERS, quiet_first)
    ]
    assert np.corrcoef(results[0], results[1])[0, 1] > 0.999
    assert Noise(0.0, "babble").needed_sounds == BABBLE_TALKERS == 6
    assert (Noise(0.0, "babble").other_sounds, Noise(0.0).other_sounds, Talker(0.0).needed_sounds) == (
        "speakers",
        "",
        1,
    )


def test_files_of_a_folder_are_listed_in_order_and_mixed_in(tmp_path: Path) -> None:
    for name in ("b.wav", "a.WAV", "notes.txt", ".hidden.wav"):
        (tmp_path / name).write_bytes(b"content")
    noise = Noise(5.0, folder=str(tmp_path))
    assert [Path(audio.uri).name for audio in noise.list_files()] == ["a.WAV", "b.wav"]
    assert (noise.kind, noise.other_sounds, noise.needed_sounds) == ("files", "files", 1)
    recorded = speak(0.3, 44_100, 5)
    result = noise.apply(SPEECH, make_generator("a", noise.seed_name), [recorded])
    assert result.measured["snr"] == pytest.approx(5, abs=0.01)
    segment = draw_segment(recorded, len(SPEECH.samples), 16_000, make_generator("a", noise.seed_name))
    assert np.corrcoef(added_noise(result), segment)[0, 1] > 0.999999


def test_path_of_a_folder_decides_neither_key_nor_noise() -> None:
    here, there = Noise(5.0, folder="/a, b+c/100%"), Noise(5.0, folder="other")
    assert here.key == there.key
    assert here.seed_name == there.seed_name
    assert parse_chain(str(here)).steps == (here,)


def test_highest_and_lowest_ratio_are_accepted() -> None:
    assert [Noise(snr).level for snr in (100.0, -100.0)] == [100, -100]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"snr": 200.0}, "noise: snr must be between -100 and 100 dB, not 200."),
        ({"snr": 0.0, "kind": "files"}, "kind=files needs folder=PATH"),
        ({"snr": 0.0, "kind": "pink", "folder": "x"}, "kind=pink takes no folder"),
    ],
)
def test_invalid_arguments_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        Noise(**arguments)


def test_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="contains no recordings"):
        Noise(0.0, folder=str(tmp_path)).list_files()
    with pytest.raises(SpecError, match="does not exist"):
        Noise(0.0, folder=str(tmp_path / "missing")).list_files()


@pytest.mark.parametrize("measure", ["active", "rms"])
def test_silent_recording_has_no_ratio(measure: Any) -> None:
    with pytest.raises(AudioError, match="The recording is silent"):
        apply(Noise(0.0, measure=measure), Sound(np.zeros(16_000, np.float32), 16_000))
