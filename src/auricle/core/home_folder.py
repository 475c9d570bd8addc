"""The folder in which a run was started: relative paths are meant from there, wherever user code changes to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_folders: list[str] = []
"""Those of the runs that are under way, which may be in several threads."""


def home_folder() -> str:
    """Return the folder of the run that is under way, or an empty text."""
    return _folders[-1] if _folders else ""


@contextmanager
def keep_home_folder() -> Iterator[None]:
    """Take the working directory as the one that relative paths are meant from, and return to it after the block."""
    try:
        folder = str(Path.cwd())
    except FileNotFoundError:  # it was deleted
        folder = ""
    _folders.append(folder)
    try:
        yield
    finally:
        _folders.remove(folder)
        with suppress(OSError):
            os.chdir(folder or os.curdir)
