"""Answer recordings that the server knows, by their sound.

The waveform decides, not the file: a client may have converted a recording to another format or sample rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from auricle.core.errors import SampleError
from auricle.core.types import RejectedRow, Sample
from auricle.data.duplicates import list_recordings
from auricle.engine.kinds import first_target
from auricle.media import Audio
from auricle.tasks.demo.kinds import demo
from auricle.testing.fake_server.script import compute_digest

if TYPE_CHECKING:
    from numpy import float16, float32
    from numpy.typing import NDArray

MATCH_RATE = 8_000
"""Sample rate at which waveforms are compared; they are kept in memory, about 1 MB per minute."""
MAX_SHIFT_SECONDS = 0.1
"""Most that a lossy codec may shift a recording, at its start and at its end."""
MIN_CORRELATION = 0.7
"""Correlation of two waveforms from which they are the same recording. Lossy codecs stay above 0.9; noise of 0 dB is
at 0.7, and different recordings are below 0.3."""
TIE_TOLERANCE = 0.01
"""Recordings whose correlations differ by less are the same: several questions about one recording."""


@dataclass(slots=True)
class KnownRecording:
    """A recording of a sample; its waveform is decoded when another of about the same length is to be compared."""

    audio: Audio
    seconds: float
    sample: Sample
    _waveform: NDArray[float16] | None = None

    @property
    def waveform(self) -> NDArray[float16]:
        import numpy as np

        if self._waveform is None:
            try:
                self._waveform = self.audio.decode(MATCH_RATE).astype(np.float16)
            except SampleError:  # a damaged file is never recognised
                self._waveform = np.zeros(0, np.float16)
        return self._waveform


@dataclass
class AnswerIndex:
    """The targets of samples by the sound of their recordings.

    Args:
        samples: Samples with recordings and targets; they are read at the first sound. Default: the demo speech.
    """

    samples: Iterable[Sample | RejectedRow] | None = None
    _recordings: list[KnownRecording] | None = None
    _matches: dict[str, list[Sample]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def knows(self, sounds: Iterable[bytes]) -> bool:
        """Return whether these sounds were compared before, so that finding their answer takes no time."""
        return all(compute_digest(sound) in self._matches for sound in sounds)

    def find_answer(self, sounds: Sequence[bytes], prompt: str = "") -> str | None:
        """Return the target of the sample that has all these sounds, or None.

        Args:
            sounds: Contents of audio files.
            prompt: Text of the request. Of several samples with the same recording, the one whose question it
                contains is chosen.
        """
        first, *others = [self._find_samples(sound) for sound in sounds]
        samples = [sample for sample in first if all(sample in matches for matches in others)]
        if not samples:
            return None
        return first_target(max(samples, key=lambda sample: _matched_question_length(sample, prompt)))

    def _find_samples(self, sound: bytes) -> list[Sample]:
        digest = compute_digest(sound)
        with self._lock:
            if digest not in self._matches:
                self._matches[digest] = self._compare(Audio(data=sound))
            return self._matches[digest]

    def _compare(self, audio: Audio) -> list[Sample]:
        import numpy as np

        if self._recordings is None:
            self._recordings = list(_list_known(demo().samples if self.samples is None else self.samples))
        try:
            waveform = audio.decode(MATCH_RATE)
        except SampleError:
            return []
        seconds = len(waveform) / MATCH_RATE
        candidates = [known for known in self._recordings if abs(known.seconds - seconds) <= 2 * MAX_SHIFT_SECONDS]
        correlations = [correlate(waveform, known.waveform.astype(np.float32)) for known in candidates]
        best = max(correlations, default=0.0)
        if best < MIN_CORRELATION:
            return []
        pairs = zip(candidates, correlations, strict=True)
        return [known.sample for known, correlation in pairs if correlation > best - TIE_TOLERANCE]


def _list_known(samples: Iterable[Sample | RejectedRow]) -> Iterable[KnownRecording]:
    """Yield the recordings of samples with a target whose length can be read."""
    for sample in samples:
        if isinstance(sample, RejectedRow) or sample.target is None:
            continue
        for audio in list_recordings(sample):
            try:
                yield KnownRecording(audio, audio.seconds, sample)
            except SampleError:  # a missing or damaged file is never recognised
                continue


def _matched_question_length(sample: Sample, prompt: str) -> int:
    """Return the length of the sample's question if the prompt contains it, otherwise 0."""
    question = sample.inputs.get("question")
    return len(question) if isinstance(question, str) and question in prompt else 0


def correlate(first: NDArray[float32], second: NDArray[float32]) -> float:
    """Return the highest correlation of two waveforms over all shifts up to `MAX_SHIFT_SECONDS`, from 0 to 1."""
    import numpy as np

    norm = float(np.linalg.norm(first) * np.linalg.norm(second))
    if not norm:
        return 0.0
    max_shift = round(MAX_SHIFT_SECONDS * MATCH_RATE)
    size = 1 << (max(len(first), len(second)) + max_shift).bit_length()
    products = np.fft.irfft(np.fft.rfft(first, size) * np.conj(np.fft.rfft(second, size)), size)
    return float(max(products[: max_shift + 1].max(), products[-max_shift:].max())) / norm
