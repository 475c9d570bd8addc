"""The audio of a caller's steps, cut into frames before the call begins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from auricle.core.calls import FRAME_SECONDS, AudioFrame, Step
from auricle.core.errors import AudioError
from auricle.media.audible import find_edges
from auricle.models.sessions.pcm import to_int16

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray


@dataclass(frozen=True)
class RenderedStep:
    """A step with its audio, ready to be sent."""

    step: Step
    samples: NDArray[int16]
    rate: int
    clips: tuple[tuple[int, int], ...]
    """First audible sample of each clip, and the sample after the last; between them are pauses."""
    lead_seconds: float = 0.0
    """Silence at the start of the first audible clip, sent or not."""

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

    @cached_property
    def frames(self) -> tuple[AudioFrame, ...]:
        """The audio in frames, the last one filled with silence."""
        import numpy as np

        size = frame_size(self.rate)
        count = -(-len(self.samples) // size)
        padded = np.zeros(count * size, np.int16)
        padded[: len(self.samples)] = self.samples
        return tuple(AudioFrame(frame) for frame in padded.reshape(count, size))


def frame_size(rate: int) -> int:
    """Return the number of samples in a frame."""
    return round(rate * FRAME_SECONDS)


def render_step(step: Step, rate: int) -> RenderedStep:
    """Decode the clips of a step, trim them to what is audible if it asks for that, and put its pauses between them.

    Raises:
        AudioError: if a clip that is trimmed contains nothing audible.
    """
    import numpy as np

    parts: list[NDArray[int16]] = []
    clips: list[tuple[int, int]] = []
    position, lead_seconds = 0, 0.0
    for part in step.audio:
        if isinstance(part, (int, float)):
            samples = np.zeros(round(part * rate), np.int16)
        else:
            samples = to_int16(part.decode(rate))
            first, last = find_edges(samples)
            is_silent = first == last
            if is_silent and step.trim:
                raise AudioError(f"{part.uri or 'A clip of the caller'} contains nothing audible (above -50 dBFS).")
            lead_seconds = lead_seconds if clips else first / rate
            if step.trim:
                samples, first, last = samples[first:last], 0, last - first
            if not is_silent:
                clips.append((position + first, position + last))
        parts.append(samples)
        position += len(samples)
    samples = np.concatenate(parts) if parts else np.zeros(0, np.int16)
    return RenderedStep(step, samples, rate, tuple(clips), lead_seconds)
