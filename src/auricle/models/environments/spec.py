"""What an environment should hold: the `environment:` block of a YAML file, or a mapping."""

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
"""Variables by which a worker finds its packages."""
ARCHIVE_SUFFIXES = (".whl", ".tar.gz", ".zip")


@dataclass(frozen=True, slots=True)
class EnvironmentSpec:
    """A Python, what pip installs for it, and what its processes find in their environment."""

    python: str = ""
    """A version, or the path of an interpreter; the one Auricle runs under if empty."""
    packages: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, content: Any, source: str = "environment", root: Path | None = None) -> EnvironmentSpec:
        """A block from named values; paths in it are relative to `root`."""
        if not isinstance(content, Mapping):
            raise SpecError(f"{source}: environment should hold `name: value` lines.")
        known = [each.name for each in fields(cls)]
        if unknown := [str(each) for each in content if each not in known]:
            raise SpecError(
                f"{source}: environment takes no {', '.join(unknown)}; it takes "
                f"{', '.join(known)}. Indexes and credentials belong in pip's own configuration."
            )
        root = root or Path()
        return cls(
            python=_parse_python(content.get("python"), source, root),
            packages=_parse_packages(content.get("packages"), source, root),
            variables=_parse_variables(content.get("variables"), source),
        )

    @classmethod
    def read(cls, path: Path) -> EnvironmentSpec:
        """The block of a YAML file; what else stands in it is for others to read."""
        content = read_yaml(path)
        if "environment" not in content:
            found = ", ".join(map(str, content))
            raise SpecError(f"{path} has no `environment:` block; it has {found or 'nothing'}.")
        return cls.parse(content["environment"], str(path), path.parent)

    @classmethod
    def from_saved(cls, saved: Mapping[str, Any]) -> EnvironmentSpec:
        """A block as it was written down, whatever became of the files it names."""
        return cls(saved["python"], tuple(saved["packages"]), dict(saved["variables"]))

    def with_packages(self, packages: Sequence[str], python: str) -> EnvironmentSpec:
        """The block, and what stands on a command line besides."""
        more = EnvironmentSpec.parse({"packages": [*packages], "python": python}, "auricle env create")
        every = tuple(dict.fromkeys((*self.packages, *more.packages)))
        return EnvironmentSpec(more.python or self.python, every, self.variables)

    def to_dict(self) -> dict[str, Any]:
        """The block as it is kept; it may hold secrets."""
        return {
            "python": self.python,
            "packages": [*self.packages],
            "variables": {name: self.variables[name] for name in sorted(self.variables)},
        }

    def public(self) -> dict[str, Any]:
        """The block as it may be shown: any variable may be a secret, so only names are."""
        return redact({**self.to_dict(), "variables": dict.fromkeys(sorted(self.variables), "…")})

    def describe_differences(self, other: EnvironmentSpec) -> str:
        """What is not equal, in words without secrets: empty if nothing is."""
        told = [
            f"{name}: {_format_value(old)} there, {_format_value(new)} asked for"
            for name, old, new in (
                ("python", self.python, other.python),
                ("packages", sorted(self.packages), sorted(other.packages)),
            )
            if old != new
        ]
        mine, theirs = dict(self.variables), dict(other.variables)
        names = sorted(name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name))
        return "; ".join([*told, *([f"variables: {', '.join(names)}"] if names else [])])


def _format_value(value: Any) -> str:
    shown = redact({"value": value})["value"]
    return (", ".join(shown) if isinstance(shown, list) else str(shown)) or "none"


def _parse_python(value: Any, source: str, root: Path) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SpecError(
            f"{source}: python should be a text, not {value!r}: write a version in quotes, "
            "as in python: '3.12', or the path of an interpreter."
        )
    return _absolute_path(value, root) if "/" in value else value.strip()


def _parse_packages(value: Any, source: str, root: Path) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise SpecError(f"{source}: packages should be a list of requirements, not {value!r}.")
    return tuple(dict.fromkeys(_parse_requirement(each.strip(), source, root) for each in value))


def _parse_requirement(requirement: str, source: str, root: Path) -> str:
    if not requirement or requirement.startswith("-"):
        raise SpecError(
            f"{source}: packages: {requirement!r} is no requirement. Write one a line, such as "
            "transformers==4.40 or ./wheels/mine.whl; options belong in pip's own configuration."
        )
    if "://" in requirement or " @ " in requirement:
        return requirement
    local = requirement.startswith((".", "/", "~")) or requirement.endswith(ARCHIVE_SUFFIXES)
    if not local:
        return requirement
    # `./mine[extra]`: the brackets are pip's, not the path's.
    path, bracket, extras = requirement.partition("[")
    whole = _absolute_path(path, root)
    if not Path(whole).exists():
        raise SpecError(f"{source}: packages: there is no {whole}.")
    return f"{whole}{bracket}{extras}"


def _parse_variables(content: Any, source: str) -> dict[str, str]:
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise SpecError(f"{source}: variables should hold `NAME: value` lines.")
    for name, value in content.items():
        if not isinstance(name, str) or not VARIABLE_NAME.fullmatch(name) or name in RESERVED_VARIABLES:
            ours = ", which Auricle sets itself" if name in RESERVED_VARIABLES else ""
            raise SpecError(f"{source}: variables: {name!r} is no name for one{ours}.")
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise SpecError(f"{source}: variables: {name} should be a text; write it in quotes.")
    return {name: str(value) for name, value in content.items()}


def _absolute_path(path: str, root: Path) -> str:
    """A whole path; a symbolic link stays one, for a virtualenv's Python is known by it."""
    return str((Path.cwd() / root / Path(path).expanduser()).absolute())
