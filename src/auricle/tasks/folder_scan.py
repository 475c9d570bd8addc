"""Finding a corpus's recordings in a folder: whatever its nesting, copies and leftovers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auricle.core.types import Json, RejectedRow

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a")
VIDEO_SUFFIXES = (".mp4", ".mkv", ".avi", ".mov")
IGNORED_NAMES = ("__MACOSX", "$RECYCLE.BIN")
MAX_LISTED = 8


@dataclass(frozen=True, slots=True)
class Clip:
    """One recording, and what its name and place say of it."""

    id: str
    path: Path
    label: str
    meta: Mapping[str, Json]
    warning: str = ""
    """What is odd about it, in words that follow "recordings": `lie in …; the name is believed`."""
    medium: str = "audio"


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a folder holds of a corpus."""

    clips: Sequence[Clip]
    rejected: Sequence[RejectedRow] = ()
    notes: Sequence[str] = ()
    excluded_count: int = 0
    """Recordings that are there, and that the options did not ask for."""


def iter_files(root: Path, suffixes: Sequence[str]) -> Iterator[Path]:
    """Files of these kinds in a folder and those below, linked ones too; no system's leftovers."""
    walked: set[str] = set()
    for where, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(where)
        if real in walked:  # a link to a folder that was seen, or a circle of them
            folders.clear()
            continue
        walked.add(real)
        folders[:] = sorted(filter(_is_visible, folders))
        for name in sorted(names):
            if _is_visible(name) and name.lower().endswith(tuple(suffixes)):
                yield Path(where, name)


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and name not in IGNORED_NAMES


def scan_by_name(
    root: Path,
    parse: Callable[[Path], Clip | None],
    accept: Callable[[Clip], bool] = lambda _clip: True,
    suffixes: Sequence[str] = AUDIO_SUFFIXES,
) -> ScanResult:
    """The recordings of a corpus whose file names say everything."""
    read = [(path, parse(path)) for path in iter_files(root, suffixes)]
    clips = [clip for _, clip in read if clip]
    strangers = [path for path, clip in read if clip is None]
    chosen = [clip for clip in clips if accept(clip)]
    single, notes = drop_duplicates(chosen, root)
    notes += describe_warnings(single, root)
    if strangers and clips:
        notes.append(
            f"{count_phrase(len(strangers), 'file')} not named as this corpus names its own: left out, "
            f"such as {_relative_path(strangers[0], root)}."
        )
    return ScanResult(single, notes=notes, excluded_count=len(clips) - len(chosen))


def drop_duplicates(clips: Sequence[Clip], root: Path) -> tuple[list[Clip], list[str]]:
    """Each recording once, however often an archive holds it, and a note if that is often."""
    kept: dict[str, Clip] = {}
    copies: list[tuple[Clip, Clip]] = []
    for clip in sorted(clips, key=_sort_key):
        if (first := kept.setdefault(clip.id, clip)) is not clip:
            copies.append((first, clip))
    if not copies:
        return list(kept.values()), []
    first, again = copies[0]
    unlike = [pair for pair in copies if _sizes_differ(*pair)]
    often = count_phrase(len({first.id for first, _ in copies}), "recording")
    odd = f" {len(unlike)} of the copies differ in size." if unlike else ""
    return list(kept.values()), [
        f"{often} there more than once, such as "
        f"{_relative_path(first.path, root)} and {_relative_path(again.path, root)}: each is taken once.{odd}"
    ]


def _sort_key(clip: Clip) -> tuple[int, int, str]:
    """Sound files before films, the best format first, then what lies nearest to the root."""
    kinds = (*AUDIO_SUFFIXES, *VIDEO_SUFFIXES)
    suffix = clip.path.suffix.lower()
    return (kinds.index(suffix) if suffix in kinds else len(kinds), len(clip.path.parts), str(clip.path))


def _sizes_differ(first: Clip, second: Clip) -> bool:
    same_kind = first.path.suffix.lower() == second.path.suffix.lower()
    return same_kind and first.path.stat().st_size != second.path.stat().st_size


def describe_warnings(clips: Iterable[Clip], root: Path) -> list[str]:
    """A sentence for each kind of oddity, with how often and an example."""
    odd: dict[str, list[Clip]] = {}
    for clip in clips:
        if clip.warning:
            odd.setdefault(clip.warning, []).append(clip)
    return [
        f"{len(each)} of the recordings {doubt}, such as {_relative_path(each[0].path, root)}."
        for doubt, each in odd.items()
    ]


def describe_count_mismatch(title: str, clips: Sequence[Clip], expected: Mapping[str, int], source: str) -> list[str]:
    """A note where a folder holds fewer or more recordings than are published, label by label."""
    have = Counter(clip.label if clip.label in expected else "" for clip in clips)
    off = [label for label, count in expected.items() if have[label] != count]
    total, published = len(clips), sum(expected.values())
    if not expected or (not off and total == published):
        return []
    here = count_phrase(total, "recording")
    each = ", ".join(f"{label} {have[label]} of {expected[label]}" for label in off if label)
    told_each = f" ({each})" if each else ""
    advice = (
        f"Say so beside the numbers, or complete the folder from {source}."
        if total < published
        else "Is something else in the folder, or something renamed?"
    )
    return [f"{title}: {here} here, {published:,} are published{told_each}. {advice}"]


def describe_contents(root: Path) -> str:
    """The first few names in a folder, for whoever gave the wrong one."""
    names = sorted(f"{each.name}/" if each.is_dir() else each.name for each in root.iterdir())
    if not names:
        return "It is empty."
    more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    archives = [name for name in names if name.endswith((".zip", ".gz", ".tar", ".rar", ".7z"))]
    unpack = f" Unpack {archives[0]} first." if archives else ""
    return f"It holds {', '.join(islice(names, MAX_LISTED))}{more}.{unpack}"


def count_phrase(count: int, noun: str) -> str:
    return f"{count:,} {noun} is" if count == 1 else f"{count:,} {noun}s are"


def _relative_path(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
