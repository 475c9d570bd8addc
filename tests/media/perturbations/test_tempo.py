"""Speed, tempo and pitch."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import resample_poly

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import Perturbation, Sound, make_generator
from auricle.media.perturbations.tempo import Pitch, Speed, Tempo
from tests.support.speech_like import speak

RATE = 16_000


def apply(perturbation: Perturbation, sound: Sound) -> NDArray[np.float32]:
    return perturbation.apply(sound, make_generator("a", ""), []).sound.samples


def make_tone(frequency: float, seconds: float = 1.0) -> Sound:
    times = np.arange(round(seconds * RATE)) / RATE
    return Sound((0.3 * np.sin(2 * np.pi * frequency * times)).astype(np.float32), RATE)


def find_frequency(samples: NDArray[Any]) -> float:
    """The strongest frequency in Hz, and almost nothing else."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    peak = int(power.argmax())
    assert power[max(0, peak - 8) : peak + 9].sum() > 0.95 * power.sum()
    return peak * RATE / len(samples)


def measure_envelope(samples: NDArray[Any], points: int = 40) -> NDArray[Any]:
    """The level in as many parts of equal length."""
    return np.array([np.sqrt(np.mean(part**2)) for part in np.array_split(samples, points)])


@pytest.mark.parametrize("factor", [0.8, 1.25, 1.5])
def test_speed_changes_length_and_pitch(factor: float) -> None:
    changed = apply(Speed(factor), make_tone(440))
    assert len(changed) == round(RATE / factor)
    assert find_frequency(changed) == pytest.approx(440 * factor, rel=0.005)


def test_speed_is_that_of_another_resampler() -> None:
    sound = speak(0.8)
    changed = apply(Speed(1.25), sound)
    expected = resample_poly(sound.samples, 4, 5)
    assert np.corrcoef(changed[200:-200], expected[200:-200])[0, 1] > 0.999


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.1, 1.5, 2.0])
def test_tempo_changes_the_length_but_not_the_pitch(factor: float) -> None:
    changed = apply(Tempo(factor), make_tone(440))
    assert len(changed) == round(RATE / factor)
    assert find_frequency(changed[: round(0.9 * len(changed))]) == pytest.approx(440, rel=0.01)


@pytest.mark.parametrize("perturbation", [Speed(0.8), Tempo(0.8), Tempo(1.25), Pitch(2.0)])
def test_syllables_keep_their_order_and_relative_times(perturbation: Perturbation) -> None:
    sound = speak(3.0)
    before, after = measure_envelope(sound.samples), measure_envelope(apply(perturbation, sound))
    assert np.corrcoef(before, after)[0, 1] > 0.9


@pytest.mark.parametrize("semitones", [-4.0, 2.0, 12.0])
def test_pitch_changes_the_frequency_but_not_the_length(semitones: float) -> None:
    changed = apply(Pitch(semitones), make_tone(440))
    assert len(changed) == RATE
    assert find_frequency(changed[: round(0.9 * RATE)]) == pytest.approx(440 * 2 ** (semitones / 12), rel=0.01)


def test_end_of_the_recording_is_kept() -> None:
    sound = Sound(np.concatenate([np.zeros(RATE, np.float32), make_tone(300, 0.2).samples]), RATE)
    for factor in (0.8, 1.5):
        changed = apply(Tempo(factor), sound)
        assert np.sqrt(np.mean(changed[-round(0.15 * RATE / factor) :] ** 2)) > 0.1


def test_versions_of_the_filter_are_part_of_the_key() -> None:
    assert "libavfilter" in Tempo(1.5).key
    assert "libavfilter" in Pitch(1.5).key
    assert "libav" not in Speed(1.5).key


@pytest.mark.parametrize(("kind", "value"), [(Speed, 3.0), (Speed, 0.1), (Tempo, 0.0), (Pitch, 13.0)])
def test_invalid_arguments_are_refused(kind: Any, value: float) -> None:
    with pytest.raises(SpecError, match=f"{kind.name}: {kind.level_name} must be between"):
        kind(value)
