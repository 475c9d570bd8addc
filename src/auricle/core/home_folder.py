"""The folder in which a run was started: relative paths are meant from there, wherever user code changes to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_folder = ""


def home_folder() -> str:
    """Return the folder of the run that is under way, or an empty text."""
    return _folder


@contextmanager
def keep_home_folder() -> Iterator[None]:
    """Take the working directory as the one that relative paths are meant from, and return to it after the block."""
    global _folder
    previous = _folder
    try:
        _folder = str(Path.cwd())
    except FileNotFoundError:  # it was deleted
        _folder = ""
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(_folder or os.curdir)
        _folder = previous
