"""Where environments are kept, and which of them a model's arguments name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import SpecError
from auricle.core.redaction import redacted
from auricle.models.environments.requirements import Block

PYTHON, ENVIRONMENT = "python", "environment"
"""The arguments that name another Python for a model to run under, or an environment."""
ABOUT = "environment.json"
"""Written last: an environment without it is unfinished."""
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtualenv, and what `environment.json` says of it; nothing if it is unfinished."""

    path: Path
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def finished(self) -> bool:
        return bool(self.about)

    @property
    def python(self) -> Path:
        return self.path / "bin" / "python"

    @property
    def block(self) -> Block:
        return Block.kept(self.about["environment"])

    @property
    def digest(self) -> str:
        return str(self.about["digest"])

    def public(self) -> dict[str, Any]:
        """What may be shown and written down of it."""
        if not self.finished:
            return {"name": self.name, "path": str(self.path), "finished": False}
        told = {name: self.about[name] for name in ("digest", "python", "installed", "created")}
        block = {"environment": self.block.public()}
        return {"name": self.name, "path": str(self.path), "finished": True, **block, **told}


@dataclass(frozen=True, slots=True)
class Home:
    """Where a model lives apart from Auricle: which Python, what its processes find set."""

    python: str
    variables: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    """Of a named environment: what a run should remember of it."""

    @property
    def digest(self) -> str:
        return str(self.about.get("digest", ""))


def folder() -> Path:
    """Where a user's environments are."""
    root = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(root).expanduser() / "auricle" / "environments"


def place(name: str) -> Path:
    """The folder of an environment, if that can be its name."""
    if not NAME.fullmatch(name):
        raise SpecError(
            f"{name!r} is no name for an environment: letters, digits, `_`, `.` and `-`, "
            "the first a letter or a digit."
        )
    return folder() / name


def every() -> list[Environment]:
    """All environments by name, finished or not."""
    if not folder().is_dir():
        return []
    found = (each for each in folder().iterdir() if NAME.fullmatch(each.name) and each.is_dir())
    return [look(each) for each in sorted(found)]


def look(path: Path) -> Environment:
    """What is at `path`; what cannot be read was not written by us, and is as good as absent."""
    try:
        about = orjson.loads((path / ABOUT).read_bytes())
        whole = {"environment", "digest", "python", "installed", "created"} <= set(about)
    except (OSError, TypeError, orjson.JSONDecodeError):
        return Environment(path)
    return Environment(path, about if whole else {})


def find(name: str) -> Environment:
    """The environment of that name, or which there are and how this one is made."""
    path = place(name)
    if not path.is_dir():
        names = ", ".join(each.name for each in every())
        raise SpecError(
            f"There is no environment {name!r} (known: {names or 'none'}). "
            f"Make it: auricle env create {name} --package PACKAGE (or --from FILE.yaml)."
        )
    return look(path)


def usable(name: str) -> Environment:
    """The environment of that name, fit to run a model in."""
    found = find(name)
    if not found.finished:
        raise SpecError(
            f"The environment {name!r} is unfinished: its making was cut short, or is going on. "
            f"Make it again: auricle env create {name} --package PACKAGE (or --from FILE.yaml)."
        )
    if not found.python.exists():
        raise SpecError(
            f"The environment {name!r} has lost its Python ({found.python.readlink()}). Make it "
            f"again: auricle env create {name} --force, with its packages as `auricle env show "
            f"{name}` tells them."
        )
    return found


def home_of(arguments: Mapping[str, Any]) -> Home | None:
    """Where the model of these arguments lives; None if that is here."""
    python, name = arguments.get(PYTHON), arguments.get(ENVIRONMENT)
    if python and name:
        raise SpecError(
            f"-M {PYTHON}={python} and -M {ENVIRONMENT}={name} both say where the model runs: "
            "leave one out."
        )
    if python:
        return Home(str(python))
    if not name:
        return None
    found = usable(str(name))
    path = os.pathsep.join((str(found.python.parent), os.environ.get("PATH", os.defpath)))
    own = {"VIRTUAL_ENV": str(found.path), "PATH": path}
    return Home(str(found.python), {**own, **found.block.variables}, found.public())


def digest_of(block: Block, python: str, installed: list[str]) -> str:
    """Of what is there, not of what was asked for: today's `torch` is not last year's."""
    there: dict[str, Any] = {"python": python, "installed": sorted(installed)}
    there["variables"] = redacted(block.variables)
    content = orjson.dumps(there, option=orjson.OPT_SORT_KEYS)
    return blake2b(content, digest_size=8).hexdigest()
