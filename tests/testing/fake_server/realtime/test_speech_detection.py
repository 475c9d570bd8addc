"""Detection of speech by level, compared with positions that are known by construction."""

import numpy as np
import pytest
from numpy.typing import NDArray

from auricle.testing.fake_server.realtime.speech_detection import SoundClock, SpeechDetector, find_audible

RATE = 16_000


def build_sound(*parts: float) -> NDArray[np.int16]:
    """Return silence and sound in turn, with these lengths in seconds; silence first."""
    levels = [np.full(round(seconds * RATE), 1000 if index % 2 else 0) for index, seconds in enumerate(parts)]
    return np.concatenate(levels).astype(np.int16)


def detect(sound: NDArray[np.int16], stop_after: float, frame: int = 320) -> list[tuple[str, float, float]]:
    detector = SpeechDetector(RATE)
    pieces = [sound[start : start + frame] for start in range(0, len(sound), frame)]
    edges = [edge for piece in pieces for edge in detector.feed(piece, stop_after)]
    return [(edge.kind, round(edge.position, 6), round(edge.detected, 6)) for edge in edges]


@pytest.mark.parametrize("frame", [160, 320, 333, 4_000, 100_000])
def test_edges_are_exact_to_a_sample_whatever_the_length_of_frames(frame: int) -> None:
    sound = build_sound(0.125, 0.5, 0.3, 0.25, 1.0)
    expected = [("start", 0.125, 0.125), ("stop", 1.175, 1.675)]
    assert detect(sound, 0.5, frame) == expected


@pytest.mark.parametrize("frame", [320, 100_000])
def test_a_silence_that_is_long_enough_divides_speech(frame: int) -> None:
    edges = detect(build_sound(0.1, 0.5, 0.3, 0.25, 1.0), 0.29, frame)
    expected = [("start", 0.1, 0.1), ("stop", 0.6, 0.89), ("start", 0.9, 0.9), ("stop", 1.15, 1.44)]
    assert edges == expected


def test_sound_up_to_minus_50_dbfs_is_silence() -> None:
    assert find_audible(np.array([104, -104], np.int16)) is None
    assert find_audible(np.array([0, 105, 0], np.int16)) == (1, 1)
    assert find_audible(np.array([0, -32_768, 0, 200], np.int16)) == (1, 3)
    assert find_audible(np.zeros(0, np.int16)) is None


def test_the_length_of_current_speech_grows_and_can_be_reset() -> None:
    detector = SpeechDetector(RATE)
    assert list(detector.feed(build_sound(0.1, 0.3, 0.05), 0.5)) == [("start", 0.1, 0.1)]
    assert (detector.speech_seconds, detector.speech_end) == pytest.approx((0.3, 0.4))
    detector.reset()
    assert detector.speech_seconds == 0.0
    assert detector.seconds == pytest.approx(0.45)


def test_late_frames_do_not_move_the_clock_but_a_pause_does() -> None:
    clock = SoundClock()
    clock.record_arrival(0.0, 100.005)
    clock.record_arrival(0.02, 100.02)
    clock.record_arrival(0.04, 100.08)
    assert clock.time_of(0.05) == pytest.approx(100.05)
    clock.record_arrival(0.06, 107.0)
    assert clock.time_of(0.07) == pytest.approx(107.01)
