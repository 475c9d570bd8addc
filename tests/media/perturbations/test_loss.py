"""Packet loss."""

from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.media.perturbations.base import Sound, make_generator
from auricle.media.perturbations.loss import Loss, draw_losses
from tests.support.speech_like import speak


@pytest.mark.parametrize(("rate", "burst"), [(0.05, 1.5), (0.1, 3.0), (0.2, 5.0), (0.2, 1.0)])
def test_rate_and_bursts_are_those_of_the_model(rate: float, burst: float) -> None:
    lost = draw_losses(200_000, rate, burst, np.random.default_rng(0))
    changes = np.flatnonzero(np.diff(np.concatenate([[0], lost.astype(int), [0]])))
    lengths = changes[1::2] - changes[::2]
    assert lost.mean() == pytest.approx(rate, rel=0.05)
    assert lengths.mean() == pytest.approx(burst, rel=0.03)
    if burst > 1:  # bursts are geometric: their length has no memory
        assert np.mean(lengths[lengths > 1] - 1) == pytest.approx(burst, rel=0.05)


def test_first_frame_is_lost_as_often_as_others() -> None:
    first = [draw_losses(1, 0.3, 4.0, make_generator(str(sample), "loss"))[0] for sample in range(2_000)]
    assert np.mean(first) == pytest.approx(0.3, abs=0.03)


def test_frames_that_are_lost_at_one_rate_are_lost_at_higher_rates() -> None:
    few, many = (draw_losses(5_000, rate, 3.0, make_generator("a", "loss")) for rate in (0.05, 0.2))
    assert few.any()
    assert many[few].all()


def test_lost_frames_are_silent_and_measured() -> None:
    sound = Sound(np.ones(16_000, np.float32), 16_000)
    result = Loss(0.3, 2.0).apply(sound, make_generator("a", "loss"), [])
    frames = result.sound.samples.reshape(-1, 320)
    lost = ~frames.any(axis=1)
    assert ((frames == 1).all(axis=1) | lost).all()
    assert result.measured["rate"] == pytest.approx(lost.mean())
    bursts = np.count_nonzero(np.diff(np.concatenate([[False], lost]).astype(int)) == 1)
    assert result.measured["burst"] == pytest.approx(lost.sum() / bursts)


def test_last_frame_is_repeated_more_and_more_quietly() -> None:
    sound = Sound(np.repeat(np.arange(1, 41, dtype=np.float32), 320), 16_000)
    filled = Loss(0.5, 3.0, fill="repeat").apply(sound, make_generator("b", "loss"), []).sound.samples[::320]
    lost = draw_losses(40, 0.5, 3.0, make_generator("b", "loss"))
    last, repeats = 0.0, 0
    for value, is_lost, original in zip(filled.tolist(), lost.tolist(), range(1, 41), strict=True):
        last, repeats = (last, repeats + 1) if is_lost else (float(original), 0)
        assert value == last * 0.5**repeats


def test_nothing_is_lost_at_rate_zero() -> None:
    sound = speak(0.5)
    result = Loss(0.0).apply(sound, make_generator("a", "loss"), [])
    assert np.array_equal(result.sound.samples, sound.samples)
    assert result.measured == {"rate": 0.0, "burst": 0.0}


def test_highest_rate_loses_every_other_frame_of_single_losses() -> None:
    lost = draw_losses(100, 0.5, 1.0, make_generator("a", "loss"))
    assert (lost[1:] != lost[:-1]).all()
    assert [Loss(0.5).rate, Loss(0.1, frame=0.001).frame, Loss(0.1, frame=1.0).frame] == [0.5, 0.001, 1]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"rate": -0.1}, "rate must be between 0 and 0.5"),
        ({"rate": 0.1, "frame": 1.5}, "frame must be between"),
        ({"rate": 0.7}, "loss: rate must be between 0 and 0.5 for bursts of 1, not 0.7."),
        ({"rate": 0.1, "burst": 0.5}, "burst must be 1 or more frames"),
        ({"rate": 0.1, "frame": 0.0}, "frame must be between"),
    ],
)
def test_invalid_arguments_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        Loss(**arguments)
