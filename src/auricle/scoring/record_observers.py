"""Observers of a scoring pass: what features find in the records beside the statistics of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from auricle.core.errors import SpecError, describe
from auricle.core.registry import Registry
from auricle.core.types import Record
from auricle.metrics.base import Metric


class RecordObserver:
    """Sees every record while a run is scored.

    Args:
        metrics: The metrics of the run.
    """

    def __init__(self, metrics: Sequence[Metric]) -> None: ...

    def see(self, record: Record) -> None:
        """Count what is of interest in a record."""

    def notes(self) -> list[str]:
        """Return sentences for the notes of the run."""
        return []

    def finding(self) -> Any:
        """Return what the section of the feature shows; None if there is nothing to show."""
        return None


OBSERVERS: Registry[type[RecordObserver]] = Registry(
    "record observer", {}, expects=(type, "a subclass of RecordObserver")
)


def make_observers(metrics: Sequence[Metric]) -> dict[str, RecordObserver]:
    """Return the observers of all features, by name."""
    return {
        name: PackageObserver(name, metrics) if OBSERVERS.package(name) else OBSERVERS.get(name)(metrics)
        for name in OBSERVERS
    }


class PackageObserver(RecordObserver):
    """The observer of another package, whose first error is a note of the run and ends neither the run nor others."""

    def __init__(self, name: str, metrics: Sequence[Metric]) -> None:
        self._name = name
        self._errors: list[str] = []
        with self._noting_errors():
            self._observer = OBSERVERS.get(name)(metrics)

    def see(self, record: Record) -> None:
        if not self._errors:
            with self._noting_errors():
                self._observer.see(record)

    def notes(self) -> list[str]:
        if not self._errors:
            with self._noting_errors():
                return self._observer.notes()
        return self._errors

    def finding(self) -> Any:
        if not self._errors:
            with self._noting_errors():
                return self._observer.finding()
        return None

    @contextmanager
    def _noting_errors(self) -> Iterator[None]:
        try:
            yield
        except SpecError as error:  # which names the package
            self._errors.append(str(error))
        except Exception as error:  # noqa: BLE001 - a package may raise anything, and the run must be scored
            place = f"record observer {self._name!r} of the package {OBSERVERS.package(self._name)}"
            self._errors.append(f"The {place} failed: {type(error).__name__}: {describe(error)}")
