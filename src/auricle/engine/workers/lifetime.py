"""End a worker process when its parent is gone or a batch takes too long, whatever its model is doing."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
GRACE_SECONDS = 5.0
"""Seconds in which a worker may end by itself after its pipe is closed."""
BATCH_MARGIN = 10.0
"""Seconds beyond the time limit of a batch, in which the parent kills the worker first."""


def end_with_parent(pipe: int) -> None:
    """End this process when its parent dies, or some seconds after the other end of a pipe is closed.

    On Linux the kernel kills the process at once, even if the model holds the interpreter lock. The pipe is watched on
    every system: it is closed already if the parent died before this call, and the parent may be a wrapper script that
    outlives the process at the other end.

    Args:
        pipe: Descriptor of the pipe or socket from which the process is controlled. Nothing is read from it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with_pipe, args=(pipe,), name="auricle-parent", daemon=True).start()


def _end_with_pipe(pipe: int) -> None:
    poll = select.poll()
    poll.register(pipe, 0)  # that the other end is closed is always reported
    poll.poll()
    time.sleep(GRACE_SECONDS)
    os._exit(1)


@contextmanager
def batch_deadline(seconds: float | None) -> Iterator[None]:
    """End this process if the block takes longer than a batch may, and write to stderr where it was.

    The parent kills a worker that does not answer. This is for a worker whose parent cannot, and needs no interpreter
    lock: `faulthandler` waits in a thread of its own.
    """
    if seconds is None:
        yield
        return
    faulthandler.dump_traceback_later(seconds + BATCH_MARGIN, exit=True, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
