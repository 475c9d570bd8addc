"""Voice activity detection with Silero, whose weights are part of its package; run with onnxruntime, without torch.

-m silero-vad
-m silero-vad -M threshold=0.6 -M min_silence=0.3
-m silero-vad -M frames=true
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Generate, Generation, Segment
from auricle.models.base import BatchModel
from auricle.models.listing import ModelListing
from auricle.models.request_input import get_single_audio
from auricle.models.sessions.endpointing import RATE, SILERO_BLOCK, SileroDetector, find_silero, load_onnx

if TYPE_CHECKING:
    from numpy.typing import NDArray

LABEL = "speech"
HYSTERESIS = 0.15
"""How far below the threshold the probability has to fall before speech ends."""
FRAME_SECONDS = SILERO_BLOCK / RATE
SCORE_DIGITS = 4


class SileroVad(BatchModel):
    """Detects where speech is, one recording at a time."""

    listing = ModelListing(
        group="Emotion and sounds", extra="vad", packages=("silero_vad", "onnxruntime"), weights="package"
    )
    batch_size = 1
    sample_rate = RATE
    modalities = ("audio", "text")

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        min_speech: float = 0.25,
        min_silence: float = 0.1,
        padding: float = 0.03,
        frames: bool = False,
    ) -> None:
        """Load the model.

        Args:
            threshold: Probability from which on a frame is speech.
            min_speech: Shorter speech, in seconds, is dropped.
            min_silence: Shorter silence, in seconds, does not end speech.
            padding: Seconds that are added before and after speech.
            frames: Return the probability of every frame of 32 ms instead of regions; the task then chooses the
                threshold, and PSDS can be computed.
        """
        if not 0 < threshold < 1:
            raise SpecError(f"silero-vad: threshold must be between 0 and 1, not {threshold!r}.")
        if min(min_speech, min_silence, padding) < 0:
            raise SpecError("silero-vad: min_speech, min_silence and padding must not be negative.")
        path = find_silero()
        if path is None:
            raise MissingExtra("The model silero-vad", "vad")
        self._session = load_onnx(path)
        self._threshold, self._frames = threshold, frames
        self._min_speech, self._min_silence, self._padding = min_speech, min_silence, padding

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [self._detect(get_single_audio(request).decode(RATE)) for request in batch]

    def _detect(self, samples: NDArray[Any]) -> Generation:
        probabilities = self._measure(samples)
        seconds = len(samples) / RATE
        segments = list_frames(probabilities, seconds) if self._frames else self._list_regions(probabilities, seconds)
        return Generation(text="", segments=tuple(segments))

    def _measure(self, samples: NDArray[Any]) -> list[float]:
        """Return the probability of speech in every frame; the last one is filled with silence."""
        import numpy as np

        detector = SileroDetector(self._session)
        padded = np.pad(samples, (0, -len(samples) % SILERO_BLOCK))
        return [detector.measure(block) for block in padded.reshape(-1, SILERO_BLOCK)]

    def _list_regions(self, probabilities: Sequence[float], seconds: float) -> Iterator[Segment]:
        regions: list[tuple[float, float]] = []
        for start, end in list_active(probabilities, self._threshold):
            if regions and (start - regions[-1][1]) * FRAME_SECONDS < self._min_silence:
                regions[-1] = regions[-1][0], end
            else:
                regions.append((start, end))
        kept = [
            (start * FRAME_SECONDS, min(end * FRAME_SECONDS, seconds))
            for start, end in regions
            if (end - start) * FRAME_SECONDS > self._min_speech
        ]
        yield from pad_regions(kept, self._padding, seconds)


def list_active(probabilities: Sequence[float], threshold: float) -> Iterator[tuple[int, int]]:
    """Yield the first frame of each region of speech and the one after its last.

    >>> list(list_active([0.1, 0.7, 0.4, 0.3, 0.9], 0.5))
    [(1, 3), (4, 5)]
    """
    start: int | None = None
    for index, probability in enumerate(probabilities):
        if start is None and probability >= threshold:
            start = index
        elif start is not None and probability < max(threshold - HYSTERESIS, 0.01):
            yield start, index
            start = None
    if start is not None:
        yield start, len(probabilities)


def pad_regions(regions: Sequence[tuple[float, float]], padding: float, seconds: float) -> Iterator[Segment]:
    """Yield regions extended at both sides, at most to the middle of the silence between them."""
    for index, (start, end) in enumerate(regions):
        before = (start - regions[index - 1][1]) / 2 if index else start
        after = (regions[index + 1][0] - end) / 2 if index + 1 < len(regions) else seconds - end
        yield Segment(round(start - min(padding, before), 4), round(end + min(padding, after), 4), LABEL)


def list_frames(probabilities: Sequence[float], seconds: float) -> Iterator[Segment]:
    """Yield frames with their probability; neighbours with the same one are joined."""
    start = 0
    rounded = [round(probability, SCORE_DIGITS) for probability in probabilities]
    for index, probability in enumerate(rounded):
        if index + 1 == len(rounded) or rounded[index + 1] != probability:
            end = min((index + 1) * FRAME_SECONDS, seconds)
            yield Segment(start * FRAME_SECONDS, end, LABEL, score=probability)
            start = index + 1
