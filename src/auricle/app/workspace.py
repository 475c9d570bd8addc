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

RUNS_VARIABLE, ALLOWED_VARIABLE = "AURICLE_UI_RUNS", "AURICLE_UI_ALLOW"
AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".m4a", ".aac", ".webm", ".mp4")
DEMO_AUDIO_FOLDER = Path(__file__).resolve().parents[1] / "tasks" / "demo_speech"
MAX_DEPTH = 4  # folders below the runs folder in which a run is looked for
MAX_FILE_BYTES = 4_000_000  # of a file that says what a run is; nobody's real one is near
MAX_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run or measurement on the shelf; `reason` says what is wrong with a broken one."""

    name: str
    path: Path
    kind: Literal["run", "perf"]
    model: str = ""
    task: str = ""
    is_finished: bool = False
    created_at: str = ""
    """When it was begun, as its own file has it: ISO 8601, or nothing."""
    error: str = ""


class Workspace:
    """The runs folder, and the folders from which sounds, data and code may be read."""

    def __init__(self, root: Path | str, allowed_folders: tuple[Path | str, ...] = ()) -> None:
        self.root = Path(root).resolve()
        self.allowed_folders = tuple(Path(each).resolve() for each in allowed_folders)

    def list_entries(self) -> list[RunEntry]:
        """Every run and measurement, newest first; broken ones with a reason."""
        found = [_read_entry(self.root, path) for path in self._find_run_folders(self.root, MAX_DEPTH)]
        return sorted(found, key=lambda each: (each.created_at, each.name), reverse=True)

    def resolve_run(self, name: str) -> Path:
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

    def resolve_audio(self, path: str | Path) -> Path | None:
        """A sound's file, if it is one and lies where this app may read; else None."""
        found = self.resolve_path(path, DEMO_AUDIO_FOLDER)
        return found if found and found.suffix.lower() in AUDIO_SUFFIXES else None

    def resolve_path(self, path: str | Path, *extra_folders: Path) -> Path | None:
        """A file or folder that lies where this app may read; else None."""
        try:
            found = Path(path).expanduser().resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # not there, a NUL byte, a loop of links
            return None
        inside = any(found.is_relative_to(each) for each in (self.root, *self.allowed_folders, *extra_folders))
        return found if inside and (found.is_file() or found.is_dir()) else None

    def _find_run_folders(self, folder: Path, depth: int) -> Iterator[Path]:
        """Folders that hold a run, in their order; links are not followed."""
        try:
            with os.scandir(folder) as found:
                inside = sorted(each.name for each in found if _is_visible_folder(each))
        except OSError:
            return
        for name in inside:
            path = folder / name
            if any((path / mark).exists() for mark in ("spec.json", "perf.json", "outputs.jsonl")):
                yield path
            elif depth:
                yield from self._find_run_folders(path, depth - 1)


def current_workspace() -> Workspace:
    """The shelf of the app that is running, as `auricle ui` told it."""
    allowed = json.loads(os.environ.get(ALLOWED_VARIABLE) or "[]")
    return Workspace(os.environ.get(RUNS_VARIABLE) or "runs", tuple(allowed))


def workspace_environment(workspace: Workspace) -> dict[str, str]:
    """Environment variables from which `current` makes this shelf in another process."""
    return {
        RUNS_VARIABLE: str(workspace.root),
        ALLOWED_VARIABLE: json.dumps([str(each) for each in workspace.allowed_folders]),
    }


def _is_visible_folder(dir_entry: os.DirEntry[str]) -> bool:
    return not dir_entry.name.startswith(".") and dir_entry.is_dir(follow_symlinks=False)


def _read_entry(root: Path, path: Path) -> RunEntry:
    name = str(path.relative_to(root))
    is_perf = (path / "perf.json").exists()
    kind: Literal["run", "perf"] = "perf" if is_perf else "run"
    try:
        held = _read_json(path / ("perf.json" if is_perf else "spec.json"))
        spec = _get_spec(held)
        return RunEntry(
            name=name,
            path=path,
            kind=kind,
            model=_text_or_empty(spec.get("model")),
            task=_text_or_empty(spec.get("task")),
            is_finished=_is_finished(path, is_perf),
            created_at=_text_or_empty(held.get("created")),
        )
    except (DataError, OSError) as error:
        return RunEntry(name=name, path=path, kind=kind, error=f"It cannot be read: {error}.")


def _get_spec(document: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = document.get("spec")
    if not isinstance(spec, dict):
        raise DataError("it does not say what was asked")
    return spec


def _is_finished(path: Path, is_perf: bool) -> bool:
    if is_perf:
        return (path / "summary.json").exists()
    progress = path / "progress.json"
    return progress.exists() and _read_json(progress).get("complete") is True


def _read_json(path: Path) -> Mapping[str, Any]:
    if not path.is_file() or path.is_symlink():
        raise DataError(f"{path.name} is missing")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise DataError(f"{path.name} is larger than {MAX_FILE_BYTES // 1_000_000} MB")
    try:
        held = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path.name} is not valid JSON") from error
    if not isinstance(held, dict):
        raise DataError(f"{path.name} holds no object")
    return held


def _text_or_empty(value: Any) -> str:
    return value[:MAX_NAME_LENGTH] if isinstance(value, str) else ""
