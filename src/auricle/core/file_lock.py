"""Lock files against other processes: with `flock` on Linux and macOS, and with `msvcrt.locking` on Windows."""

from __future__ import annotations

import sys
import time
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt
    import os

    LOCKED_BYTE = 1 << 30
    """Windows locks bytes, and locked bytes cannot be read. This one is behind the content, which names the holder."""
    RETRY_SECONDS = 0.05

    def try_lock(file: IO[Any], *, shared: bool = False) -> bool:
        """Lock a file until it is closed; return False if another process has locked it.

        Windows has no shared locks: `shared` shows only whether the file is locked.
        """
        descriptor = file.fileno()
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        try:
            _lock_byte(descriptor, msvcrt.LK_NBLCK)
            if shared:
                _lock_byte(descriptor, msvcrt.LK_UNLCK)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)
        return True

    def wait_for_lock(file: IO[Any]) -> None:
        """Lock a file until it is closed, as soon as no other process has locked it."""
        while not try_lock(file):
            time.sleep(RETRY_SECONDS)

    def _lock_byte(descriptor: int, mode: int) -> None:
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, mode, 1)

else:
    import fcntl

    def try_lock(file: IO[Any], *, shared: bool = False) -> bool:
        """Lock a file until it is closed; return False if another process has locked it."""
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_for_lock(file: IO[Any]) -> None:
        """Lock a file until it is closed, as soon as no other process has locked it."""
        fcntl.flock(file, fcntl.LOCK_EX)
