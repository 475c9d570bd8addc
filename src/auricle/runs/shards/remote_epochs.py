"""Epochs of a run in a bucket: a local run directory whose files are uploaded while the worker goes on.

A killed process loses a tenth of a second, because the next worker on its machine reads the folder that it left; a lost
machine loses what was not uploaded, up to half a minute.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import IO

from auricle.core.errors import StorageError
from auricle.core.file_lock import try_lock
from auricle.core.files import user_cache_folder
from auricle.core.storage import Storage
from auricle.runs.run_spec import OUTPUTS_FILE, SHARDS_FOLDER, SPEC_FILE
from auricle.runs.shards.completions import StoredFile
from auricle.runs.shards.epochs import (
    APPENDED_FILES,
    LINE_FILES,
    MEDIA_FOLDERS,
    REPLACED_FILES,
    LineSet,
    complete_lines,
    digest_file,
    epoch_path,
    list_epoch_files,
    list_files,
)
from auricle.runs.shards.pieces import PIECE_BYTES, PieceWriter, split_piece_name
from auricle.runs.shards.plan import shard_name

UPLOAD_SECONDS = 30.0
"""Seconds after which anything that was appended is uploaded."""
CHECK_SECONDS = 1.0
PARALLEL_TRANSFERS = 8


@dataclass
class EarlierFiles:
    """What earlier epochs of a shard have stored."""

    pieces: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Pieces of files of lines, in the order of epochs and indices."""
    files: dict[str, str] = field(default_factory=dict)
    """Other files: the latest object of each."""


def work_folder(storage: Storage, run_id: str) -> Path:
    """Return the folder of this machine in which shards of a run are processed, each in a folder `SHARD.EPOCH`."""
    run = blake2b(f"{storage.url} {run_id}".encode(), digest_size=8).hexdigest()
    return user_cache_folder() / SHARDS_FOLDER / run


