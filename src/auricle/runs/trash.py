"""Move runs to a trash folder, from which they can be restored until it is emptied.

RUNS/.trash/20261117T123000-1/NAME    a run that was called NAME, and when it was deleted
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from auricle.core.errors import DataError
from auricle.core.files import fsync_folder
from auricle.runs.run_directory import contains_run, lock_run

TRASH_FOLDER = ".trash"


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """A run in the trash."""

    name: str
    """Its name relative to the runs folder."""
    path: Path
    deleted: str
    """When it was deleted, as `20261117T123000`."""


def move_to_trash(root: Path, name: str) -> DeletedRun:
    """Move a run to the trash of its runs folder.

    Raises:
        DataError: if there is no such run.
        RunLocked: if a process is writing to it.
    """
    path = root / name
    if not contains_run(path):
        raise DataError(f"Run not found: {name!r}.")
    lock_run(path).close()
    deleted = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    folder = next(folder for number in count(1) if not (folder := root / TRASH_FOLDER / f"{deleted}-{number}").exists())
    target = folder / name
    target.parent.mkdir(parents=True)
    path.rename(target)
    fsync_folder(path.parent)
    return DeletedRun(name, target, deleted)


def list_trash(root: Path) -> list[DeletedRun]:
    """List the runs in the trash, the most recently deleted first."""
    deleted_runs = []
    for folder in sorted((root / TRASH_FOLDER).glob("*"), reverse=True):
        for path in sorted(folder.rglob("*")):
            if path.is_dir() and contains_run(path) and not any(map(contains_run, _parents(path, folder))):
                deleted_runs.append(DeletedRun(str(path.relative_to(folder)), path, folder.name.partition("-")[0]))
    return deleted_runs


def restore_run(root: Path, deleted: DeletedRun) -> Path:
    """Move a run back to where it was.

    Raises:
        DataError: if there is another folder by now.
    """
    path = root / deleted.name
    if path.exists():
        raise DataError(f"Cannot restore {deleted.name!r}: there is another folder of that name. Rename or delete it.")
    path.parent.mkdir(parents=True, exist_ok=True)
    deleted.path.rename(path)
    fsync_folder(path.parent)
    return path


def empty_trash(root: Path) -> None:
    """Delete everything in the trash for good."""
    shutil.rmtree(root / TRASH_FOLDER, ignore_errors=True)


def _parents(path: Path, folder: Path) -> list[Path]:
    return [parent for parent in path.parents if parent.is_relative_to(folder)]
