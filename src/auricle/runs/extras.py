"""What features add to `metrics.json`: documents of their own, each under a name of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from auricle.core.registry import Registry
from auricle.runs.documents import decode

if TYPE_CHECKING:
    from auricle.runs.metrics import Metrics


class Extra:
    """A document that a feature adds to the numbers of a run; `metrics.json` has it under its registered name."""

    kind: ClassVar[Any]
    """Type of the document: a dataclass, or what else `decode` takes."""
    file: ClassVar[str] = ""
    """The file of a run that `check` reads; empty if there is none to check."""

    def make_empty(self) -> Any:
        """Return the document of a run that has none."""
        return None

    def load(self, run_path: Path, metrics: Metrics) -> Any:
        """Return the document of a run that is scored; `metrics` are its numbers, without extras."""
        return self.make_empty()

    def refresh(self, document: Any, run_path: Path, metrics: Metrics) -> Any:
        """Return the document of a run whose numbers are read again, if it changes more often than they do."""
        return document

    def describe(self, document: Any) -> str:
        """Return a line to be shown below how answers were read; empty if there is none."""
        return ""

    def check(self, run_path: Path) -> None:
        """Raise `DataError` if the file of a run is damaged."""


EXTRAS: Registry[type[Extra]] = Registry("extra", {}, expects=(type, "a subclass of Extra"))


def make_empty_extras() -> dict[str, Any]:
    """Return the documents of a run that has none."""
    return {name: EXTRAS.get(name)().make_empty() for name in EXTRAS}


def decode_extras(values: Mapping[str, Any]) -> dict[str, Any]:
    """Read the documents of all features from the fields of `metrics.json`."""
    return {
        name: decode(EXTRAS.get(name).kind, values[name], name) if name in values else EXTRAS.get(name)().make_empty()
        for name in EXTRAS
    }


def load_extras(run_path: Path, metrics: Metrics) -> dict[str, Any]:
    """Return the documents of a run that is scored."""
    return {name: EXTRAS.get(name)().load(run_path, metrics) for name in EXTRAS}


def refresh_extras(run_path: Path, metrics: Metrics) -> dict[str, Any]:
    """Return the documents of a run whose numbers are read again."""
    return {name: EXTRAS.get(name)().refresh(document, run_path, metrics) for name, document in metrics.extras.items()}


def describe_extras(metrics: Metrics) -> list[str]:
    """Return the lines that are shown below how answers were read."""
    lines = [EXTRAS.get(name)().describe(document) for name, document in metrics.extras.items()]
    return [line for line in lines if line]
