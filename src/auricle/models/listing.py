"""What a model class declares for menus: its group, the packages that it needs, and where its weights come from."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Literal, TypeAlias

from auricle.core.errors import MissingExtra, SpecError

ModelGroup: TypeAlias = Literal[
    "Speech recognition",
    "Chat and language",
    "Speech synthesis",
    "Voice agents",
    "Emotion and sounds",
    "Speakers",
    "Quality and reward",
    "Servers",
    "Other",
    "Fake",
]
"""Headings of menus. `Servers` are models behind an API; `Fake` ones, for tests, are hidden unless asked for."""
WeightsSource: TypeAlias = Literal["package", "checkpoint", "server", "none"]
"""Where weights come from: the package of the model, a checkpoint that the user names, or a server that has them."""

WITHOUT_WEIGHTS = (
    "Without weights, a class of your own runs with -m file.py:Class, such as one of eGeMAPS features and an SVM; "
    "docs/emotion.md has it."
)
"""What the error of a missing emotion model ends with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelListing:
    """What is known of a model class before anything is imported or loaded."""

    group: ModelGroup = "Other"
    extra: str = ""
    """Extra of Auricle that installs the packages."""
    packages: tuple[str, ...] = ()
    """Modules that must be installed."""
    programs: tuple[str, ...] = ()
    """Programs of which one must be installed."""
    weights: WeightsSource = "none"
    architectures: tuple[str, ...] = ()
    """Ends of the `architectures` in the `config.json` of suitable checkpoints; any, if empty."""
    weight_files: tuple[str, ...] = ()
    """Files that a suitable checkpoint has."""

    @property
    def is_installed(self) -> bool:
        """Whether all packages and a program are installed; nothing is imported."""
        has_program = not self.programs or any(map(shutil.which, self.programs))
        return has_program and all(find_spec(package) is not None for package in self.packages)

    @property
    def version(self) -> str:
        """Version of the first package; empty without packages, or if it is not installed."""
        with suppress(PackageNotFoundError, IndexError):
            return version(self.packages[0])
        return ""

    def require(self, feature: str) -> None:
        """Raise `MissingExtra` if a package is not installed, or `SpecError` if a program is not."""
        if self.is_installed:
            return
        if self.extra:
            raise MissingExtra(feature, self.extra)
        raise SpecError(f"{feature} needs the program {self.programs[0]}, which your system's package manager has.")
