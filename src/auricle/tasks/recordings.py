"""Finding a corpus's recordings in a folder: whatever its nesting, copies and leftovers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auricle.core.types import Json, Rejected

SOUNDS = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".m4a")
FILMS = (".mp4", ".mkv", ".avi", ".mov")
LEFTOVERS = ("__MACOSX", "$RECYCLE.BIN")
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Clip:
    """One recording, and what its name and place say of it."""

    id: str
    path: Path
    label: str
    meta: Mapping[str, Json]
    doubt: str = ""
    """What is odd about it, in words that follow "recordings": `lie in …; the name is believed`."""
    medium: str = "audio"


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder holds of a corpus."""

    clips: Sequence[Clip]
    rejected: Sequence[Rejected] = ()
    notes: Sequence[str] = ()
    left_out: int = 0
    """Recordings that are there, and that the options did not ask for."""


def files(root: Path, suffixes: Sequence[str]) -> Iterator[Path]:
    """Files of these kinds in a folder and those below, linked ones too; no system's leftovers."""
    walked: set[str] = set()
    for where, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(where)
        if real in walked:  # a link to a folder that was seen, or a circle of them
            folders.clear()
            continue
        walked.add(real)
        folders[:] = sorted(filter(_is_wanted, folders))
        for name in sorted(names):
            if _is_wanted(name) and name.lower().endswith(tuple(suffixes)):
                yield Path(where, name)


def _is_wanted(name: str) -> bool:
    return not name.startswith(".") and name not in LEFTOVERS


def by_name(
    root: Path,
    parse: Callable[[Path], Clip | None],
    wanted: Callable[[Clip], bool] = lambda _clip: True,
    suffixes: Sequence[str] = SOUNDS,
) -> Found:
    """The recordings of a corpus whose file names say everything."""
    read = [(path, parse(path)) for path in files(root, suffixes)]
    clips = [clip for _, clip in read if clip]
    strangers = [path for path, clip in read if clip is None]
    chosen = [clip for clip in clips if wanted(clip)]
    single, notes = without_copies(chosen, root)
    notes += doubts(single, root)
    if strangers and clips:
        notes.append(
            f"{told(len(strangers), 'file')} not named as this corpus names its own: left out, "
            f"such as {_below(strangers[0], root)}."
        )
    return Found(single, notes=notes, left_out=len(clips) - len(chosen))


def without_copies(clips: Sequence[Clip], root: Path) -> tuple[list[Clip], list[str]]:
    """Each recording once, however often an archive holds it, and a note if that is often."""
    kept: dict[str, Clip] = {}
    copies: list[tuple[Clip, Clip]] = []
    for clip in sorted(clips, key=_preference):
        if (first := kept.setdefault(clip.id, clip)) is not clip:
            copies.append((first, clip))
    if not copies:
        return list(kept.values()), []
    first, again = copies[0]
    unlike = [pair for pair in copies if _differ(*pair)]
    often = told(len({first.id for first, _ in copies}), "recording")
    odd = f" {len(unlike)} of the copies differ in size." if unlike else ""
    return list(kept.values()), [
        f"{often} there more than once, such as "
        f"{_below(first.path, root)} and {_below(again.path, root)}: each is taken once.{odd}"
    ]


def _preference(clip: Clip) -> tuple[int, int, str]:
    """Sound files before films, the best format first, then what lies nearest to the root."""
    kinds = (*SOUNDS, *FILMS)
    suffix = clip.path.suffix.lower()
    return (
        kinds.index(suffix) if suffix in kinds else len(kinds),
        len(clip.path.parts),
        str(clip.path),
    )


def _differ(one: Clip, other: Clip) -> bool:
    same_kind = one.path.suffix.lower() == other.path.suffix.lower()
    return same_kind and one.path.stat().st_size != other.path.stat().st_size


def doubts(clips: Iterable[Clip], root: Path) -> list[str]:
    """A sentence for each kind of oddity, with how often and an example."""
    odd: dict[str, list[Clip]] = {}
    for clip in clips:
        if clip.doubt:
            odd.setdefault(clip.doubt, []).append(clip)
    return [
        f"{len(each)} of the recordings {doubt}, such as {_below(each[0].path, root)}."
        for doubt, each in odd.items()
    ]


def shortfall(
    title: str, clips: Sequence[Clip], expected: Mapping[str, int], source: str
) -> list[str]:
    """A note where a folder holds fewer or more recordings than are published, label by label."""
    have = Counter(clip.label if clip.label in expected else "" for clip in clips)
    off = [label for label, count in expected.items() if have[label] != count]
    total, published = len(clips), sum(expected.values())
    if not expected or (not off and total == published):
        return []
    here = told(total, "recording")
    each = ", ".join(f"{label} {have[label]} of {expected[label]}" for label in off if label)
    told_each = f" ({each})" if each else ""
    advice = (
        f"Say so beside the numbers, or complete the folder from {source}."
        if total < published
        else "Is something else in the folder, or something renamed?"
    )
    return [f"{title}: {here} here, {published:,} are published{told_each}. {advice}"]


def holds(root: Path) -> str:
    """The first few names in a folder, for whoever gave the wrong one."""
    names = sorted(f"{each.name}/" if each.is_dir() else each.name for each in root.iterdir())
    if not names:
        return "It is empty."
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    archives = [name for name in names if name.endswith((".zip", ".gz", ".tar", ".rar", ".7z"))]
    unpack = f" Unpack {archives[0]} first." if archives else ""
    return f"It holds {', '.join(islice(names, SHOWN))}{more}.{unpack}"


def told(count: int, what: str) -> str:
    return f"{count:,} {what} is" if count == 1 else f"{count:,} {what}s are"


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()
