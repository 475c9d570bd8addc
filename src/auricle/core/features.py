"""The door through which subjects enter: a feature declares as data what it adds to the engine.

A feature is a package with a `FEATURE` in its `__init__`: the names of its task kinds, metrics, commands and other
parts, each with where it is imported from and one line about it. Auricle's own features are the folders beside the
rooms of the engine. Another package declares one with an entry point of the group `auricle.features`:

    [project.entry-points."auricle.features"]
    lid = "auricle_lid:FEATURE"

Reading the features imports nothing but these packages themselves; a part is imported when it is used.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

ENGINE = ("cli", "core", "data", "engine", "media", "metrics", "models", "report", "runs", "scoring", "text")
"""The rooms of the engine. Every other folder of the package is a feature, or a shelf of features."""

Parts: TypeAlias = Mapping[str, tuple[str, ...]]
"""Where each part is, as `module:attribute` below the package of the feature, and a line about it. Some kinds of parts
have a third value: the group of a command, or the place of a section."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """Import path of a part of Auricle, and what is known of it without importing it."""

    path: str
    summary: str
    extra: str = ""
    """The third value of the part."""

    origin = ""

    def load(self) -> Any:
        module, _, attribute = self.path.partition(":")
        return getattr(import_module(module), attribute)


@dataclass(frozen=True, slots=True)
class Feature:
    """What a package adds to Auricle, in strings that are read without importing the parts.

    Examples:
        >>> feature = Feature("auricle_lid", "which language is spoken", task_kinds={"lid": ("kind:lid", "languages")})
        >>> [*feature.parts("task_kinds")]
        [('lid', Builtin(path='auricle_lid.kind:lid', summary='languages', extra=''))]
    """

    package: str
    """The package that paths are relative to: `__name__`."""
    summary: str
    task_kinds: Parts = field(default_factory=dict)
    tasks: Parts = field(default_factory=dict)
    inferencers: Parts = field(default_factory=dict)
    metrics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Modules, and in each the names of metrics with a summary. The attribute is the name with `_` instead of `-`."""
    headlines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By module: its metrics that pages show unfolded. All are of modules that are not listed."""
    models: Parts = field(default_factory=dict)
    commands: Parts = field(default_factory=dict)
    """Commands, with the line of `auricle --help` and the group they are listed in."""
    report_sections: Parts = field(default_factory=dict)
    """Sections of the page of a run, with a line about each and the place, a number; the engine's are 100, 200, …"""
    more: Mapping[str, Parts] = field(default_factory=dict)
    """Parts of other registries, such as `importers` or `app_pages`, and names that the engine has to know:

    - `language_metrics`: metrics that split texts by language whatever the profile, for which tasks find it out
    - `scoring_arguments`: arguments of tasks that change how answers are scored, but not the requests
    - `path_arguments`, `code_arguments`: those that are paths, or may be `file.py:name`
    - `row_fields`: fields of a task file with its rows, so that the file is its own data
    - `session_drivers`: `call`, the function that holds a call with a model
    - `former_paths`: objects that stored runs name by the path they had before, with where they are now
    """

    def parts(self, group: str) -> Iterator[tuple[str, Builtin]]:
        """List the parts of a group, such as `task_kinds`, by name."""
        if group == "metrics":
            for module, summaries in self.metrics.items():
                for name, summary in summaries.items():
                    yield name, Builtin(f"{self.package}.{module}:{name.replace('-', '_')}", summary)
            return
        declared: Parts = self.more.get(group, {}) if group in self.more else getattr(self, group, {})
        for name, (path, *about) in declared.items():
            yield name, Builtin(f"{self.package}{'' if path[0] == ':' else '.'}{path}", *about)


def find_parts(*groups: str) -> dict[str, Builtin]:
    """Return the parts of Auricle's own features in some groups, by name."""
    return {name: part for feature in find_features() for group in groups for name, part in feature.parts(group)}


@cache
def find_features() -> tuple[Feature, ...]:
    """Return Auricle's own features, in the order of their folders."""
    package = import_module(__name__.partition(".")[0])
    shelves = (module for module in _subpackages(package) if module.__name__.rpartition(".")[2] not in ENGINE)
    return tuple(_features_below(shelves))


def _features_below(packages: Iterable[ModuleType]) -> Iterator[Feature]:
    for package in packages:
        if feature := getattr(package, "FEATURE", None):
            yield feature
        else:
            yield from _features_below(_subpackages(package))


def _subpackages(package: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if module.ispkg and module.name.rpartition(".")[2] not in ENGINE:
            yield import_module(module.name)
