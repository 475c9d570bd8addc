"""What an environment should hold: the `environment:` block of a YAML file, or a mapping."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.redaction import redacted
from auricle.data.yaml_file import read_yaml

VARIABLE = re.compile(r"[A-Za-z_]\w*")
OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""Variables by which a worker finds its packages."""
ARCHIVES = (".whl", ".tar.gz", ".zip")


@dataclass(frozen=True, slots=True)
class Block:
    """A Python, what pip installs for it, and what its processes find in their environment."""

    python: str = ""
    """A version, or the path of an interpreter; the one Auricle runs under if empty."""
    packages: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Any, source: str = "environment", root: Path | None = None) -> Block:
        """A block from named values; paths in it are relative to `root`."""
        if not isinstance(given, Mapping):
            raise SpecError(f"{source}: environment should hold `name: value` lines.")
        known = [each.name for each in fields(cls)]
        if unknown := [str(each) for each in given if each not in known]:
            raise SpecError(
                f"{source}: environment takes no {', '.join(unknown)}; it takes "
                f"{', '.join(known)}. Indexes and credentials belong in pip's own configuration."
            )
        root = root or Path()
        return cls(
            python=_python(given.get("python"), source, root),
            packages=_packages(given.get("packages"), source, root),
            variables=_variables(given.get("variables"), source),
        )

    @classmethod
    def read(cls, path: Path) -> Block:
        """The block of a YAML file; what else stands in it is for others to read."""
        content = read_yaml(path)
        if "environment" not in content:
            found = ", ".join(map(str, content))
            raise SpecError(f"{path} has no `environment:` block; it has {found or 'nothing'}.")
        return cls.of(content["environment"], str(path), path.parent)

    @classmethod
    def kept(cls, plain: Mapping[str, Any]) -> Block:
        """A block as it was written down, whatever became of the files it names."""
        return cls(plain["python"], tuple(plain["packages"]), dict(plain["variables"]))

    def with_more(self, packages: Sequence[str], python: str) -> Block:
        """The block, and what stands on a command line besides."""
        more = Block.of({"packages": [*packages], "python": python}, "auricle env create")
        every = tuple(dict.fromkeys((*self.packages, *more.packages)))
        return Block(more.python or self.python, every, self.variables)

    def plain(self) -> dict[str, Any]:
        """The block as it is kept; it may hold secrets."""
        return {
            "python": self.python,
            "packages": [*self.packages],
            "variables": {name: self.variables[name] for name in sorted(self.variables)},
        }

    def public(self) -> dict[str, Any]:
        """The block as it may be shown: any variable may be a secret, so only names are."""
        return redacted({**self.plain(), "variables": dict.fromkeys(sorted(self.variables), "…")})

    def differences(self, other: Block) -> str:
        """What is not equal, in words without secrets: empty if nothing is."""
        told = [
            f"{name}: {_words(old)} there, {_words(new)} asked for"
            for name, old, new in (
                ("python", self.python, other.python),
                ("packages", sorted(self.packages), sorted(other.packages)),
            )
            if old != new
        ]
        mine, theirs = dict(self.variables), dict(other.variables)
        names = sorted(name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name))
        return "; ".join([*told, *([f"variables: {', '.join(names)}"] if names else [])])


def _words(value: Any) -> str:
    shown = redacted({"value": value})["value"]
    return (", ".join(shown) if isinstance(shown, list) else str(shown)) or "none"


def _python(given: Any, source: str, root: Path) -> str:
    if given is None:
        return ""
    if not isinstance(given, str):
        raise SpecError(
            f"{source}: python should be a text, not {given!r}: write a version in quotes, "
            "as in python: '3.12', or the path of an interpreter."
        )
    return _path(given, root) if "/" in given else given.strip()


def _packages(given: Any, source: str, root: Path) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise SpecError(f"{source}: packages should be a list of requirements, not {given!r}.")
    return tuple(dict.fromkeys(_requirement(each.strip(), source, root) for each in given))


def _requirement(given: str, source: str, root: Path) -> str:
    if not given or given.startswith("-"):
        raise SpecError(
            f"{source}: packages: {given!r} is no requirement. Write one a line, such as "
            "transformers==4.40 or ./wheels/mine.whl; options belong in pip's own configuration."
        )
    if "://" in given or " @ " in given:
        return given
    local = given.startswith((".", "/", "~")) or given.endswith(ARCHIVES)
    if not local:
        return given
    # `./mine[extra]`: the brackets are pip's, not the path's.
    path, bracket, extras = given.partition("[")
    whole = _path(path, root)
    if not Path(whole).exists():
        raise SpecError(f"{source}: packages: there is no {whole}.")
    return f"{whole}{bracket}{extras}"


def _variables(given: Any, source: str) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SpecError(f"{source}: variables should hold `NAME: value` lines.")
    for name, value in given.items():
        if not isinstance(name, str) or not VARIABLE.fullmatch(name) or name in OURS:
            ours = ", which Auricle sets itself" if name in OURS else ""
            raise SpecError(f"{source}: variables: {name!r} is no name for one{ours}.")
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise SpecError(f"{source}: variables: {name} should be a text; write it in quotes.")
    return {name: str(value) for name, value in given.items()}


def _path(given: str, root: Path) -> str:
    """A whole path; a symbolic link stays one, for a virtualenv's Python is known by it."""
    return str((Path.cwd() / root / Path(given).expanduser()).absolute())