class RemoteEpoch:
    """The files of an epoch in a bucket.

    Args:
        storage: Location of the run.
        run_id: Distinguishes the run from an earlier one in the same location.
        shard: Number of the shard.
        epoch: Number of the epoch.
    """

    def __init__(self, storage: Storage, run_id: str, shard: int, epoch: int) -> None:
        self._storage = storage
        self._shard = shard
        self._epoch = epoch
        self._path = epoch_path(shard, epoch)
        self._folder = work_folder(storage, run_id) / f"{shard_name(shard)}.{epoch}"
        self._stored: dict[str, str] = {}
        """Objects of files that do not change, by name; those of earlier epochs included."""
        self._writers: dict[str, PieceWriter] = {}
        self._lock: IO[str] | None = None
        self._upload_lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def prepare(self) -> Path:
        self._folder.mkdir(parents=True)
        self._lock = _lock_path(self._folder).open("w", encoding="utf-8")
        try_lock(self._lock)
        earlier = self._list_earlier()
        self._download(earlier)
        for name in APPENDED_FILES:
            restored = earlier.pieces.get(name, [])
            self._writers[name] = PieceWriter(self._storage, f"{self._path}/{name}", self._folder / name, restored)
            if restored and name in earlier.files:  # stored again whole, after damaged lines were removed
                self._append_new_lines(name, self._storage.read(earlier.files[name]).splitlines(keepends=True))
        self._salvage()
        self._thread = threading.Thread(target=self._upload_loop, name="auricle-upload", daemon=True)
        self._thread.start()
        return self._folder

    def flush(self) -> None:
        with self._upload_lock:
            self._upload_answers()
            for name in (*LINE_FILES, *REPLACED_FILES):
                if name not in APPENDED_FILES and (self._folder / name).exists():
                    self._storage.upload(f"{self._path}/{name}", self._folder / name)

    def finish(self) -> tuple[StoredFile, ...]:
        self._stop_uploading()
        with self._upload_lock:
            self._upload_media()
            with ThreadPoolExecutor(PARALLEL_TRANSFERS) as pool:
                return tuple(pool.map(self._finish_file, list_files(self._folder)))

    def _finish_file(self, name: str) -> StoredFile:
        if name in self._writers:
            return self._writers[name].finish(name)
        size, digest = digest_file(self._folder / name)
        if name.startswith(MEDIA_FOLDERS) and name in self._stored:  # named by content
            path = self._stored[name]
        else:
            path = f"{self._path}/{name}"
            self._storage.upload(path, self._folder / name)
        return StoredFile(name=name, size=size, digest=digest, pieces=(path,))

    def count_unused_lines(self) -> int:
        used = {*self._writers[OUTPUTS_FILE].pieces}
        files = [file for file in list_epoch_files(self._storage, self._shard) if file.path not in used]
        others = [file.path for file in files if (piece := split_piece_name(file.name)) and piece[0] == OUTPUTS_FILE]
        if not others:
            return 0
        lines = LineSet(complete_lines(self._folder / OUTPUTS_FILE))
        return sum(1 for path in others for _ in lines.add_new(self._storage.read(path).splitlines(keepends=True)))

    def close(self, *, is_stored: bool) -> None:
        self._stop_uploading()
        if self._lock:
            if is_stored:
                shutil.rmtree(self._folder, ignore_errors=True)
                _lock_path(self._folder).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def _list_earlier(self) -> EarlierFiles:
        earlier = EarlierFiles()
        files = [file for file in list_epoch_files(self._storage, self._shard) if file.epoch < self._epoch]
        for _, name, path in sorted(files):
            if piece := split_piece_name(name):
                earlier.pieces[piece[0]].append(path)
            elif name in LINE_FILES or name in REPLACED_FILES or name.startswith(MEDIA_FOLDERS):
                earlier.files[name] = path
        return earlier

    def _download(self, earlier: EarlierFiles) -> None:
        for name, pieces in earlier.pieces.items():
            with (self._folder / name).open("wb") as file:
                for piece in pieces:
                    file.write(self._storage.read(piece))
        others = {name: path for name, path in earlier.files.items() if name not in earlier.pieces}
        with ThreadPoolExecutor(PARALLEL_TRANSFERS) as pool:
            list(pool.map(self._download_file, others.items()))
        self._stored |= {name: path for name, path in others.items() if name.startswith(MEDIA_FOLDERS)}

    def _download_file(self, item: tuple[str, str]) -> None:
        name, path = item
        target = self._folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with self._storage.open(path) as source, target.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)

    def _salvage(self) -> None:
        """Add what killed workers of this machine had answered and not uploaded."""
        for epoch in range(1, self._epoch):
            folder = self._folder.with_suffix(f".{epoch}")
            if folder.is_dir() and (lock := _lock_if_dead(folder)):
                with lock:
                    self._salvage_folder(folder)
                    shutil.rmtree(folder, ignore_errors=True)
                    _lock_path(folder).unlink(missing_ok=True)

    def _salvage_folder(self, folder: Path) -> None:
        for name in LINE_FILES:
            self._append_new_lines(name, complete_lines(folder / name))
        for name in list_files(folder):
            is_missing = not (self._folder / name).exists()
            if is_missing and (name.startswith(MEDIA_FOLDERS) or name in REPLACED_FILES):
                (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(folder / name, self._folder / name)

    def _append_new_lines(self, name: str, lines: Iterable[bytes]) -> None:
        own = self._folder / name
        if new_lines := list(LineSet(complete_lines(own)).add_new(lines)):
            with own.open("ab") as file:
                file.writelines(new_lines)

    def _upload_loop(self) -> None:
        uploaded_at = time.monotonic()
        while not self._closing.wait(CHECK_SECONDS):
            pending = max(writer.pending for writer in self._writers.values())
            is_due = pending >= PIECE_BYTES or time.monotonic() - uploaded_at >= UPLOAD_SECONDS
            if is_due:
                uploaded_at = time.monotonic()
                with suppress(StorageError, OSError), self._upload_lock:  # tried again; the end of the shard reports it
                    self._upload_answers()

    def _stop_uploading(self) -> None:
        self._closing.set()
        if self._thread:
            self._thread.join()

    def _upload_answers(self) -> None:
        """Upload what was appended, after the spec and the media that it refers to."""
        if not any(writer.pending for writer in self._writers.values()):
            return
        ends = {name: writer.end for name, writer in self._writers.items()}  # further lines may refer to further media
        self._upload_media()
        for name, end in ends.items():
            self._writers[name].store(end)

    def _upload_media(self) -> None:
        names = [name for name in list_files(self._folder) if name == SPEC_FILE or name.startswith(MEDIA_FOLDERS)]
        with ThreadPoolExecutor(PARALLEL_TRANSFERS) as pool:
            list(pool.map(self._upload_once, [name for name in names if name not in self._stored]))

    def _upload_once(self, name: str) -> None:
        path = f"{self._path}/{name}"
        with suppress(FileNotFoundError):  # a call that was replaced by a later attempt
            self._storage.upload(path, self._folder / name)
            self._stored[name] = path


def _lock_path(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _lock_if_dead(folder: Path) -> IO[str] | None:
    """Lock the folder of an epoch; return None if the process that works in it lives."""
    lock = _lock_path(folder).open("a", encoding="utf-8")
    if try_lock(lock):
        return lock
    lock.close()
    return None
