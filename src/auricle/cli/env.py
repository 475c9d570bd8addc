"""`auricle env`: manage virtual environments for models."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_result
from auricle.report.text_table import format_table

if TYPE_CHECKING:
    from auricle.models.environments import Environment

HEADER = ("name", "python", "packages", "MB", "state")
MAX_PACKAGES_WIDTH = 60


@click.group()
def env() -> None:
    """Manage virtual environments for models with conflicting packages.

    Run a model in an environment with -M environment=NAME.
    """


@env.command(name="create")
@click.argument("name")
@opt.path("--from source FILE", "YAML file with the definition: python, packages, variables. [default: none]")
@opt.repeated("--package packages REQUIREMENT", "Package to install, as a pip requirement; repeat for several.")
@opt.text(
    "--python PATH|VERSION",
    "Python interpreter, as a path or a version such as 3.12. [default: the interpreter of Auricle]",
)
@opt.flag("--force", "Rebuild the environment if it exists.")
@opt.json_option
def env_create(
    name: str, source: Path | None, packages: Sequence[str], python: str | None, force: bool, as_json: bool
) -> None:
    """Create an environment with the packages that a model needs."""
    from auricle.models.environment_builder import create
    from auricle.models.environments import EnvironmentSpec

    spec = (EnvironmentSpec.read(source) if source else EnvironmentSpec()).with_packages(packages, python or "")
    log = _print_progress if sys.stderr.isatty() else None
    environment, is_new = create(name, spec, force=force, log=log)
    lines = [f"{name} already exists with the same definition. Use --force to rebuild it."]
    if is_new:
        lines = [f"Created {name} with Python {environment.metadata['python']}: {environment.path}"]
        lines.append(f"Run a model in it with: -M environment={name}")
    print_result(as_json, {**environment.public(), "built": is_new}, lines)


@env.command(name="list")
@opt.json_option
def env_list(as_json: bool) -> None:
    """List environments with their Python version, packages and size."""
    from auricle.models.environments import all_environments

    environments = all_environments()
    documents = list(map(_to_dict, environments))
    lines = ["No environments. Create one with: auricle env create NAME --package REQUIREMENT"]
    if environments:
        lines = format_table(HEADER, list(map(_table_row, environments, documents)))
    print_result(as_json, documents, lines)


@env.command(name="show")
@click.argument("name")
@opt.json_option
def env_show(name: str, as_json: bool) -> None:
    """Show the definition of an environment and the packages installed in it."""
    from auricle.models.environments import find

    environment = find(name)
    details = _to_dict(environment)
    print_result(as_json, details, _format_details(environment, details))


@env.command(name="remove")
@click.argument("name")
@opt.json_option
def env_remove(name: str, as_json: bool) -> None:
    """Delete an environment."""
    from auricle.models.environment_builder import remove

    environment = remove(name)
    document = {"name": name, "path": str(environment.path), "removed": True}
    print_result(as_json, document, [f"Removed {name} from {environment.path.parent}."])


def _to_dict(environment: Environment) -> dict[str, Any]:
    return {**environment.public(), "megabytes": _size_in_megabytes(environment)}


def _format_details(environment: Environment, details: Mapping[str, Any]) -> Iterator[str]:
    yield f"{environment.name}: {environment.path}, {details['megabytes']:,.1f} MB"
    if not environment.is_finished:
        yield f"{_state(environment)}: create it again with `auricle env create {environment.name} …`."
        return
    spec = details["environment"]
    yield f"python     {details['python']}" + (f" ({spec['python']})" if spec["python"] else "")
    yield f"packages   {' '.join(spec['packages']) or 'none'}"
    yield f"variables  {' '.join(f'{variable}=…' for variable in spec['variables']) or 'none'}"
    yield f"digest     {details['digest']}"
    yield f"created    {details['created']}\n"
    yield from details["installed"]


def _table_row(environment: Environment, details: Mapping[str, Any]) -> tuple[str, ...]:
    size = f"{details['megabytes']:,.1f}"
    if not environment.is_finished:
        return (environment.name, "", "", size, _state(environment))
    packages = " ".join(details["environment"]["packages"]) or "none"
    if len(packages) > MAX_PACKAGES_WIDTH:
        packages = f"{packages[:MAX_PACKAGES_WIDTH]}…"
    return (environment.name, environment.metadata["python"], packages, size, _state(environment))


def _state(environment: Environment) -> str:
    return "finished" if environment.is_finished else "unfinished"


def _size_in_megabytes(environment: Environment) -> float:
    """Return the size on disk, without the files that symbolic links point to."""
    size = 0
    for folder, _, files in os.walk(environment.path):
        size += sum((Path(folder) / name).lstat().st_size for name in files)
    return round(size / 1e6, 1)


def _print_progress(line: str) -> None:
    echo(line, err=True, dim=True)
