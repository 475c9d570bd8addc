"""Find the tasks that state where their data comes from: built-in benchmarks, and task files of packages."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from auricle.tasks.catalogue import TASKS
from auricle.tasks.options import Provenance


@runtime_checkable
class Published(Protocol):
    """A task of the registry that states where its data comes from."""

    @property
    def kind(self) -> str: ...

    @property
    def provenance(self) -> Provenance: ...


def load_published() -> dict[str, Published]:
    """Return these tasks by name. A task that cannot be loaded is left out; the error appears where it is used."""
    published: dict[str, Published] = {}
    for name in TASKS:
        try:
            entry = TASKS.get(name)
            if isinstance(entry, Published):
                published[name] = entry
        except Exception:  # noqa: BLE001, S112 - a package may raise anything, and one must not break a listing
            continue
    return published
