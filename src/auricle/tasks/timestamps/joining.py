"""Join short recordings into longer ones whose words have exact times.

Each clip is trimmed to its sound, and pauses of random lengths are put around it, so the truth is known to the sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auricle.core.errors import DataError, SampleError
from auricle.core.types import Json, Sample
from auricle.data.duplicates import list_recordings
from auricle.media import Audio

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

TRIM_DECIBELS = -40.0
"""Blocks at the ends of a clip that are this far below its loudest one are silence."""
BLOCK_SECONDS = 0.005
"""Length of the blocks whose power is compared."""
MAX_EXCESS = 0.05
"""Seconds by which the last word may exceed its recording, which shows that times and sound do not belong together."""


@dataclass(frozen=True, slots=True)
class JoinOptions:
    """How recordings are joined.

    Args:
        count: Number of recordings to make.
        clips: Clips in each of them.
        pauses: Shortest and longest silence before, between and after clips, in seconds.
        seed: Decides which clips are drawn and how long the pauses are.
        rate: Sample rate of the recordings.
    """

    count: int = 20
    clips: int = 8
    pauses: tuple[float, float] = (0.05, 0.3)
    seed: int = 0
    rate: int = 16_000

    def __post_init__(self) -> None:
        if min(self.count, self.clips) < 1:
            raise DataError("Join at least one clip into at least one recording.")
        if not 0 <= self.pauses[0] <= self.pauses[1] <= 10:
            raise DataError(f"Invalid pauses {self.pauses}: expected a shortest and a longest one, from 0 to 10 s.")


def join_recordings(
    samples: Sequence[Sample], folder: Path, options: JoinOptions, by: str = ""
) -> list[dict[str, Any]]:
    """Join the recordings of samples, write them as WAV files, and return the rows of a manifest.

    Args:
        samples: Samples with one recording each, whose target is what is spoken.
        folder: Folder of the WAV files; the rows contain its name.
        options: How recordings are joined.
        by: Metadata field whose value all clips of a recording share, such as `speaker`.

    Returns:
        A row per recording: with `words` if all targets are single words, otherwise with `segments`.

    Raises:
        DataError: if there are no samples, or a recording cannot be joined.
    """
    groups = _group(samples, by)
    has_words = all(len(str(sample.target).split()) == 1 for sample in samples)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for index in range(options.count):
        group, members = groups[index % len(groups)]
        row = _join_one(members, folder / f"{index + 1:04d}.wav", options, index)
        parts = row.pop("parts")
        named = {"words" if has_words else "segments": parts if has_words else list(_name_segments(parts))}
        rows.append({"id": f"{index + 1:04d}", **row, **({by: group} if by else {}), **named})
    return rows


def _group(samples: Sequence[Sample], by: str) -> list[tuple[Json, list[Sample]]]:
    if not samples:
        raise DataError("There are no recordings to join.")
    if not by:
        return [(None, list(samples))]
    groups: dict[str, list[Sample]] = {}
    for sample in samples:
        if by not in sample.meta:
            raise DataError(f"{sample.origin or sample.id} has no column {by!r}.")
        groups.setdefault(str(sample.meta[by]), []).append(sample)
    return sorted(groups.items())


def _join_one(members: Sequence[Sample], path: Path, options: JoinOptions, index: int) -> dict[str, Any]:
    """Write one recording, and return its row with the parts as [text, start, end]."""
    import numpy as np
    import soundfile

    generator = np.random.default_rng([options.seed, index])
    drawn = [members[at] for at in generator.integers(len(members), size=options.clips)]
    pieces = [_make_pause(generator, options)]
    parts: list[list[Json]] = []
    position = len(pieces[0])
    for sample in drawn:
        clip = trim_silence(_decode(sample, options.rate), options.rate)
        parts.append([str(sample.target), position / options.rate, (position + len(clip)) / options.rate])
        pieces += [clip, _make_pause(generator, options)]
        position += len(pieces[-2]) + len(pieces[-1])
    soundfile.write(path, np.concatenate(pieces), options.rate, subtype="PCM_16")
    check_length(path, max(float(str(part[2])) for part in parts))
    return {
        "audio": f"{path.parent.name}/{path.name}",
        "text": " ".join(str(part[0]) for part in parts),
        "clips": [sample.id for sample in drawn],
        "parts": parts,
    }


def _make_pause(generator: Generator, options: JoinOptions) -> NDArray[float32]:
    import numpy as np

    return np.zeros(round(generator.uniform(*options.pauses) * options.rate), dtype=np.float32)


def _decode(sample: Sample, rate: int) -> NDArray[float32]:
    audios = list_recordings(sample)
    if len(audios) != 1:
        raise DataError(f"{sample.origin or sample.id}: expected one recording, got {len(audios)}.")
    try:
        samples = audios[0].decode(rate)
    except SampleError as error:
        raise DataError(f"{sample.origin or sample.id} cannot be joined: {error}.") from error
    if not samples.any():
        raise DataError(f"{sample.origin or sample.id} cannot be joined: it is silent.")
    return samples


def trim_silence(samples: NDArray[float32], rate: int) -> NDArray[float32]:
    """Return a clip from its first to its last block of 5 ms that is less than 40 dB below the loudest one.

    >>> import numpy as np
    >>> clip = np.concatenate([np.zeros(800), np.ones(1600), np.zeros(800)]).astype(np.float32)
    >>> len(trim_silence(clip, 16_000))
    1600
    """
    import numpy as np

    size = max(1, round(BLOCK_SECONDS * rate))
    padded = np.concatenate([samples, np.zeros(-len(samples) % size, dtype=np.float32)])
    power = np.square(padded, dtype=np.float64).reshape(-1, size).mean(axis=1)
    loud = np.flatnonzero(power >= power.max() * 10 ** (TRIM_DECIBELS / 10))
    return samples[loud[0] * size : (loud[-1] + 1) * size]


def check_length(path: Path, last_end: float) -> None:
    """Raise `DataError` if the last word ends after its recording."""
    seconds = Audio(str(path)).seconds
    if last_end - seconds >= MAX_EXCESS:
        raise DataError(f"{path} has {seconds:.3f} s, but its last word ends at {last_end:.3f} s.")


def _name_segments(parts: Sequence[Sequence[Json]]) -> Iterator[Mapping[str, Json]]:
    for text, start, end in parts:
        yield {"start": start, "end": end, "text": text}
