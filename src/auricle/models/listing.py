"""What a model class declares for menus: its group, the packages that it needs, and where its weights come from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Literal, TypeAlias

from auricle.core.errors import MissingExtra

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelListing:
    """What is known of a model class before anything is imported or loaded."""

    group: ModelGroup = "Other"
    extra: str = ""
    """Extra of Auricle that installs the packages."""
    packages: tuple[str, ...] = ()
    """Modules that must be installed."""
    weights: WeightsSource = "none"
    architectures: tuple[str, ...] = ()
    """Ends of the `architectures` in the `config.json` of suitable checkpoints; any, if empty."""
    weight_files: tuple[str, ...] = ()
    """Files that a suitable checkpoint has."""

    @property
    def is_installed(self) -> bool:
        """Whether all packages are installed; they are not imported."""
        return all(find_spec(package) is not None for package in self.packages)

    @property
    def version(self) -> str:
        """Version of the first package; empty without packages, or if it is not installed."""
        with suppress(PackageNotFoundError, IndexError):
            return version(self.packages[0])
        return ""

    def require(self, feature: str) -> None:
        """Raise `MissingExtra` if a package is not installed."""
        if not self.is_installed:
            raise MissingExtra(feature, self.extra)
