"""Named virtual environments for models whose packages conflict with others.

An environment is defined by the `environment:` block of a YAML file, or on the command line, and found by its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import SpecError
from auricle.core.redaction import HIDDEN, redact, redact_text
from auricle.core.yaml_files import read_yaml

PYTHON_ARGUMENT, ENVIRONMENT_ARGUMENT = "python", "environment"
"""The model arguments that select another Python or a named environment."""
METADATA_NAME = "environment.json"  # written last; an environment without it is unfinished
METADATA_FIELDS = ("digest", "python", "installed", "created")
NAME_PATTERN = re.compile(r"[A-Za-z0-9][\w.-]*")
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
        packages = [redact_text(package) for package in self.packages]
        variables = dict.fromkeys(sorted(self.variables), HIDDEN)
        return {"python": redact_text(self.python), "packages": packages, "variables": variables}

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
    return redact_text(", ".join(value) if isinstance(value, list) else str(value)) or "none"


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
        details = {name: self.metadata[name] for name in METADATA_FIELDS}
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
        complete = {"environment", *METADATA_FIELDS} <= set(metadata)
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
