"""Epochs of a run in a folder that all workers see: each is a run directory in place."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from auricle.core.files import fsync_folder, make_folder
from auricle.core.storage import SCRATCH_PREFIX
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards.completions import StoredFile
from auricle.runs.shards.epochs import (
    LINE_FILES,
    MEDIA_FOLDERS,
    REPLACED_FILES,
    LineSet,
    complete_lines,
    digest_file,
    epoch_path,
    list_files,
)


class LocalEpoch:
    """The files of an epoch in a folder.

    Args:
        root: Folder of the sharded run.
        shard: Number of the shard.
        epoch: Number of the epoch.
    """

    def __init__(self, root: Path, shard: int, epoch: int) -> None:
        self._path = epoch_path(shard, epoch)
        self._folder = root / self._path
        self._epoch = epoch

    def prepare(self) -> Path:
        """Collect the answers of earlier epochs in a scratch folder, and rename it: a kill leaves all or nothing."""
        make_folder(self._folder.parent)
        scratch = self._folder.with_name(f"{SCRATCH_PREFIX}{self._epoch}-{secrets.token_hex(4)}")
        scratch.mkdir()
        earlier = [folder for number, folder in self._list_epochs() if number < self._epoch]
        for name in LINE_FILES:
            _unite_lines([folder / name for folder in earlier], scratch / name)
        for folder in earlier:
            for name in REPLACED_FILES:
                with suppress(FileNotFoundError):
                    shutil.copyfile(folder / name, scratch / name)
            for media in MEDIA_FOLDERS:
                _link_files(folder / media, scratch / media)
        scratch.rename(self._folder)
        fsync_folder(self._folder.parent)
        return self._folder

    def flush(self) -> None:
        """Do nothing: the next epoch reads the files themselves."""

    def finish(self) -> tuple[StoredFile, ...]:
        files = []
        for name in list_files(self._folder):
            size, digest = digest_file(self._folder / name)
            files.append(StoredFile(name=name, size=size, digest=digest, pieces=(f"{self._path}/{name}",)))
        return tuple(files)

    def count_unused_lines(self) -> int:
        others = [folder for number, folder in self._list_epochs() if number != self._epoch]
        if not others:
            return 0
        lines = LineSet(complete_lines(self._folder / OUTPUTS_FILE))
        return sum(1 for folder in others for _ in lines.add_new(complete_lines(folder / OUTPUTS_FILE)))

    def close(self, *, is_stored: bool) -> None:
        """Do nothing: the files stay where they are."""

    def _list_epochs(self) -> list[tuple[int, Path]]:
        folders = self._folder.parent.iterdir()
        return sorted((int(folder.name), folder) for folder in folders if folder.name.isdecimal())


def _unite_lines(sources: list[Path], target: Path) -> None:
    """Write the different lines of several files, in order; no file if there are none."""
    seen = LineSet()
    with target.open("wb") as file:
        for source in sources:
            file.writelines(seen.add_new(complete_lines(source)))
        is_empty = not file.tell()
    if is_empty:
        target.unlink()


def _link_files(source: Path, target: Path) -> None:
    """Give the files of a folder a second name in another one, or copy them where that is impossible."""
    if not source.is_dir():
        return
    for name in list_files(source):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError, FileNotFoundError):  # deleted by a worker that has lost its lease
            _link_or_copy(source / name, path)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:  # the file system has no links
        shutil.copyfile(source, target)
