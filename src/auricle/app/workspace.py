"""The shelf: the runs an app may show, and the only files it may touch.

Whatever a visitor or a run names is resolved first and has to lie in a folder the user named
when the app was started; links and `..` lead nowhere else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from auricle.core.errors import DataError, SpecError

RUNS, ALLOWED = "AURICLE_UI_RUNS", "AURICLE_UI_ALLOW"
SOUNDS = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".m4a", ".aac", ".webm", ".mp4")
PACKAGED = Path(__file__).resolve().parents[1] / "tasks" / "demo_speech"
DEEPEST = 4  # folders below the runs folder in which a run is looked for
MOST_BYTES = 4_000_000  # of a file that says what a run is; nobody's real one is near
MOST_LETTERS = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One run or measurement on the shelf; `reason` says what is wrong with a broken one."""

    name: str
    path: Path
    kind: Literal["run", "perf"]
    model: str = ""
    task: str = ""
    finished: bool = False
    when: str = ""
    """When it was begun, as its own file has it: ISO 8601, or nothing."""
    reason: str = ""


class Shelf:
    """The runs folder, and the folders from which sounds, data and code may be read."""

    def __init__(self, root: Path | str, allowed: tuple[Path | str, ...] = ()) -> None:
        self.root = Path(root).resolve()
        self.allowed = tuple(Path(each).resolve() for each in allowed)

    def entries(self) -> list[Entry]:
        """Every run and measurement, newest first; broken ones with a reason."""
        found = [_entry(self.root, path) for path in self._folders(self.root, DEEPEST)]
        return sorted(found, key=lambda each: (each.when, each.name), reverse=True)

    def run(self, name: str) -> Path:
        """The folder of a run by its name on the shelf; anything else is refused."""
        path = (self.root / name).resolve() if "\0" not in name else self.root
        if path == self.root or not path.is_relative_to(self.root):
            raise SpecError(f"{name!r} is not in the runs folder.")
        if not path.is_dir():
            raise DataError(f"There is no run called {name!r}.")
        for each in path.iterdir():
            if each.is_symlink() and not each.resolve().is_relative_to(self.root):
                raise DataError(f"{name!r} cannot be opened: its {each.name} is a link elsewhere.")
        return path

    def sound(self, path: str | Path) -> Path | None:
        """A sound's file, if it is one and lies where this app may read; else None."""
        found = self.file(path, PACKAGED)
        return found if found and found.suffix.lower() in SOUNDS else None

    def file(self, path: str | Path, *more: Path) -> Path | None:
        """A file or folder that lies where this app may read; else None."""
        try:
            found = Path(path).expanduser().resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # not there, a NUL byte, a loop of links
            return None
        inside = any(found.is_relative_to(each) for each in (self.root, *self.allowed, *more))
        return found if inside and (found.is_file() or found.is_dir()) else None

    def _folders(self, folder: Path, deep: int) -> Iterator[Path]:
        """Folders that hold a run, in their order; links are not followed."""
        try:
            with os.scandir(folder) as found:
                inside = sorted(each.name for each in found if _is_folder(each))
        except OSError:
            return
        for name in inside:
            path = folder / name
            if any((path / mark).exists() for mark in ("spec.json", "perf.json", "outputs.jsonl")):
                yield path
            elif deep:
                yield from self._folders(path, deep - 1)


def current() -> Shelf:
    """The shelf of the app that is running, as `auricle ui` told it."""
    allowed = json.loads(os.environ.get(ALLOWED) or "[]")
    return Shelf(os.environ.get(RUNS) or "runs", tuple(allowed))


def told(shelf: Shelf) -> dict[str, str]:
    """Environment variables from which `current` makes this shelf in another process."""
    return {RUNS: str(shelf.root), ALLOWED: json.dumps([str(each) for each in shelf.allowed])}


def _is_folder(each: os.DirEntry[str]) -> bool:
    return not each.name.startswith(".") and each.is_dir(follow_symlinks=False)


def _entry(root: Path, path: Path) -> Entry:
    name = str(path.relative_to(root))
    is_perf = (path / "perf.json").exists()
    kind: Literal["run", "perf"] = "perf" if is_perf else "run"
    try:
        held = _read(path / ("perf.json" if is_perf else "spec.json"))
        spec = _asked(held)
        return Entry(
            name=name,
            path=path,
            kind=kind,
            model=_words(spec.get("model")),
            task=_words(spec.get("task")),
            finished=_finished(path, is_perf),
            when=_words(held.get("created")),
        )
    except (DataError, OSError) as error:
        return Entry(name=name, path=path, kind=kind, reason=f"It cannot be read: {error}.")


def _asked(held: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = held.get("spec")
    if not isinstance(spec, dict):
        raise DataError("it does not say what was asked")
    return spec


def _finished(path: Path, is_perf: bool) -> bool:
    if is_perf:
        return (path / "summary.json").exists()
    progress = path / "progress.json"
    return progress.exists() and _read(progress).get("complete") is True


def _read(path: Path) -> Mapping[str, Any]:
    if not path.is_file() or path.is_symlink():
        raise DataError(f"{path.name} is missing")
    if path.stat().st_size > MOST_BYTES:
        raise DataError(f"{path.name} is larger than {MOST_BYTES // 1_000_000} MB")
    try:
        held = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path.name} is not valid JSON") from error
    if not isinstance(held, dict):
        raise DataError(f"{path.name} holds no object")
    return held


def _words(value: Any) -> str:
    return value[:MOST_LETTERS] if isinstance(value, str) else ""
