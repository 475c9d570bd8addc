"""Observers of a scoring pass: what features find in the records beside the statistics of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

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
    return {name: OBSERVERS.get(name)(metrics) for name in OBSERVERS}


def observe(records: Iterable[Record], observers: Iterable[RecordObserver]) -> Iterator[Record]:
    """Yield records that all observers have seen."""
    watching = [*observers]
    for record in records:
        for observer in watching:
            observer.see(record)
        yield record
