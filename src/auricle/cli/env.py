"""`auricle env`: environments for models whose packages cannot live with others."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import orjson

from auricle.models.environments import Environment, EnvironmentSpec, all_environments, create, find, remove
from auricle.report.terminal import format_table

HEADER = ("name", "python", "packages", "MB", "state")
MAX_PACKAGES_WIDTH = 60


def create_environment(
    name: str, source: Path | None, packages: Sequence[str], python: str | None, force: bool, as_json: bool
) -> None:
    """Build an environment, or say that it is there."""
    block = (EnvironmentSpec.read(source) if source else EnvironmentSpec()).with_packages(packages, python or "")
    if sys.stderr.isatty():
        found, new = create(name, block, force=force, log=_print_progress)
    else:
        found, new = create(name, block, force=force)
    if as_json:
        click.echo(_to_json({**found.public(), "built": new}))
    elif new:
        click.echo(f"{name} is ready: Python {found.metadata['python']}, {found.path}")
        click.echo(f"Run a model in it: -M environment={name}")
    else:
        click.echo(f"{name} is there already, and equal: nothing was done. --force builds it anew.")


def list_environments(as_json: bool) -> None:
    found = all_environments()
    if as_json:
        click.echo(_to_json([{**each.public(), "megabytes": _size_in_megabytes(each)} for each in found]))
        return
    if not found:
        click.echo("There are no environments. Make one: auricle env create NAME --package PACKAGE")
        return
    for line in format_table(HEADER, [_table_row(each) for each in found]):
        click.echo(line)


def show_environment(name: str, as_json: bool) -> None:
    found = find(name)
    told = {**found.public(), "megabytes": _size_in_megabytes(found)}
    if as_json:
        click.echo(_to_json(told))
        return
    click.echo(f"{name}: {found.path}, {told['megabytes']:,.1f} MB")
    if not found.is_finished:
        click.echo(f"{_state(found)}: make it again with `auricle env create {name} …`.")
        return
    block = told["environment"]
    click.echo(f"python     {told['python']}" + (f" ({each})" if (each := block["python"]) else ""))
    click.echo(f"packages   {' '.join(block['packages']) or 'none'}")
    click.echo(f"variables  {' '.join(f'{each}=…' for each in block['variables']) or 'none'}")
    click.echo(f"digest     {told['digest']}")
    click.echo(f"created    {told['created']}\n")
    for line in told["installed"]:
        click.echo(line)


def remove_environment(name: str, as_json: bool) -> None:
    gone = remove(name)
    if as_json:
        click.echo(_to_json({"name": name, "path": str(gone.path), "removed": True}))
    else:
        click.echo(f"{name} is removed from {gone.path.parent}.")


def _table_row(environment: Environment) -> tuple[str, ...]:
    size = f"{_size_in_megabytes(environment):,.1f}"
    if not environment.is_finished:
        return (environment.name, "", "", size, _state(environment))
    packages = " ".join(environment.public()["environment"]["packages"]) or "none"
    brief = packages if len(packages) <= MAX_PACKAGES_WIDTH else f"{packages[:MAX_PACKAGES_WIDTH]}…"
    return (environment.name, environment.metadata["python"], brief, size, _state(environment))


def _state(environment: Environment) -> str:
    return "finished" if environment.is_finished else "unfinished"


def _size_in_megabytes(environment: Environment) -> float:
    """What it takes up; what it links to is others'."""
    size = 0
    for folder, _, files in os.walk(environment.path):
        size += sum((Path(folder) / name).lstat().st_size for name in files)
    return round(size / 1e6, 1)


def _print_progress(line: str) -> None:
    click.secho(line, err=True, dim=True)


def _to_json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)
