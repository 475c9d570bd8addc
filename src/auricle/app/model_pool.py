"""Models on the page for single inference: loaded once for all users, one request at a time.

The least recently used models are unloaded when there are too many or memory is low.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from auricle import api
from auricle.app import machine
from auricle.core.serialization import dumps
from auricle.engine.factory import display_name

MAX_LOADED_MODELS = 4
MAX_MEMORY_SHARE = 0.9
"""Share of the system's or a GPU's memory in use above which models are unloaded."""


@dataclass(slots=True)
class ModelSlot:
    """Place of a model in the pool, created before the model is loaded so that it is loaded only once."""

    name: str
    lock: threading.Lock = field(default_factory=threading.Lock)
    model: api.LoadedModel | None = None
    is_unloaded: bool = False
    """Whether the slot was removed from the pool; threads that waited for it get a new one."""
    memory_bytes: int = 0
    """Growth of this process while the model was loaded; a rough estimate."""


class ModelPool:
    """Loaded models, the least recently used first."""

    def __init__(self, max_models: int = MAX_LOADED_MODELS) -> None:
        self._max_models = max_models
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, ModelSlot] = OrderedDict()

    @contextmanager
    def acquire(self, name: str, arguments: Mapping[str, Any]) -> Iterator[api.LoadedModel]:
        """Yield a model for one request, loading it if necessary; concurrent requests to it wait."""
        key = f"{name} {dumps(dict(sorted(arguments.items()))).decode()}"
        while True:
            slot = self._get_slot(key, name)
            with slot.lock:
                if slot.is_unloaded:  # while this thread waited for the lock
                    continue
                yield slot.model or self._load(slot, name, arguments)
                return

    def loaded_slots(self) -> list[ModelSlot]:
        """List the loaded models, the most recently used first."""
        with self._lock:
            return [slot for slot in reversed(self._slots.values()) if slot.model]

    def unload(self, slot: ModelSlot, wait: bool = True) -> None:
        """Unload a model after its current request; with `wait=False`, only if it is idle."""
        if not slot.lock.acquire(blocking=wait):
            return
        try:
            self._drop(slot)
        finally:
            slot.lock.release()
        gc.collect()
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _get_slot(self, key: str, name: str) -> ModelSlot:
        with self._lock:
            slot = self._slots.setdefault(key, ModelSlot(display_name(name)))
            self._slots.move_to_end(key)
            return slot

    def _load(self, slot: ModelSlot, name: str, arguments: Mapping[str, Any]) -> api.LoadedModel:
        self._make_room(slot)
        memory_before = machine.read_process_memory()[0]
        try:
            slot.model = api.load_model(name, **arguments)
            slot.memory_bytes = max(0, machine.read_process_memory()[0] - memory_before)
            return slot.model
        finally:
            if slot.model is None:
                self._drop(slot)

    def _drop(self, slot: ModelSlot) -> None:
        """Remove a slot from the pool and close its model; the caller must own the lock of the slot."""
        slot.is_unloaded = True
        with self._lock:
            self._slots = OrderedDict((key, other) for key, other in self._slots.items() if other is not slot)
        if slot.model:
            slot.model.close()
            slot.model = None

    def _make_room(self, incoming_slot: ModelSlot) -> None:
        """Unload idle models, the least recently used first, until another one fits."""
        for slot in reversed(self.loaded_slots()):
            if len(self.loaded_slots()) < self._max_models and not _is_memory_low():
                return
            if slot is not incoming_slot:
                self.unload(slot, wait=False)


@st.cache_resource(show_spinner=False)
def get_model_pool() -> ModelPool:
    """Return the pool that all sessions share."""
    return ModelPool()


def _is_memory_low() -> bool:
    memories = (machine.read_system_memory(), *machine.read_gpus().memories)
    return any(memory.share > MAX_MEMORY_SHARE for memory in memories)
