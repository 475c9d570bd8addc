"""How often Python looks for garbage while samples go by."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

GC_THRESHOLDS = (50_000, 20, 50)


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Look for reference cycles seldom.

    A sample makes some fifty short-lived objects that reference counting frees at once. Looking
    for cycles after every 700 of them, as Python does, takes 10 to 30 % of a pass with a quick
    model, the more the longer a process has run.
    """
    before = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
