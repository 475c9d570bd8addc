"""Chains of perturbations, and audio that is perturbed when it is decoded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import orjson
import pytest

from auricle import Audio
from auricle.core.errors import AudioError, SpecError
from auricle.core.serialization import decode_output, dumps
from auricle.media.perturbations.base import (
    Perturbation,
    PerturbationChain,
    PerturbedSound,
    Sound,
    format_value,
    make_generator,
)
from auricle.media.perturbations.catalogue import parse_chain


@dataclass(frozen=True)
class Pad(Perturbation):
    """Add silence, and mix in another recording if asked to."""

    name: ClassVar[str] = "pad"
    level_name: ClassVar[str] = "seconds"
    seconds: float = 1.0
    mixed: int = 0

    @property
    def needed_sounds(self) -> int:
        return self.mixed

    def apply(self, sound: Sound, random: Any, others: Sequence[Sound]) -> PerturbedSound:
        silence = np.zeros(round(self.seconds * sound.rate), np.float32)
        samples = np.concatenate([sound.samples, silence, *(other.samples for other in others)])
        return PerturbedSound(Sound(samples, sound.rate), {"seconds": self.seconds, "drawn": random.random()})

    def change_duration(self, seconds: float) -> float:
        return seconds + self.seconds


@pytest.fixture
def clip() -> Audio:
    return Audio.of(np.linspace(-0.5, 0.5, 16_000, dtype=np.float32), rate=16_000)


def perturb(audio: Audio, *steps: Perturbation, seed: str = "0|a", others: tuple[Audio, ...] = ()) -> Audio:
    return replace(audio, perturbation=PerturbationChain(steps, seed, others))


def test_decoding_applies_all_steps_in_order(clip: Audio) -> None:
    padded = perturb(clip, Pad(1.0), Pad(0.5))
    assert padded.seconds == 2.5
    assert len(padded.decode()) == 40_000
    assert padded.decode(mono=False).shape == (40_000, 1)
    assert len(padded.decode(8_000)) == 20_000
    assert padded.render().measured["seconds"] == 0.5


def test_slice_is_cut_before_and_perturbed_audio_after_the_perturbation(clip: Audio) -> None:
    assert perturb(clip.segment(0.5), Pad(1.0)).seconds == 1.5
    cut = perturb(clip, Pad(1.0)).segment(0.5, 1.5)
    assert len(cut.decode()) == 16_000
    assert not cut.decode()[8_000:].any()
    assert cut.segment(0.25).seconds == 0.75


def test_rendered_copy_has_the_hash_of_the_perturbed_audio_and_no_path(tone: Any) -> None:
    path: Path = tone("tone.wav")
    noisy = replace(Audio.of(path), perturbation=parse_chain("noise:snr=10", "0|a"))
    rendered = noisy.render().audio
    assert noisy.path is rendered.path is None
    assert rendered.uri == str(path)
    assert rendered.hash == noisy.hash != Audio.of(path).hash
    assert np.array_equal(rendered.decode(), noisy.decode())
    with pytest.raises(AudioError, match="not a complete file"):
        noisy.__fspath__()
    assert rendered.segment(0.05).seconds == pytest.approx(0.05)


def test_hash_depends_on_everything_that_decides_the_sound(clip: Audio) -> None:
    other, third = (Audio.of(np.full(800, value, np.float32), rate=16_000) for value in (0.1, 0.2))
    versions = [
        clip,
        perturb(clip, Pad(1.0)),
        perturb(clip, Pad(2.0)),
        perturb(clip, Pad(1.0), Pad(1.0)),
        perturb(clip, Pad(1.0), seed="1|a"),
        perturb(clip, Pad(1.0, mixed=1), others=(other,)),
        perturb(clip, Pad(1.0, mixed=1), others=(third,)),
    ]
    assert len({audio.hash for audio in versions}) == len(versions)


def test_levels_share_their_random_numbers_and_samples_do_not(clip: Audio) -> None:
    drawn = [perturb(clip, Pad(level), seed=seed).render().measured["drawn"] for level, seed in LEVELS_AND_SEEDS]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


LEVELS_AND_SEEDS = ((1.0, "0|a"), (2.0, "0|a"), (1.0, "0|b"))


def test_generator_is_the_same_in_every_process() -> None:
    assert make_generator("0|a", "noise").integers(1_000_000) == 115_323


def test_stored_audio_can_be_perturbed_again(tone: Any) -> None:
    noisy = replace(Audio.of(tone("a.wav")), perturbation=parse_chain("noise:snr=5", "0|a"))
    stored: Any = decode_output(orjson.loads(dumps(noisy)))
    assert stored == noisy
    assert stored.hash == noisy.hash
    assert np.array_equal(stored.decode(), noisy.decode())


def test_noise_that_is_added_twice_is_not_the_same_noise(clip: Audio) -> None:
    chain = parse_chain("noise:snr=30+noise:snr=30", "0|a")
    once = chain.steps[0].apply(Sound(clip.decode(), 16_000), make_generator("0|a", chain.steps[0].seed_name), [])
    first = once.sound.samples - clip.decode()
    second = replace(clip, perturbation=chain).decode() - once.sound.samples
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


def test_key_contains_the_version_and_the_build_but_no_path() -> None:
    class Built(Pad):
        version: ClassVar[int] = 3
        path_arguments: ClassVar[tuple[str, ...]] = ("mixed",)

        @property
        def build(self) -> str:
            return "encoder 7.1"

    assert Built(2.0, mixed=1).key == "pad:seconds=2 version 3 encoder 7.1"
    assert Built(2.0, mixed=1).seed_name == "pad"
    assert Pad(2.0).key == "pad:seconds=2 version 1"


def test_values_are_written_so_that_they_can_be_split() -> None:
    assert [format_value(value) for value in (10.0, 1e20, 0.1, "a,b+c%")] == ["10", "1e%2B20", "0.1", "a%2Cb%2Bc%25"]


def test_perturbation_of_another_version_can_be_read_but_not_made_again(tone: Any) -> None:
    noisy = replace(Audio.of(tone("a.wav")), perturbation=parse_chain("noise:snr=5", "0|a"))
    stored: Any = decode_output(orjson.loads(dumps(noisy).replace(b"noise:snr=5", b"underwater:depth=5")))
    assert str(stored.perturbation) == "underwater:depth=5"
    with pytest.raises(AudioError, match="no perturbation 'underwater:depth=5'"):
        stored.decode()


def test_channels_are_averaged_before_the_perturbation() -> None:
    channels = np.random.default_rng(0).uniform(-0.5, 0.5, (1_600, 2)).astype(np.float32)
    chain = parse_chain("noise:snr=5", "0|a")
    stereo, mono = (Audio.of(values, rate=16_000) for values in (channels, channels.mean(axis=1)))
    perturbed = [replace(audio, perturbation=chain).decode() for audio in (stereo, mono)]
    assert np.allclose(perturbed[0], perturbed[1], atol=1e-6)


def test_only_one_step_may_mix_in_recordings(clip: Audio) -> None:
    with pytest.raises(SpecError, match="mixes in other recordings twice"):
        perturb(clip, Pad(mixed=1), Pad(mixed=1))


def test_values_that_are_not_finite_are_refused(clip: Audio) -> None:
    class Broken(Pad):
        def apply(self, sound: Sound, random: Any, others: Sequence[Sound]) -> PerturbedSound:
            return PerturbedSound(Sound(np.full(10, np.nan, np.float32), sound.rate))

    with pytest.raises(AudioError, match="NaN"):
        perturb(clip, Broken()).decode()


def test_family_leaves_out_the_level() -> None:
    assert (str(Pad(2.0, mixed=1)), Pad(2.0, mixed=1).family, Pad(2.0).level) == (
        "pad:seconds=2,mixed=1",
        "pad:mixed=1",
        2.0,
    )
