"""Segments of recordings."""

import numpy as np
import pytest

from auricle.core.errors import AudioError
from auricle.media.perturbations.base import Sound, make_generator
from auricle.media.perturbations.segments import draw_segment, join_segments, loop


def test_segment_of_a_longer_recording_is_a_part_of_it() -> None:
    samples = np.arange(1, 1_001, dtype=np.float32)
    starts = set()
    for sample in range(20):
        segment = draw_segment(Sound(samples, 100), 50, 100, make_generator(str(sample), "x"))
        assert np.array_equal(segment, np.arange(segment[0], segment[0] + 50))
        starts.add(float(segment[0]))
    assert len(starts) > 10


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_segment_has_the_rate_that_was_asked_for(rate: int) -> None:
    tone = np.sin(2 * np.pi * 440 * np.arange(2 * rate) / rate).astype(np.float32)
    segment = draw_segment(Sound(tone, rate), 16_000, 16_000, make_generator("0", "x"))
    assert len(segment) == 16_000
    spectrum = np.abs(np.fft.rfft(segment * np.hanning(16_000)))
    assert int(spectrum.argmax()) == 440


def test_short_recording_is_repeated_without_a_jump() -> None:
    ramp = np.linspace(0, 1, 1_000, dtype=np.float32)
    repeated = loop(ramp, 5_000, 16_000)
    assert len(repeated) >= 6_000
    assert np.abs(np.diff(repeated)).max() < 0.02
    assert len(loop(np.ones(1, np.float32), 10, 16_000)) >= 10


def test_joined_segments_overlap_by_a_crossfade() -> None:
    joined = join_segments([np.ones(1_000, np.float32), np.zeros(1_000, np.float32)], 16_000)
    assert len(joined) == 1_840
    assert joined[839] == 1.0
    assert joined[1_000] == 0.0
    assert (np.diff(joined) <= 0).all()


def test_every_position_of_a_recording_can_be_drawn() -> None:
    sound = Sound(np.arange(1, 14, dtype=np.float32), 100)
    starts = {float(draw_segment(sound, 10, 100, make_generator(str(s), "x"))[0]) for s in range(40)}
    assert starts == {1, 2, 3}


def test_pause_is_not_mixed_in() -> None:
    samples = np.zeros(100_000, np.float32)
    samples[70_000:70_100] = 1.0
    assert draw_segment(Sound(samples, 16_000), 50, 16_000, make_generator("0", "x")).any()


def test_silent_recording_is_refused() -> None:
    with pytest.raises(AudioError, match="should be mixed in is silent"):
        draw_segment(Sound(np.zeros(100, np.float32), 16_000), 50, 16_000, make_generator("0", "x"))
