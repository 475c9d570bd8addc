"""Corpora of emotional speech: recordings in a folder, with labels in their file names or in tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from auricle.core.types import RejectedRow
from auricle.tasks.benchmarks.sources import BenchmarkPart, Item, Rows
from auricle.tasks.folder_scan import AUDIO_SUFFIXES, Clip, ScanResult, scan_by_name


class Recordings(Rows):
    """Recordings in a fixed order that mixes speakers and labels, so that the first few are representative."""

    noun = "recordings"

    def __init__(self, scan: ScanResult, root: Path) -> None:
        self._root = root
        self._clips = sorted(scan.clips, key=lambda clip: _digest(clip.id))
        self._rejected = scan.rejected
        self.notes = scan.notes
        others = f" Other recordings of the corpus: {scan.excluded_count:,}." if scan.excluded_count else ""
        self.hint = others + "".join(f" {row.origin}: {row.reason}." for row in scan.rejected[:1])

    def __iter__(self) -> Iterator[Item | RejectedRow]:
        for clip in self._clips:
            yield {"id": clip.id, clip.medium: str(clip.path), "target": clip.label, "meta": dict(clip.meta)}
        yield from self._rejected

    def __len__(self) -> int:
        return len(self._clips) + len(self._rejected)

    @property
    def is_empty(self) -> bool:
        return not self._clips

    def digest(self) -> str:
        return _digest("\n".join(sorted(f"{clip.id}\t{clip.label}" for clip in self._clips)))[:8]

    def origin(self, item: Item) -> str:
        return Path(item.get("audio") or item["video"]).relative_to(self._root).as_posix()


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def read_by_name(
    parse: Callable[[Path], Clip | None],
    accept: Callable[[BenchmarkPart, Clip], bool] = lambda _part, _clip: True,
    suffixes: Sequence[str] = AUDIO_SUFFIXES,
) -> Callable[[Path, BenchmarkPart], Recordings]:
    """Return a reader of a corpus whose file names contain all labels.

    Args:
        parse: Function that returns the clip of a path, or None if the name does not belong to the corpus.
        accept: Function that selects the clips of a part.
        suffixes: File suffixes to look at.
    """
    return lambda root, part: Recordings(scan_by_name(root, parse, lambda clip: accept(part, clip), suffixes), root)
