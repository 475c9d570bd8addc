"""The sound of answers."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from pybase64 import b64decode

from auricle.testing.fake_server.realtime.speech_detection import find_audible
from auricle.testing.fake_server.realtime.voice import cut_answer, speak


@pytest.mark.parametrize("seconds", [0.02, 0.333, 2.0])
def test_the_voice_is_audible_from_its_first_to_its_last_sample(seconds: float) -> None:
    sound = speak(seconds, 24_000)
    assert len(sound) == round(seconds * 24_000)
    assert find_audible(sound) == (0, len(sound) - 1)
    windows = [sound[start : start + 240] for start in range(0, len(sound), 240)]
    assert all(find_audible(window) for window in windows)


def test_chunks_join_to_silence_and_speech() -> None:
    chunks = cut_answer(None, 0.5, 0.1, 0.25, 24_000)
    assert [chunk.seconds for chunk in chunks] == pytest.approx([0.25, 0.25, 0.1])
    sound = np.frombuffer(b"".join(chunk.pcm for chunk in chunks), np.int16)
    assert find_audible(sound) == (2_400, 14_399)
    assert all(b64decode(chunk.base64) == chunk.pcm for chunk in chunks)


def test_a_recording_can_be_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "answer.wav"
    soundfile.write(path, np.full(1_600, 0.5, np.float32), 16_000)
    (chunk,) = cut_answer(str(path), 9.0, 0.0, 1.0, 16_000)
    samples = np.frombuffer(chunk.pcm, np.int16)
    assert chunk.seconds == pytest.approx(0.1)
    assert np.abs(samples - 16_383).max() <= 1
