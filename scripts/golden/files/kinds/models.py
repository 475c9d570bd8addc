"""Models of every kind of answer, for small files; what they answer depends only on the sound or the text."""

from collections.abc import AsyncIterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auricle import Audio, Generation, Segment, SessionModel
from auricle.core.calls import CallerInput, EndOfTurn, EventKind, SessionEvent
from auricle.core.types import Call

LABELS = ("alarm", "beep", "hum")


def measure(audio: Audio) -> list[float]:
    """Return three numbers from 0 to 1 that describe a recording."""
    samples = audio.decode(16_000)
    power = np.abs(np.fft.rfft(samples, 4_000))[:1_998].reshape(3, -1).sum(axis=1)
    return [round(float(share), 4) for share in power / power.sum()]


def recognise(audio: Audio) -> Generation:
    """Write the words in the name of the file, at equal distances but a little late."""
    words = audio.uri.rpartition("/")[2].removesuffix(".wav").split("_")
    late = measure(audio)[0] / 100
    starts = [0.3 * index / len(words) + late for index in range(len(words))]
    segments = [Segment(start, start + 0.08, word) for word, start in zip(words, starts, strict=True)]
    return Generation(text=" ".join(words), segments=tuple(segments))


def diarise(audio: Audio) -> list[dict[str, Any]]:
    """Give the first part of a recording to one speaker and the rest to another one."""
    change = 0.1 + measure(audio)[0] / 10
    return [
        {"start": 0.0, "end": change, "speaker": "first", "text": "good morning"},
        {"start": change, "end": 0.3, "speaker": "second", "text": "hello"},
    ]


def tag(audio: Audio) -> dict[str, float]:
    """Score every label."""
    return dict(zip(LABELS, measure(audio), strict=True))


def detect(audio: Audio) -> list[dict[str, Any]]:
    """Detect every label for some time."""
    scored = zip(LABELS, measure(audio), strict=True)
    return [{"onset": 0.02, "offset": 0.1 + score / 5, "label": label, "score": score} for label, score in scored]


def embed(audio: Audio) -> NDArray[np.float64]:
    """Describe the voice of a recording by a vector."""
    return np.array(measure(audio)) - 1 / 3


def speak(text: str) -> tuple[NDArray[np.float32], int]:
    """Hum for a time that depends on the length of the text."""
    times = np.arange(400 * len(text.split()) + 800) / 8_000
    return (0.3 * np.sin(2 * np.pi * (200 + 10 * len(text)) * times)).astype(np.float32), 8_000


class Agent(SessionModel):
    """Beeps after each turn of the caller."""

    input_rate = output_rate = 8_000

    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        yield SessionEvent(kind=EventKind.READY)
        turns = 0
        async for item in inputs:
            if isinstance(item, EndOfTurn):
                turns += 1
                beep = np.tile(np.array([8_000, -8_000], np.int16), 400)
                yield SessionEvent(kind=EventKind.TRANSCRIPT, item=str(turns), text="Beep.")
                yield SessionEvent(kind=EventKind.AUDIO, item=str(turns), audio=beep)
                yield SessionEvent(kind=EventKind.RESPONSE_DONE, item=str(turns), data={"status": "completed"})
