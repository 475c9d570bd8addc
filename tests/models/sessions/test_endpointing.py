"""Turns by voice activity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.models.sessions.endpointing import (
    RATE,
    SILERO_BLOCK,
    SILERO_CONTEXT,
    DetectorFactory,
    Endpointer,
    EnergyDetector,
    SileroDetector,
    SpeechEnd,
    SpeechStart,
)
from tests.support.voice_agents import tone


def silence(seconds: float) -> Any:
    return np.zeros(round(seconds * RATE), np.int16)


def speech(seconds: float) -> Any:
    return tone(seconds, rate=RATE)


def push(endpointer: Endpointer, *parts: Any) -> list[tuple[str, float]]:
    """Push audio in frames of 20 ms, and return what began and ended where."""
    samples = np.concatenate(parts)
    boundaries = [
        item for start in range(0, len(samples), 320) for item in endpointer.push(samples[start : start + 320])
    ]
    return [("start" if isinstance(item, SpeechStart) else "end", round(item.position, 6)) for item in boundaries]


def test_a_turn_begins_and_ends_with_speech() -> None:
    endpointer = Endpointer(EnergyDetector(), stop_seconds=0.6)
    assert push(endpointer, silence(1.0), speech(2.0), silence(1.0)) == [("start", 1.0), ("end", 3.0)]


def test_a_pause_shorter_than_the_limit_does_not_end_a_turn() -> None:
    endpointer = Endpointer(EnergyDetector(), stop_seconds=0.6)
    parts = speech(1.0), silence(0.5), speech(1.0), silence(0.7), speech(1.0), silence(1.0)
    assert push(endpointer, *parts) == [("start", 0.0), ("end", 2.5), ("start", 3.2), ("end", 4.2)]


def test_a_short_sound_is_no_turn() -> None:
    endpointer = Endpointer(EnergyDetector(), start_seconds=0.1)
    assert push(endpointer, silence(0.5), speech(0.06), silence(1.0)) == []


def test_a_turn_contains_the_audio_just_before_it() -> None:
    endpointer = Endpointer(EnergyDetector(), stop_seconds=0.4, keep_seconds=0.3)
    (_, end) = endpointer.push(np.concatenate([silence(1.0), speech(1.0), silence(0.4)]))
    assert isinstance(end, SpeechEnd)
    assert len(end.samples) == pytest.approx((0.3 + 1.0 + 0.4) * RATE)


def test_a_turn_can_be_ended_from_outside() -> None:
    endpointer = Endpointer(EnergyDetector(), stop_seconds=100.0)
    assert endpointer.end_turn() is None
    push(endpointer, speech(1.0), silence(2.0))
    end = endpointer.end_turn()
    assert end is not None
    assert end.position == pytest.approx(1.0)
    assert endpointer.end_turn() is None


class LoudnessModel:
    """Has the inputs and outputs of Silero's model: it refuses other shapes, and reports speech in loud blocks."""

    def run(self, _: None, inputs: dict[str, Any]) -> tuple[Any, Any]:
        assert inputs["input"].shape == (1, SILERO_CONTEXT + SILERO_BLOCK)
        assert inputs["input"].dtype == np.float32
        assert int(inputs["sr"]) == RATE
        loudness = np.abs(inputs["input"][0, SILERO_CONTEXT:]).mean()
        return np.array([[min(1.0, loudness * 10)]], np.float32), inputs["state"] + 1


def test_silero_gets_the_end_of_the_previous_block_and_its_state() -> None:
    detector = SileroDetector(LoudnessModel())
    assert not detector.detect(np.zeros(SILERO_BLOCK, np.int16))
    assert detector.detect(speech(SILERO_BLOCK / RATE))
    assert np.all(detector._state == 2)
    assert np.allclose(detector._context, speech(SILERO_BLOCK / RATE)[-SILERO_CONTEXT:] / 32_768)


def test_blocks_of_another_size_than_frames_work() -> None:
    boundaries = push(Endpointer(SileroDetector(LoudnessModel())), silence(0.96), speech(1.92), silence(1.0))
    assert boundaries == [("start", 0.96), ("end", 2.88)]


def test_the_energy_is_used_if_silero_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.models.sessions.endpointing.find_silero", lambda: None)
    assert DetectorFactory("auto").name == "energy"
    with pytest.raises(SpecError, match="pip install onnxruntime"):
        DetectorFactory("silero")
    with pytest.raises(SpecError, match="Unknown voice activity detection 'webrtc'"):
        DetectorFactory("webrtc")  # type: ignore[arg-type]
