"""Sounds that synthesisers return in their own ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auricle import Audio
from auricle.core.errors import SampleError
from auricle.models.spoken_output import to_spoken_output

SOUND = np.linspace(-0.5, 0.5, 1000, dtype=np.float32)


class Tensor:
    """An array on another device."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values
        self.ndim = values.ndim

    def __array__(self) -> np.ndarray:
        raise TypeError("on another device")

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return self._values


@pytest.mark.parametrize(
    "value",
    [
        Audio.of(SOUND, rate=8000),
        Audio.of(SOUND, rate=8000).encode("wav"),
        bytearray(Audio.of(SOUND, rate=8000).encode("wav")),
        (SOUND, 8000),
        (8000, SOUND),
        (SOUND[None, :], 8000.0),
        (SOUND[None, None, :], np.int64(8000)),
        (SOUND.tolist(), 8000),
        ((32_767 * SOUND).astype(np.int16), 8000),
        (Tensor(SOUND[None, :]), 8000),
        {"audio": SOUND[None, :], "sampling_rate": 8000},
        {"audio": Audio.of(SOUND, rate=8000)},
        {"waveform": SOUND.tolist(), "sample_rate": 8000},
    ],
)
def test_every_usual_form_of_a_sound_is_the_same_answer(value: Any) -> None:
    spoken = to_spoken_output(value)
    assert spoken is not None
    assert spoken.audio is not None
    assert spoken.audio.info().rate == 8000
    np.testing.assert_allclose(spoken.audio.decode(), SOUND, atol=1e-4)


def test_a_transcript_beside_the_sound_is_kept() -> None:
    spoken = to_spoken_output({"text": "hello", "audio": SOUND, "rate": 8000})
    assert spoken is not None
    assert spoken.text == "hello"


@pytest.mark.parametrize(
    "value", ["text", 3.5, SOUND, {"happy": 0.5}, {"text": "a"}, ("a", "b"), ([0, 1, "a"], [1, 2, "b"])]
)
def test_other_values_are_no_sound(value: Any) -> None:
    assert to_spoken_output(value) is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"audio": SOUND}, "audio without 'sampling_rate'"),
        ((np.zeros((200, 300)), 8000), "audio that cannot be used"),
        ((SOUND, 0), "a rate of 0; expected Hz"),
        ((SOUND, float("nan")), "a rate of nan; expected Hz"),
        ((SOUND, 10**9), "a rate of 1000000000; expected Hz, from 1 to 655350"),
        ((SOUND, "8000"), r"returned \(ndarray, str\); expected audio as \(samples, rate\)"),
        ((SOUND, 8000, 3), r"returned \(ndarray, int, int\); expected audio as \(samples, rate\)"),
    ],
)
def test_a_sound_that_cannot_be_used_is_refused_with_its_reason(value: Any, reason: str) -> None:
    with pytest.raises(SampleError, match=reason):
        to_spoken_output(value)


def test_a_file_without_bytes_is_an_empty_answer() -> None:
    spoken = to_spoken_output(b"")
    assert spoken is not None
    assert spoken.audio is None
