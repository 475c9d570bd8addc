"""Find recordings with the same content under different ids, in a dataset and in other splits of it.

The waveform decides, not the file: a copy in another format or with other tags is a duplicate, too. Rows that ask
different questions about one recording are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from auricle.core.errors import SampleError
from auricle.core.serialization import dumps
from auricle.core.types import Json, RejectedRow, Sample, list_parts
from auricle.media import Audio

FileSlice = tuple[Path, float, float | None]


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording of a sample after decoding, without its audio."""

    id: str
    """Id of the sample."""
    target: Json
    file: FileSlice | None
    """The file with start and end; None if the audio is in memory."""
    seconds: float
    """Duration of the waveform."""
    stated_seconds: float | None
    """Duration that the header states."""
    digest: bytes
    """Digest of the waveform, its rate and the texts of the sample."""

    @classmethod
    def decode(cls, sample: Sample, audio: Audio) -> Recording:
        """Decode a recording; raise `SampleError` if that fails."""
        waveform, rate = audio.decode(), audio.info().rate
        texts = [
            (name, value) for name, value in sample.inputs.items() if all(isinstance(p, str) for p in list_parts(value))
        ]
        digest = blake2b(waveform.tobytes(), digest_size=16)
        digest.update(dumps([rate, texts]))
        file = (audio.path.resolve(), audio.start, audio.end) if audio.path else None
        return cls(sample.id, sample.target, file, len(waveform) / rate, read_stated_seconds(audio), digest.digest())

    def is_copy_of(self, other: Recording) -> bool:
        """Return whether two recordings of the same content are in different files."""
        return self.digest == other.digest and (self.file is None or self.file != other.file)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two samples with the same recording."""

    first: Recording
    second: Recording
    split: str = ""
    """The split of the second sample, if it is another one."""

    def __str__(self) -> str:
        place = f" of the split {self.split}" if self.split else ""
        labels = f", labelled {self.first.target} and {self.second.target}"
        return f"{self.first.id} and {self.second.id}{place}{labels if self.first.target != self.second.target else ''}"


@dataclass
class DuplicateIndex:
    """The recordings of a dataset by their content."""

    duplicates: list[Duplicate] = field(default_factory=list)
    _by_content: dict[bytes, Recording] = field(default_factory=dict)
    _durations: set[float | None] = field(default_factory=set)

    def add(self, recording: Recording) -> None:
        """Add a recording; if another file has the same content, record a duplicate."""
        self._durations.add(recording.stated_seconds)
        first = self._by_content.setdefault(recording.digest, recording)
        if first.id != recording.id and recording.is_copy_of(first):
            self.duplicates.append(Duplicate(first, recording))

    def add_split(self, split: str, samples: Iterable[Sample | RejectedRow]) -> None:
        """Record the duplicates in another split. Only recordings of a duration that occurs are decoded."""
        for sample in samples:
            if isinstance(sample, RejectedRow):
                continue
            for audio in list_recordings(sample):
                if read_stated_seconds(audio) in self._durations:
                    self._compare(split, sample, audio)

    def _compare(self, split: str, sample: Sample, audio: Audio) -> None:
        try:
            recording = Recording.decode(sample, audio)
        except SampleError:  # reported when that split is checked
            return
        first = self._by_content.get(recording.digest)
        if first and recording.is_copy_of(first):
            self.duplicates.append(Duplicate(first, recording, split))


def list_recordings(sample: Sample) -> list[Audio]:
    """List the recordings of a sample."""
    return [part for value in sample.inputs.values() for part in list_parts(value) if isinstance(part, Audio)]


def read_stated_seconds(audio: Audio) -> float | None:
    """Return the duration in the header, or None if it cannot be read."""
    try:
        return round(audio.seconds, 3)
    except SampleError:
        return None
