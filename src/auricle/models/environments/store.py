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
from auricle.core.redaction import redact
from auricle.models.environments.spec import EnvironmentSpec

PYTHON_ARGUMENT, ENVIRONMENT_ARGUMENT = "python", "environment"
"""The arguments that name another Python for a model to run under, or an environment."""
METADATA_FILE = "environment.json"
"""Written last: an environment without it is unfinished."""
NAME_PATTERN = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtualenv, and what `environment.json` says of it; nothing if it is unfinished."""

    path: Path
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def is_finished(self) -> bool:
        return bool(self.metadata)

    @property
    def python(self) -> Path:
        return self.path / "bin" / "python"

    @property
    def spec(self) -> EnvironmentSpec:
        return EnvironmentSpec.from_saved(self.metadata["environment"])

    @property
    def digest(self) -> str:
        return str(self.metadata["digest"])

    def public(self) -> dict[str, Any]:
        """What may be shown and written down of it."""
        if not self.is_finished:
            return {"name": self.name, "path": str(self.path), "finished": False}
        told = {name: self.metadata[name] for name in ("digest", "python", "installed", "created")}
        block = {"environment": self.spec.public()}
        return {"name": self.name, "path": str(self.path), "finished": True, **block, **told}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Where a model lives apart from Auricle: which Python, what its processes find set."""

    python: str
    variables: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    """Of a named environment: what a run should remember of it."""

    @property
    def digest(self) -> str:
        return str(self.environment.get("digest", ""))


def environments_folder() -> Path:
    """Where a user's environments are."""
    root = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(root).expanduser() / "auricle" / "environments"


def environment_path(name: str) -> Path:
    """The folder of an environment, if that can be its name."""
    if not NAME_PATTERN.fullmatch(name):
        raise SpecError(
            f"{name!r} is no name for an environment: letters, digits, `_`, `.` and `-`, the first a letter or a digit."
        )
    return environments_folder() / name


def all_environments() -> list[Environment]:
    """All environments by name, finished or not."""
    if not environments_folder().is_dir():
        return []
    found = (each for each in environments_folder().iterdir() if NAME_PATTERN.fullmatch(each.name) and each.is_dir())
    return [read_environment(each) for each in sorted(found)]


def read_environment(path: Path) -> Environment:
    """What is at `path`; what cannot be read was not written by us, and is as good as absent."""
    try:
        about = orjson.loads((path / METADATA_FILE).read_bytes())
        whole = {"environment", "digest", "python", "installed", "created"} <= set(about)
    except (OSError, TypeError, orjson.JSONDecodeError):
        return Environment(path)
    return Environment(path, about if whole else {})


def find(name: str) -> Environment:
    """The environment of that name, or which there are and how this one is made."""
    path = environment_path(name)
    if not path.is_dir():
        names = ", ".join(each.name for each in all_environments())
        raise SpecError(
            f"There is no environment {name!r} (known: {names or 'none'}). "
            f"Make it: auricle env create {name} --package PACKAGE (or --from FILE.yaml)."
        )
    return read_environment(path)


def find_usable(name: str) -> Environment:
    """The environment of that name, fit to run a model in."""
    found = find(name)
    if not found.is_finished:
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


def resolve_interpreter(arguments: Mapping[str, Any]) -> Interpreter | None:
    """Where the model of these arguments lives; None if that is here."""
    python, name = arguments.get(PYTHON_ARGUMENT), arguments.get(ENVIRONMENT_ARGUMENT)
    if python and name:
        raise SpecError(
            f"-M {PYTHON_ARGUMENT}={python} and -M {ENVIRONMENT_ARGUMENT}={name} both say where the model runs: "
            "leave one out."
        )
    if python:
        return Interpreter(str(python))
    if not name:
        return None
    found = find_usable(str(name))
    path = os.pathsep.join((str(found.python.parent), os.environ.get("PATH", os.defpath)))
    own = {"VIRTUAL_ENV": str(found.path), "PATH": path}
    return Interpreter(str(found.python), {**own, **found.spec.variables}, found.public())


def compute_digest(spec: EnvironmentSpec, python: str, installed: list[str]) -> str:
    """Of what is there, not of what was asked for: today's `torch` is not last year's."""
    there: dict[str, Any] = {"python": python, "installed": sorted(installed)}
    there["variables"] = redact(spec.variables)
    content = orjson.dumps(there, option=orjson.OPT_SORT_KEYS)
    return blake2b(content, digest_size=8).hexdigest()
