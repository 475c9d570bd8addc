"""Find the tasks that state where their data comes from: built-in benchmarks, and task files of packages."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol, runtime_checkable

from auricle.core.errors import AuricleError
from auricle.engine.catalogue import TASKS
from auricle.engine.task_options import Provenance


@runtime_checkable
class Published(Protocol):
    """A task of the registry that states where its data comes from."""

    @property
    def kind(self) -> str: ...

    @property
    def provenance(self) -> Provenance: ...


def load_published() -> dict[str, Published]:
    """Return these tasks by name.

    A task that cannot be loaded is left out: `auricle list tasks` and `auricle doctor` show its error.
    """
    published: dict[str, Published] = {}
    for name in TASKS:
        with suppress(AuricleError):  # what a broken package raises is one, whatever it was
            entry = TASKS.get(name)
            if isinstance(entry, Published):
                published[name] = entry
    return published
