"""Find environments by name, and the interpreter that a model's arguments select."""

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
"""The model arguments that select another Python or a named environment."""
METADATA_NAME = "environment.json"  # written last; an environment without it is unfinished
NAME_PATTERN = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment and the content of its `environment.json`, empty if it is unfinished."""

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
        """Return what may be shown and stored about the environment."""
        if not self.is_finished:
            return {"name": self.name, "path": str(self.path), "finished": False}
        details = {name: self.metadata[name] for name in ("digest", "python", "installed", "created")}
        block = {"environment": self.spec.public()}
        return {"name": self.name, "path": str(self.path), "finished": True, **block, **details}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python that runs a model outside Auricle's own, and the variables of its processes."""

    python: str
    variables: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    """For a named environment: its description, stored with a run."""

    @property
    def digest(self) -> str:
        return str(self.environment.get("digest", ""))


def environments_folder() -> Path:
    """Return the folder of the user's environments."""
    root = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(root).expanduser() / "auricle" / "environments"


def environment_path(name: str) -> Path:
    """Return the folder of an environment; raise `SpecError` if the name is invalid."""
    if not NAME_PATTERN.fullmatch(name):
        raise SpecError(
            f"Invalid environment name {name!r}. Use letters, digits, `_`, `.` and `-`; start with a letter or digit."
        )
    return environments_folder() / name


def all_environments() -> list[Environment]:
    """Return all environments sorted by name, finished or not."""
    if not environments_folder().is_dir():
        return []
    folders = (
        folder for folder in environments_folder().iterdir() if NAME_PATTERN.fullmatch(folder.name) and folder.is_dir()
    )
    return [read_environment(folder) for folder in sorted(folders)]


def read_environment(path: Path) -> Environment:
    """Read an environment; an unreadable metadata file counts as missing."""
    try:
        metadata = orjson.loads((path / METADATA_NAME).read_bytes())
        complete = {"environment", "digest", "python", "installed", "created"} <= set(metadata)
    except (OSError, TypeError, orjson.JSONDecodeError):
        return Environment(path)
    return Environment(path, metadata if complete else {})


def find(name: str) -> Environment:
    """Return the environment with this name; if there is none, raise with the command that creates it."""
    path = environment_path(name)
    if not path.is_dir():
        names = ", ".join(environment.name for environment in all_environments())
        raise SpecError(
            f"Unknown environment {name!r}. Existing: {names or 'none'}. "
            f"Create it with: auricle env create {name} --package PACKAGE (or --from FILE.yaml)."
        )
    return read_environment(path)


def find_usable(name: str) -> Environment:
    """Return the environment with this name if a model can run in it."""
    environment = find(name)
    if not environment.is_finished:
        raise SpecError(
            f"The environment {name!r} is unfinished: its creation was interrupted or is still running. "
            f"Create it again with: auricle env create {name} --package PACKAGE (or --from FILE.yaml)."
        )
    if not environment.python.exists():
        raise SpecError(
            f"The Python of the environment {name!r} no longer exists ({environment.python.readlink()}). Rebuild it "
            f"with: auricle env create {name} --force, with the packages listed by `auricle env show {name}`."
        )
    return environment


def resolve_interpreter(arguments: Mapping[str, Any]) -> Interpreter | None:
    """Return the interpreter that the arguments of a model select, or None for the current process."""
    python, name = arguments.get(PYTHON_ARGUMENT), arguments.get(ENVIRONMENT_ARGUMENT)
    if python and name:
        raise SpecError(
            f"-M {PYTHON_ARGUMENT}={python} and -M {ENVIRONMENT_ARGUMENT}={name} exclude each other. Remove one."
        )
    if python:
        return Interpreter(str(python))
    if not name:
        return None
    environment = find_usable(str(name))
    path = os.pathsep.join((str(environment.python.parent), os.environ.get("PATH", os.defpath)))
    variables = {"VIRTUAL_ENV": str(environment.path), "PATH": path}
    return Interpreter(str(environment.python), {**variables, **environment.spec.variables}, environment.public())


def compute_digest(spec: EnvironmentSpec, python: str, installed: list[str]) -> str:
    """Hash the installed packages rather than the requested ones, which may resolve differently later."""
    installed_state: dict[str, Any] = {"python": python, "installed": sorted(installed)}
    installed_state["variables"] = redact(spec.variables)
    content = orjson.dumps(installed_state, option=orjson.OPT_SORT_KEYS)
    return blake2b(content, digest_size=8).hexdigest()
