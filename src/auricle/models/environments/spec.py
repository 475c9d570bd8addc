"""Definition of an environment: the `environment:` block of a YAML file, or a mapping."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.redaction import redact
from auricle.core.yaml_files import read_yaml

VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*")
RESERVED_VARIABLES = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""Variables that decide where a worker finds its packages."""
ARCHIVE_SUFFIXES = (".whl", ".tar.gz", ".zip")


@dataclass(frozen=True, slots=True)
class EnvironmentSpec:
    """A Python version, the packages to install for it, and the variables of its processes."""

    python: str = ""
    """A version or the path of an interpreter; if empty, the one that runs Auricle."""
    packages: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, content: Any, source: str = "environment", root: Path | None = None) -> EnvironmentSpec:
        """Parse a mapping; relative paths start at `root`."""
        if not isinstance(content, Mapping):
            raise SpecError(f"{source}: environment must be a mapping of `name: value` lines.")
        accepted = [key.name for key in fields(cls)]
        if unknown := [str(key) for key in content if key not in accepted]:
            raise SpecError(
                f"{source}: unknown field in environment: {', '.join(unknown)}. Accepted: "
                f"{', '.join(accepted)}. Indexes and credentials belong in the configuration of pip or uv."
            )
        root = root or Path()
        return cls(
            python=_parse_python(content.get("python"), source, root),
            packages=_parse_packages(content.get("packages"), source, root),
            variables=_parse_variables(content.get("variables"), source),
        )

    @classmethod
    def read(cls, path: Path) -> EnvironmentSpec:
        """Read the `environment:` block of a YAML file and ignore its other keys."""
        content = read_yaml(path)
        if "environment" not in content:
            keys = ", ".join(map(str, content))
            raise SpecError(f"{path}: missing block `environment:`. Keys in the file: {keys or 'none'}.")
        return cls.parse(content["environment"], str(path), path.parent)

    @classmethod
    def from_saved(cls, saved: Mapping[str, Any]) -> EnvironmentSpec:
        """Restore a saved definition without checking the files it names."""
        return cls(saved["python"], tuple(saved["packages"]), dict(saved["variables"]))

    def with_packages(self, packages: Sequence[str], python: str) -> EnvironmentSpec:
        """Add packages and a Python from the command line."""
        extra = EnvironmentSpec.parse({"packages": [*packages], "python": python}, "auricle env create")
        all_packages = tuple(dict.fromkeys((*self.packages, *extra.packages)))
        return EnvironmentSpec(extra.python or self.python, all_packages, self.variables)

    def to_dict(self) -> dict[str, Any]:
        """Return the definition for storage; it may contain secrets."""
        return {
            "python": self.python,
            "packages": [*self.packages],
            "variables": {name: self.variables[name] for name in sorted(self.variables)},
        }

    def public(self) -> dict[str, Any]:
        """Return the definition for display, with the values of all variables hidden."""
        return redact({**self.to_dict(), "variables": dict.fromkeys(sorted(self.variables), "…")})

    def describe_differences(self, other: EnvironmentSpec) -> str:
        """Describe the differences without secrets; empty if there are none."""
        differences = [
            f"{name}: existing {_format_value(old)}, requested {_format_value(new)}"
            for name, old, new in (
                ("python", self.python, other.python),
                ("packages", sorted(self.packages), sorted(other.packages)),
            )
            if old != new
        ]
        mine, theirs = dict(self.variables), dict(other.variables)
        names = sorted(name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name))
        return "; ".join([*differences, *([f"variables: {', '.join(names)}"] if names else [])])


def _format_value(value: Any) -> str:
    shown = redact({"value": value})["value"]
    return (", ".join(shown) if isinstance(shown, list) else str(shown)) or "none"


def _parse_python(value: Any, source: str, root: Path) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SpecError(
            f"{source}: python must be text, not {value!r}. Write a version in quotes, "
            "such as python: '3.12', or the path of an interpreter."
        )
    return _absolute_path(value, root) if "/" in value else value.strip()


def _parse_packages(value: Any, source: str, root: Path) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(package, str) for package in value):
        raise SpecError(f"{source}: packages must be a list of requirements, not {value!r}.")
    return tuple(dict.fromkeys(_parse_requirement(package.strip(), source, root) for package in value))


def _parse_requirement(requirement: str, source: str, root: Path) -> str:
    if not requirement or requirement.startswith("-"):
        raise SpecError(
            f"{source}: packages: {requirement!r} is not a requirement. Write one per line, such as "
            "transformers==4.40 or ./wheels/mine.whl. Options belong in the configuration of pip or uv."
        )
    if "://" in requirement or " @ " in requirement:
        return requirement
    local = requirement.startswith((".", "/", "~")) or requirement.endswith(ARCHIVE_SUFFIXES)
    if not local:
        return requirement
    # In `./mine[extra]` the brackets are not part of the path.
    path, bracket, extras = requirement.partition("[")
    absolute = _absolute_path(path, root)
    if not Path(absolute).exists():
        raise SpecError(f"{source}: packages: no such file: {absolute}.")
    return f"{absolute}{bracket}{extras}"


def _parse_variables(content: Any, source: str) -> dict[str, str]:
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise SpecError(f"{source}: variables must be a mapping of `NAME: value` lines.")
    for name, value in content.items():
        if not isinstance(name, str) or not VARIABLE_NAME.fullmatch(name) or name in RESERVED_VARIABLES:
            reason = ": it is set by Auricle" if name in RESERVED_VARIABLES else ""
            raise SpecError(f"{source}: variables: invalid name {name!r}{reason}.")
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise SpecError(f"{source}: variables: the value of {name} must be text. Write it in quotes.")
    return {name: str(value) for name, value in content.items()}


def _absolute_path(path: str, root: Path) -> str:
    """Return an absolute path without resolving symbolic links, which identify the Python of a virtual environment."""
    return str((Path.cwd() / root / Path(path).expanduser()).absolute())
