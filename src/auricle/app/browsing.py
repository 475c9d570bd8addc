"""List folders for pickers. Nothing outside the folders that the app may read is listed, and no link leads there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auricle.app.workspace import AUDIO_SUFFIXES, Workspace

MAX_ENTRIES = 300
"""Number of folders, and of files, that are listed."""
MAX_SCANNED = 20_000
"""Number of entries of a folder that are looked at."""


@dataclass(frozen=True, slots=True)
class FolderListing:
    """What a picker shows of a folder."""

    folders: tuple[Path, ...]
    files: tuple[Path, ...]
    """Files with one of the requested suffixes."""
    audio_count: int
    is_complete: bool
    """Whether the folder has nothing else of these kinds."""


def list_roots(workspace: Workspace) -> list[Path]:
    """List the folders that pickers start from: those named when the app was started, and the runs folder."""
    folders = dict.fromkeys((*workspace.allowed_folders, workspace.root))
    return [folder for folder in folders if folder.is_dir()]


def resolve_folder(workspace: Workspace, path: str | Path) -> Path | None:
    """Return a folder that the app may read, or None."""
    folder = workspace.resolve_path(path) if str(path) else None
    return folder if folder and folder.is_dir() else None


def find_parent(workspace: Workspace, folder: Path) -> Path | None:
    """Return the folder above, or None if the app may not read it."""
    return resolve_folder(workspace, folder.parent) if folder.parent != folder else None


def list_folder(workspace: Workspace, folder: Path, suffixes: Sequence[str] = ()) -> FolderListing:
    """List the subfolders and files of a folder by name; hidden ones and links to other places are left out."""
    if resolve_folder(workspace, folder) is None:
        return FolderListing((), (), 0, is_complete=True)
    entries = _scan(folder)
    audio_count = sum(entry.suffix.lower() in AUDIO_SUFFIXES for entry in entries)
    # Looking at thousands of recordings one by one would take long on a shared disk.
    candidates = [entry for entry in entries if entry.suffix.lower() not in {*AUDIO_SUFFIXES} - {*suffixes}]
    folders = [entry for entry in candidates if entry.is_dir()]
    files = [entry for entry in candidates if entry.suffix.lower() in suffixes and entry.is_file()]
    is_complete = len(entries) < MAX_SCANNED and max(len(folders), len(files)) <= MAX_ENTRIES
    return FolderListing(_keep_allowed(workspace, folders), _keep_allowed(workspace, files), audio_count, is_complete)


def _scan(folder: Path) -> list[Path]:
    try:
        visible = (entry for entry in folder.iterdir() if not entry.name.startswith("."))
        return list(islice(visible, MAX_SCANNED))
    except OSError:
        return []


def _keep_allowed(workspace: Workspace, entries: list[Path]) -> tuple[Path, ...]:
    first = sorted(entries, key=lambda entry: entry.name.casefold())[:MAX_ENTRIES]
    return tuple(entry for entry in first if workspace.resolve_path(entry) is not None)
