"""Detect the caller's speech by its level, to a sample, and map positions in received audio to times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from auricle.media.audible import AUDIBLE_AMPLITUDE

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

WINDOW_SECONDS = 0.02
MAX_LAG_SECONDS = 0.2
"""A client that is later than this has paused; its audio counts from its new time."""


class SpeechEdge(NamedTuple):
    """The start or the end of speech."""

    kind: Literal["start", "stop"]
    position: float
    """Seconds of audio before it."""
    detected: float
    """Seconds of audio after which it is detected."""


class SpeechDetector:
    """Detects speech in the audio of one session.

    Args:
        rate: Sample rate of the audio.
    """

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self._received = 0
        self._start: int | None = None
        self._end = 0

    @property
    def seconds(self) -> float:
        """Seconds of audio received."""
        return self._received / self.rate

    @property
    def speech_seconds(self) -> float:
        """Length of the current speech up to its last audible sample; 0 in silence."""
        return 0.0 if self._start is None else (self._end - self._start) / self.rate

    @property
    def speech_end(self) -> float:
        """Position after the last audible sample."""
        return self._end / self.rate

    def feed(self, samples: NDArray[int16], stop_after: float) -> Iterator[SpeechEdge]:
        """Yield the starts and ends of speech in the next samples.

        Args:
            samples: Audio that follows what was fed before.
            stop_after: Seconds of silence after which speech is over.
        """
        size = round(WINDOW_SECONDS * self.rate)
        for start in range(0, len(samples), size):
            yield from self._feed_window(samples[start : start + size], round(stop_after * self.rate))

    def reset(self) -> None:
        """Consider the current speech as over."""
        self._start = None

    def _feed_window(self, samples: NDArray[int16], stop_samples: int) -> Iterator[SpeechEdge]:
        audible = find_audible(samples)
        if audible:
            first, last = self._received + audible[0], self._received + audible[1]
            if self._start is not None and first - self._end >= stop_samples:
                yield self._stop(stop_samples)
            if self._start is None:
                self._start = first
                yield SpeechEdge("start", first / self.rate, first / self.rate)
            self._end = last + 1
        self._received += len(samples)
        if self._start is not None and self._received - self._end >= stop_samples:
            yield self._stop(stop_samples)

    def _stop(self, stop_samples: int) -> SpeechEdge:
        self._start = None
        return SpeechEdge("stop", self._end / self.rate, (self._end + stop_samples) / self.rate)


def find_audible(samples: NDArray[int16]) -> tuple[int, int] | None:
    """Return the indices of the first and the last audible sample; None if there is none."""
    if not len(samples) or (samples.max() <= AUDIBLE_AMPLITUDE and samples.min() >= -AUDIBLE_AMPLITUDE):
        return None
    indices = ((samples > AUDIBLE_AMPLITUDE) | (samples < -AUDIBLE_AMPLITUDE)).nonzero()[0]
    return int(indices[0]), int(indices[-1])


class SoundClock:
    """Maps positions in received audio to times of the monotonic clock.

    A client sends audio right after it was spoken, as from a microphone: the last sample of a frame is as old as the
    frame. It may be late with a frame, so that the most punctual one decides.
    """

    def __init__(self) -> None:
        self._origin: float | None = None

    def record_arrival(self, position: float, arrival: float) -> None:
        """Record that audio up to `position` arrived."""
        origin = arrival - position
        if self._origin is None or origin < self._origin or origin > self._origin + MAX_LAG_SECONDS:
            self._origin = origin

    def time_of(self, position: float) -> float:
        """Return when the audio at a position was spoken."""
        assert self._origin is not None
        return self._origin + position
