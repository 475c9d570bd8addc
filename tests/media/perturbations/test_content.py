"""Recordings that are replaced, shuffled or masked."""

from typing import Any

import numpy as np
import pytest
import soxr

from auricle.core.errors import AudioError, SpecError
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound, make_generator
from auricle.media.perturbations.content import Mask, Replace, Shuffle, draw_order
from auricle.media.perturbations.levels import measure_active_level, measure_rms_level
from auricle.media.perturbations.noise_sources import average_spectrum
from tests.support.speech_like import speak

SPEECH = speak(2.0)


def apply(perturbation: Perturbation, sound: Sound = SPEECH, sample: str = "a", *others: Sound) -> PerturbedSound:
    return perturbation.apply(sound, make_generator(sample, ""), others)


def test_silence_has_the_same_length() -> None:
    samples = apply(Replace("silence")).sound.samples
    assert len(samples) == len(SPEECH.samples)
    assert not samples.any()


def test_noise_has_the_level_and_the_spectrum_of_the_speech_but_not_its_words() -> None:
    samples = apply(Replace("noise")).sound.samples
    assert measure_rms_level(samples) == pytest.approx(measure_active_level(*SPEECH).level, abs=0.1)
    spectra = [np.log(average_spectrum(sound, 16_000)[1][2:]) for sound in (samples, SPEECH.samples)]
    assert np.corrcoef(spectra[0], spectra[1])[0, 1] > 0.95
    assert abs(np.corrcoef(samples, SPEECH.samples)[0, 1]) < 0.05
    with pytest.raises(AudioError, match="silent"):
        apply(Replace("noise"), Sound(np.zeros(100, np.float32), 16_000))


@pytest.mark.parametrize(("seconds", "rate"), [(3.0, 16_000), (1.0, 16_000), (3.0, 8_000)])
def test_other_recording_is_cut_or_followed_by_silence(seconds: float, rate: int) -> None:
    other = speak(seconds, rate, 3)
    samples = apply(Replace("other"), SPEECH, "a", other).sound.samples
    assert len(samples) == len(SPEECH.samples)
    kept = min(len(samples), round(seconds * 16_000))
    expected = soxr.resample(other.samples, rate, 16_000) if rate != 16_000 else other.samples
    assert np.allclose(samples[: kept - 400], expected[: kept - 400], atol=1e-4)
    assert samples[: kept - 400].any()
    assert not samples[kept:].any()
    assert (Replace("other").other_sounds, Replace("other").needed_sounds, Replace("noise").needed_sounds) == (
        "sample",
        1,
        0,
    )


@pytest.mark.parametrize("seconds", [1.0, 1.05, 2.3])
def test_pieces_are_permuted_and_the_length_is_kept(seconds: float) -> None:
    count = round(seconds * 16_000)
    sound = Sound(np.repeat(np.arange(1, 100, dtype=np.float32), 1_600)[:count], 16_000)
    result = apply(Shuffle(0.1), sound)
    assert len(result.sound.samples) == count
    assert result.measured["pieces"] == round(seconds * 10 + 1e-9)
    centres = result.sound.samples[800::1_600][: int(seconds * 10)]
    assert sorted(set(centres.tolist())) == list(range(1, int(seconds * 10) + 1))
    assert not np.array_equal(centres, np.sort(centres))


def test_order_is_never_that_of_the_recording() -> None:
    orders = [draw_order(2, make_generator(str(sample), "")) for sample in range(20)]
    assert orders == [[1, 0]] * 20
    assert len({tuple(draw_order(6, make_generator(str(sample), ""))) for sample in range(20)}) > 10


def test_single_piece_is_not_changed() -> None:
    result = apply(Shuffle(5.0))
    assert np.array_equal(result.sound.samples, SPEECH.samples)
    assert result.measured == {"pieces": 1}


def test_nothing_is_left_within_masked_spans_and_the_rest_is_unchanged() -> None:
    result = apply(Mask("0.5-0.9/1.2-1.4"))
    samples = result.sound.samples
    outside = np.ones(len(samples), bool)
    for start, end in ((8_000, 14_400), (19_200, 22_400)):
        assert not samples[start:end].any()
        outside[start - 80 : end + 80] = False
    assert np.array_equal(samples[outside], SPEECH.samples[outside])
    assert result.measured == {"masked": pytest.approx(0.6, abs=0.001), "gain": 0.0}


def test_recording_fades_before_and_after_a_span() -> None:
    constant = Sound(np.ones(1_000, np.float32), 16_000)
    samples = apply(Mask("0.02-0.03"), constant).sound.samples
    assert samples[238:242].tolist() == pytest.approx([1, 1, 1, 79 / 80])
    assert samples[318:322].tolist() == pytest.approx([2 / 80, 1 / 80, 0, 0])
    assert samples[478:482].tolist() == pytest.approx([0, 0, 1 / 80, 2 / 80])
    assert samples[560:].tolist() == [1] * 440


def test_masked_spans_can_be_filled_with_noise() -> None:
    samples = apply(Mask("0.5-1.5", fill="noise")).sound.samples
    assert measure_rms_level(samples[8_000:24_000]) == pytest.approx(measure_active_level(*SPEECH).level, abs=1)
    assert np.array_equal(samples[:7_900], SPEECH.samples[:7_900])


def test_all_forms_of_a_span_are_one_perturbation() -> None:
    assert Mask(start=0.5, end=0.9) == Mask("0.5-0.9")
    assert str(Mask(start=0.5, end=0.9)) == "mask:0.5-0.9"
    assert np.array_equal(apply(Mask("5-6")).sound.samples, SPEECH.samples)


@pytest.mark.parametrize(
    ("kind", "arguments", "problem"),
    [
        (Mask, {}, "spans must be spans in seconds such as"),
        (Mask, {"spans": "a-b"}, "spans must be spans in seconds such as"),
        (Mask, {"spans": "0.9-0.5"}, "spans that end after their start"),
        (Mask, {"start": 0.5}, "either spans such as 0.5-0.9, or start= and end="),
        (Mask, {"spans": "1-2", "start": 0.5, "end": 0.6}, "either spans"),
        (Shuffle, {"piece": 0.01}, "piece must be above 0.02 s"),
    ],
)
def test_invalid_arguments_are_refused(kind: Any, arguments: Any, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        kind(**arguments)
