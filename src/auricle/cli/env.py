"""`auricle env`: environments for models whose packages cannot live with others."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import orjson

from auricle.models.environments import Block, Environment, create, every, find, remove
from auricle.report.terminal import aligned

HEADER = ("name", "python", "packages", "MB", "state")
MOST_WORDS = 60


def create_environment(
    name: str,
    source: Path | None,
    packages: Sequence[str],
    python: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Build an environment, or say that it is there."""
    block = (Block.read(source) if source else Block()).with_more(packages, python or "")
    if sys.stderr.isatty():
        found, new = create(name, block, force=force, say=_to_terminal)
    else:
        found, new = create(name, block, force=force)
    if as_json:
        click.echo(_json({**found.public(), "built": new}))
    elif new:
        click.echo(f"{name} is ready: Python {found.about['python']}, {found.path}")
        click.echo(f"Run a model in it: -M environment={name}")
    else:
        click.echo(f"{name} is there already, and equal: nothing was done. --force builds it anew.")


def list_environments(as_json: bool) -> None:
    found = every()
    if as_json:
        click.echo(_json([{**each.public(), "megabytes": _megabytes(each)} for each in found]))
        return
    if not found:
        click.echo("There are no environments. Make one: auricle env create NAME --package PACKAGE")
        return
    for line in aligned(HEADER, [_row(each) for each in found]):
        click.echo(line)


def show_environment(name: str, as_json: bool) -> None:
    found = find(name)
    told = {**found.public(), "megabytes": _megabytes(found)}
    if as_json:
        click.echo(_json(told))
        return
    click.echo(f"{name}: {found.path}, {told['megabytes']:,.1f} MB")
    if not found.finished:
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
        click.echo(_json({"name": name, "path": str(gone.path), "removed": True}))
    else:
        click.echo(f"{name} is removed from {gone.path.parent}.")


def _row(found: Environment) -> tuple[str, ...]:
    size = f"{_megabytes(found):,.1f}"
    if not found.finished:
        return (found.name, "", "", size, _state(found))
    packages = " ".join(found.public()["environment"]["packages"]) or "none"
    brief = packages if len(packages) <= MOST_WORDS else f"{packages[:MOST_WORDS]}…"
    return (found.name, found.about["python"], brief, size, _state(found))


def _state(found: Environment) -> str:
    return "finished" if found.finished else "unfinished"


def _megabytes(found: Environment) -> float:
    """What it takes up; what it links to is others'."""
    size = 0
    for folder, _, files in os.walk(found.path):
        size += sum((Path(folder) / name).lstat().st_size for name in files)
    return round(size / 1e6, 1)


def _to_terminal(line: str) -> None:
    click.secho(line, err=True, dim=True)


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)
