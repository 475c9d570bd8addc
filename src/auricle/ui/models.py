"""Models that visitors try: loaded once for all of them, asked one question at a time.

The least recently used are unloaded when there are too many, or memory runs short.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psutil
import streamlit as st

from auricle import api
from auricle.codec import dumps
from auricle.making import short

MOST = 4
FULL = 0.9  # of the machine's memory, or of the card's: from here on others have to go


@dataclass(slots=True)
class Slot:
    """A model's place: taken before it is loaded, so that nobody loads it a second time."""

    name: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    model: api.Loaded | None = None
    size: int = 0
    """Bytes this process grew by when it was loaded: a rough figure, and the only one there is."""
    seconds: float = 0.0
    """How long loading took."""


class Models:
    """The models that are loaded, the least recently used first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, Slot] = OrderedDict()

    @contextmanager
    def held(self, name: str, arguments: Mapping[str, Any]) -> Iterator[api.Loaded]:
        """A model for one question, loaded if it is not; others wait until it is answered."""
        key = f"{name} {dumps(dict(sorted(arguments.items()))).decode()}"
        with self._lock:
            slot = self._slots.setdefault(key, Slot(short(name)))
            self._slots.move_to_end(key)
        with slot.lock:
            if slot.model is None:
                self._make_room(slot)
                self._load(key, slot, name, arguments)
            assert slot.model
            yield slot.model

    def loaded(self) -> list[Slot]:
        """What is loaded, the most recently used first."""
        with self._lock:
            return [slot for slot in reversed(self._slots.values()) if slot.model]

    def unload(self, slot: Slot) -> None:
        """Let a model go once its question is answered."""
        with slot.lock:
            if slot.model:
                slot.model.close()
                slot.model = None
        with self._lock:
            kept = OrderedDict((k, s) for k, s in self._slots.items() if s is not slot)
            self._slots = kept
        _give_back()

    def _load(self, key: str, slot: Slot, name: str, arguments: Mapping[str, Any]) -> None:
        before, began = memory_of_us(), time.monotonic()
        slot.model = api.load_model(name, **arguments)
        slot.seconds = time.monotonic() - began
        slot.size = max(0, memory_of_us() - before)
        with self._lock:  # it may have been unloaded while somebody waited for it
            self._slots.setdefault(key, slot)

    def _make_room(self, coming: Slot) -> None:
        """Unload models nobody is asking, oldest first, until the next one fits."""
        for slot in reversed(self.loaded()):
            if len(self.loaded()) < self._most and not _short_of_memory():
                return
            if slot is not coming and not slot.lock.locked():
                self.unload(slot)


@st.cache_resource(show_spinner=False)
def models() -> Models:
    """The one table of this app."""
    return Models()


def memory_of_us() -> int:
    """Bytes of memory that this process takes."""
    return int(psutil.Process().memory_info().rss)


def memory() -> tuple[int, int]:
    """Bytes of the machine's memory in use, and in all."""
    found = psutil.virtual_memory()
    return int(found.total - found.available), int(found.total)


def graphics() -> list[tuple[str, int, int]]:
    """Each graphics card's name, bytes in use and in all; known only once a model uses torch."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return []
    found = []
    for number in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(number)
        found.append((str(torch.cuda.get_device_name(number)), total - free, total))
    return found


def _short_of_memory() -> bool:
    return any(used > FULL * total for used, total in (memory(), *(g[1:] for g in graphics())))


def _give_back() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
