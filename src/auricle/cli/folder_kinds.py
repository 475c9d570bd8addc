"""Folders of features that commands accept in place of runs, such as those of load tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from auricle.core.errors import ExitStatus
from auricle.core.registry import Registry


class FolderKind(ABC):
    """What `auricle compare`, `auricle gate` and `auricle open` do with the folders of a feature."""

    @abstractmethod
    def matches(self, folder: Path) -> bool:
        """Return whether a folder is of this kind."""

    @abstractmethod
    def compare(self, a: Path, b: Path, *, html: Path | None, as_json: bool, **options: Any) -> ExitStatus:
        """Print how folder B differs from folder A; at least one is of this kind.

        Args:
            a: The baseline.
            b: The candidate.
            html: File to which the comparison is written, too.
            as_json: Whether to print JSON.
            options: The other options of `auricle compare`.

        Raises:
            SpecError: if the other folder is of another kind, or an option does not apply.
        """

    @abstractmethod
    def gate(self, baseline: Path, candidate: Path, *, as_json: bool, **options: Any) -> ExitStatus:
        """Print whether the candidate may replace the baseline; the arguments are those of `compare`."""

    @abstractmethod
    def update_page(self, folder: Path) -> Path:
        """Return the page of a folder; it is written first if it is missing or out of date."""


FOLDER_KINDS: Registry[type[FolderKind]] = Registry(
    "folder kind", {}, expects=(type, "a subclass of auricle.cli.folder_kinds.FolderKind")
)


def find_folder_kind(*folders: Path) -> FolderKind | None:
    """Return the kind of the first folder that is of one; None if all are runs, suites or something else."""
    kinds = [FOLDER_KINDS.get(name)() for name in FOLDER_KINDS]
    return next((kind for folder in folders for kind in kinds if kind.matches(folder)), None)
