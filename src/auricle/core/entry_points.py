"""What installed packages add through entry points.

A package declares a feature in the group `auricle.features`, or a single part in that of its kind, such as
`auricle.metrics`. A package that cannot be imported, or that uses a name of another one, is reported where that name is
used and disturbs nothing else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from auricle.core.errors import MissingExtra, SpecError, describe, kind_of
from auricle.core.features import Builtin, Feature
from auricle.core.home_folder import keep_home_folder

if TYPE_CHECKING:  # importing it takes as long as all of `auricle --help` otherwise
    from importlib.metadata import EntryPoint

OWN_PACKAGE = "auricle"
GROUP_PREFIX = f"{OWN_PACKAGE}."


@dataclass(frozen=True, slots=True)
class PackageEntry:
    """A name that packages define in a group; if several do, it is refused."""

    kind: str
    """What is defined, in the singular: "model", "load pattern", …"""
    name: str
    points: tuple[EntryPoint, ...]
    part: Builtin | None = None
    """What a feature states of it; None for a single part, and if several packages define the name."""

    @property
    def packages(self) -> list[str]:
        """The packages that define the name, each with its version."""
        return [_package_name(point) for point in self.points]

    @property
    def origin(self) -> str:
        """The packages in one text."""
        return " and ".join(self.packages)

    def load(self) -> Any:
        """Import the object.

        Raises:
            SpecError: if it cannot be imported, or if several packages define it.
        """
        if len(self.points) > 1:
            raise self.conflict(*self.packages)
        try:
            with keep_home_folder():
                return self.points[0].load()
        except MissingExtra:
            raise
        except ModuleNotFoundError as error:
            raise self._broken(f"the module {error.name!r} is not installed") from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            reason = " ".join(describe(error).split())  # some messages have several lines
            raise self._broken(f"{kind_of(error)}: {reason}") from error

    def conflict(self, *packages: str) -> SpecError:
        """Return the error for a name that several packages define."""
        return SpecError(
            f"The {self.kind} {self.name!r} is defined by {' and by '.join(packages)}, so it cannot be used. "
            "Uninstall one of them, or rename its entry point."
        )

    def wrong_type(self, value: Any, expected: str) -> SpecError:
        """Return the error for an object that is not what its group expects."""
        return self._broken(f"{self.points[0].value} is of type {type(value).__name__}, expected {expected}")

    def _broken(self, reason: str) -> SpecError:
        (package,) = self.packages
        return SpecError(
            f"The {self.kind} {self.name!r} of the package {package} cannot be loaded: {reason}. "
            "Repair the package, or uninstall it."
        )


@cache
def find_entries(kind: str, *groups: str) -> Mapping[str, PackageEntry]:
    """Return what packages define in these groups, by name."""
    points: dict[str, list[EntryPoint]] = {}
    parts: dict[str, Builtin] = {}
    for group in groups:
        for point in _installed_points().get(f"{GROUP_PREFIX}{group}", ()):
            points.setdefault(point.name, []).append(point)
        for feature_point, feature in find_package_features().items():
            if isinstance(feature, Feature):
                from importlib.metadata import EntryPoint

                for name, part in feature.parts(group):
                    point = EntryPoint(name, part.path, f"{GROUP_PREFIX}{group}")
                    vars(point)["dist"] = feature_point.dist
                    points.setdefault(name, []).append(point)
                    parts[name] = part
    return {
        name: PackageEntry(kind, name, tuple(same_name), parts.get(name) if len(same_name) == 1 else None)
        for name, same_name in points.items()
    }


def find_package_features() -> Mapping[EntryPoint, Feature | SpecError]:
    """Return the features that other packages declare, or why one cannot be loaded."""
    return _load_features(tuple(_installed_points().get(f"{GROUP_PREFIX}features", ())))


@cache
def _load_features(points: tuple[EntryPoint, ...]) -> Mapping[EntryPoint, Feature | SpecError]:
    features: dict[EntryPoint, Feature | SpecError] = {}
    for point in points:
        entry = PackageEntry("feature", point.name, (point,))
        try:
            value = entry.load()
        except SpecError as error:
            features[point] = error
        else:
            features[point] = value if isinstance(value, Feature) else entry.wrong_type(value, "a Feature")
    return features


def forget_installed_packages() -> None:
    """Search for packages again when a name is next looked up, as after an installation."""
    _installed_points.cache_clear()
    _load_features.cache_clear()
    find_entries.cache_clear()


@cache
def _installed_points() -> Mapping[str, list[EntryPoint]]:
    """Return the entry points of all groups; parsing those of every installed package takes tens of milliseconds."""
    if not any(map(_has_points, sys.path)):
        return {}
    from importlib.metadata import entry_points

    points = entry_points()
    return {group: [*points.select(group=group)] for group in points.groups if group.startswith(GROUP_PREFIX)}


def _has_points(location: str) -> bool:
    """Return whether a package at a location of modules may have entry points for Auricle."""
    try:
        with os.scandir(location or ".") as entries:
            folders = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    return any(map(_names_group, folders))


def _names_group(folder: str) -> bool:
    try:
        with open(f"{folder}/entry_points.txt", "rb") as file:  # noqa: PTH123 - many files, at every start
            return f"[{GROUP_PREFIX}".encode() in file.read()
    except OSError:
        return False


def _package_name(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value
