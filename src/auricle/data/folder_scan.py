"""Find the recordings of a corpus in a folder, regardless of nesting, duplicates and stray files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auricle.core.errors import DataError
from auricle.core.types import Json, RejectedRow

AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a")
VIDEO_SUFFIXES = (".mp4", ".mkv", ".avi", ".mov")
IGNORED_NAMES = ("__MACOSX", "$RECYCLE.BIN")
MAX_LISTED = 8


@dataclass(frozen=True, slots=True)
class Clip:
    """One recording with the label and metadata derived from its path."""

    id: str
    path: Path
    label: str
    meta: Mapping[str, Json]
    warning: str = ""
    """What is wrong with it, as a sentence without its subject: `are in the wrong folder`."""
    medium: str = "audio"


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The recordings found in a folder, rows that cannot be used, and notes for the report."""

    clips: Sequence[Clip]
    rejected: Sequence[RejectedRow] = ()
    notes: Sequence[str] = ()
    excluded_count: int = 0
    """Recordings in the folder that the options exclude."""


def iter_files(root: Path, suffixes: Sequence[str]) -> Iterator[Path]:
    """Yield files with these suffixes below a folder, following links and skipping hidden and system files."""
    visited: set[str] = set()
    for folder, folders, names in os.walk(root, followlinks=True):
        real_path = os.path.realpath(folder)
        if real_path in visited:  # a link to a folder already visited
            folders.clear()
            continue
        visited.add(real_path)
        folders[:] = sorted(filter(_is_visible, folders))
        for name in sorted(names):
            if _is_visible(name) and name.lower().endswith(tuple(suffixes)):
                yield Path(folder, name)


def _is_visible(name: str) -> bool:
    return not name.startswith(".") and name not in IGNORED_NAMES


def scan_by_name(
    root: Path,
    parse: Callable[[Path], Clip | None],
    accept: Callable[[Clip], bool] = lambda _clip: True,
    suffixes: Sequence[str] = AUDIO_SUFFIXES,
) -> ScanResult:
    """Scan a corpus whose file names contain all labels.

    Args:
        root: The folder.
        parse: Function that returns the clip of a path, or None if the name does not belong to the corpus.
        accept: Function that selects clips.
        suffixes: File suffixes to look at.
    """
    parsed = [(path, parse(path)) for path in iter_files(root, suffixes)]
    clips = [clip for _, clip in parsed if clip]
    unmatched = [path for path, clip in parsed if clip is None]
    accepted = [clip for clip in clips if accept(clip)]
    unique, notes = drop_duplicates(accepted, root)
    notes += describe_warnings(unique, root)
    if unmatched and clips:
        notes.append(
            f"{count_phrase(len(unmatched), 'file')} not named like this corpus and left out, "
            f"such as {_relative_path(unmatched[0], root)}."
        )
    return ScanResult(unique, notes=notes, excluded_count=len(clips) - len(accepted))


def drop_duplicates(clips: Sequence[Clip], root: Path) -> tuple[list[Clip], list[str]]:
    """Return each recording once, with a note if there were duplicates."""
    unique: dict[str, Clip] = {}
    copies: list[tuple[Clip, Clip]] = []
    for clip in sorted(clips, key=_sort_key):
        if (first := unique.setdefault(clip.id, clip)) is not clip:
            copies.append((first, clip))
    if not copies:
        return list(unique.values()), []
    first, duplicate = copies[0]
    same_format = [pair for pair in copies if pair[0].path.suffix.lower() == pair[1].path.suffix.lower()]
    differing = [pair for pair in same_format if pair[0].path.stat().st_size != pair[1].path.stat().st_size]
    count = count_phrase(len({first.id for first, _ in copies}), "recording")
    warning = f" {len(differing)} of the copies differ in size." if differing else ""
    return list(unique.values()), [
        f"{count} in the folder more than once, such as "
        f"{_relative_path(first.path, root)} and {_relative_path(duplicate.path, root)}. Each is used once.{warning}"
    ]


def _sort_key(clip: Clip) -> tuple[int, int, str]:
    """Prefer audio to video, then the better format, then the shorter path."""
    kinds = (*AUDIO_SUFFIXES, *VIDEO_SUFFIXES)
    suffix = clip.path.suffix.lower()
    return (kinds.index(suffix) if suffix in kinds else len(kinds), len(clip.path.parts), str(clip.path))


def describe_warnings(clips: Iterable[Clip], root: Path) -> list[str]:
    """Return one sentence per kind of warning, with a count and an example."""
    by_warning: dict[str, list[Clip]] = {}
    for clip in clips:
        if clip.warning:
            by_warning.setdefault(clip.warning, []).append(clip)
    return [
        f"{len(affected)} of the recordings {warning}, such as {_relative_path(affected[0].path, root)}."
        for warning, affected in by_warning.items()
    ]


def label_mismatches(labels: Sequence[str], expected: Mapping[str, int]) -> list[str]:
    """Return `neutral 2 of 96` for each label whose number of recordings differs from the published number."""
    counts = Counter(labels)
    return [
        f"{label} {counts[label]} of {count}" for label, count in expected.items() if label and counts[label] != count
    ]


def describe_count_mismatch(title: str, labels: Sequence[str], expected: Mapping[str, int], source: str) -> list[str]:
    """Return a note if the number of recordings of any label differs from the published number."""
    mismatches = label_mismatches(labels, expected)
    total, published = len(labels), sum(expected.values())
    if not expected or (not mismatches and total == published):
        return []
    details = f" ({', '.join(mismatches)})" if mismatches else ""
    advice = (
        f"Mention this with the results, or complete the folder from {source}."
        if total < published
        else "Check the folder for extra or renamed files."
    )
    return [f"{title}: {count_phrase(total, 'recording')} here, {published:,} are published{details}. {advice}"]


def not_a_folder_error(path: Path, title: str) -> DataError:
    """Return the error for a corpus folder that is missing or is a file."""
    problem = "Not a folder" if path.exists() else "Folder not found"
    return DataError(f"{problem}: {path}. Set -T root=DIR to the folder of {title}.")


def describe_contents(root: Path) -> str:
    """Describe the contents of a folder, for error messages."""
    names = sorted(f"{path.name}/" if path.is_dir() else path.name for path in root.iterdir())
    if not names:
        return "The folder is empty."
    rest = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    archives = [name for name in names if name.endswith((".zip", ".gz", ".tar", ".rar", ".7z"))]
    unpack = f" Unpack {archives[0]} first." if archives else ""
    return f"The folder contains {', '.join(islice(names, MAX_LISTED))}{rest}.{unpack}"


def count_phrase(count: int, noun: str) -> str:
    """Return `1 file is` or `2 files are`."""
    return f"{count:,} {noun} is" if count == 1 else f"{count:,} {noun}s are"


def _relative_path(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
