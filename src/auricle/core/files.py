"""Open files safely, write them atomically, and locate the user's cache folder."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal

DEFAULT_MODE = 0o666
"""Rights of a file before the umask of the process is applied."""


def open_regular_file(path: Path, buffering: int = -1, mode: Literal["rb", "rb+", "ab"] = "rb") -> BinaryIO:
    """Open a file; a named pipe, a socket or a device is refused because it could block for ever.

    Raises:
        OSError: if there is no such file, or it is a folder, not regular or not readable.
        ValueError: if the path contains a NUL character.
    """
    check_regular(path)
    return path.open(mode, buffering=buffering)


def read_regular_file(path: Path) -> bytes:
    """Return the content of a file, under the conditions of `open_regular_file`."""
    with open_regular_file(path) as file:
        return file.read()


def check_regular(path: Path) -> None:
    """Raise `OSError` if there is something at this path that is neither a file nor a folder."""
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def user_cache_folder() -> Path:
    """Return the folder of files that may be deleted at any time and are shared by all runs."""
    root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "auricle"


def sounds_folder() -> Path:
    """Return the folder of sounds that tasks make."""
    return user_cache_folder() / "sounds"


def write_atomically(path: Path, content: bytes | Iterable[bytes], mode: int = DEFAULT_MODE) -> None:
    """Write a file completely and durably, or leave it as it was. It never has more rights than `mode`."""
    scratch = path.with_name(path.name + ".tmp")
    if mode != DEFAULT_MODE:
        scratch.unlink(missing_ok=True)  # what a crash left may have other rights
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(scratch, flags, mode), "wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)
    fsync_folder(path.parent)


@contextmanager
def open_replacement(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written that replaces another one at the end; after an error, the other one is as it was.

    There is no fsync: use it for files that can be derived again.
    """
    scratch = path.with_name(path.name + ".tmp")
    with scratch.open("wb") as file:
        yield file
    scratch.replace(path)


def write_lines_atomically(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines completely, or leave the file as it was; see `open_replacement`."""
    with open_replacement(path) as file:
        file.writelines(lines)


def make_folder(path: Path) -> None:
    """Create a folder and those that contain it, durably."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        fsync_folder(path.parent)


def fsync_folder(folder: Path) -> None:
    """Make created and renamed files of a folder survive a power cut; some file systems do not support this."""
    if sys.platform == "win32":  # folders cannot be opened, and the file system records their changes by itself
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
