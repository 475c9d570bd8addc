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
from auricle.core.serialization import dumps
from auricle.engine.factory import display_name

MAX_LOADED_MODELS = 4
MAX_MEMORY_SHARE = 0.9  # of the machine's memory, or of the card's: from here on others have to go


@dataclass(slots=True)
class ModelSlot:
    """A model's place: taken before it is loaded, so that nobody loads it a second time."""

    name: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    model: api.LoadedModel | None = None
    is_unloaded: bool = False
    """Out of the table: whoever waited for it takes another."""
    memory_bytes: int = 0
    """Bytes this process grew by when it was loaded: a rough figure, and the only one there is."""
    load_seconds: float = 0.0
    """How long loading took."""


class ModelPool:
    """The models that are loaded, the least recently used first."""

    def __init__(self, max_models: int = MAX_LOADED_MODELS) -> None:
        self._max_models = max_models
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, ModelSlot] = OrderedDict()

    @contextmanager
    def acquire(self, name: str, arguments: Mapping[str, Any]) -> Iterator[api.LoadedModel]:
        """A model for one question, loaded if it is not; others wait until it is answered."""
        key = f"{name} {dumps(dict(sorted(arguments.items()))).decode()}"
        while True:
            slot = self._get_slot(key, name)
            with slot.lock:
                if slot.is_unloaded:  # unloaded while we waited for it
                    continue
                yield slot.model or self._load(slot, name, arguments)
                return

    def loaded_slots(self) -> list[ModelSlot]:
        """What is loaded, the most recently used first."""
        with self._lock:
            return [slot for slot in reversed(self._slots.values()) if slot.model]

    def unload(self, slot: ModelSlot, wait: bool = True) -> None:
        """Let a model go once its question is answered; without waiting, only if nobody asks it."""
        if not slot.lock.acquire(blocking=wait):
            return
        try:
            self._drop(slot)
        finally:
            slot.lock.release()
        _release_memory()

    def _get_slot(self, key: str, name: str) -> ModelSlot:
        with self._lock:
            slot = self._slots.setdefault(key, ModelSlot(display_name(name)))
            self._slots.move_to_end(key)
            return slot

    def _load(self, slot: ModelSlot, name: str, arguments: Mapping[str, Any]) -> api.LoadedModel:
        self._make_room(slot)
        before, began = process_memory(), time.monotonic()
        try:
            slot.model = api.load_model(name, **arguments)
            slot.load_seconds = time.monotonic() - began
            slot.memory_bytes = max(0, process_memory() - before)
            return slot.model
        finally:
            if slot.model is None:
                self._drop(slot)

    def _drop(self, slot: ModelSlot) -> None:
        """Out of the table, by whoever holds it."""
        slot.is_unloaded = True
        with self._lock:
            self._slots = OrderedDict((k, s) for k, s in self._slots.items() if s is not slot)
        if slot.model:
            slot.model.close()
            slot.model = None

    def _make_room(self, incoming_slot: ModelSlot) -> None:
        """Unload models nobody is asking, oldest first, until the next one fits."""
        for slot in reversed(self.loaded_slots()):
            if len(self.loaded_slots()) < self._max_models and not _is_memory_low():
                return
            if slot is not incoming_slot:
                self.unload(slot, wait=False)


@st.cache_resource(show_spinner=False)
def get_model_pool() -> ModelPool:
    """The one table of this app."""
    return ModelPool()


def process_memory() -> int:
    """Bytes of memory that this process takes."""
    return int(psutil.Process().memory_info().rss)


def system_memory() -> tuple[int, int]:
    """Bytes of the machine's memory in use, and in all."""
    found = psutil.virtual_memory()
    return int(found.total - found.available), int(found.total)


def gpu_memory() -> list[tuple[str, int, int]]:
    """Each graphics card's name, bytes in use and in all; known only once a model uses torch."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return []
    found = []
    for number in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(number)
        found.append((str(torch.cuda.get_device_name(number)), total - free, total))
    return found


def _is_memory_low() -> bool:
    return any(used > MAX_MEMORY_SHARE * total for used, total in (system_memory(), *(g[1:] for g in gpu_memory())))


def _release_memory() -> None:
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
