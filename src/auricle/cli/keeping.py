"""Commands that look after what lies around runs: the cache, environments, what others wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auricle.cli.options import json_option


@click.command(name="import")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--from", "framework", type=click.Choice(["aisbench"]), required=True)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="A task file, or a folder.")
@click.option("--only", metavar="NAME", help="One dataset of several.")
def import_(config: Path, framework: str, out: Path | None, only: str | None) -> None:
    """Make task files of another framework's config, which is read and never run."""
    from auricle.compat.imports import import_tasks

    import_tasks(config, framework, out, only)


cache_option = click.option(
    "--cache-path", type=click.Path(path_type=Path), help="Another file than the usual one."
)


@click.group(invoke_without_command=True)
@cache_option
@json_option
@click.pass_context
def cache(context: click.Context, cache_path: Path | None, as_json: bool) -> None:
    """Tell what the answers kept across runs take up, or clear them."""
    if context.invoked_subcommand is None:
        from auricle.upkeep import show_cache

        show_cache(cache_path, as_json)


@cache.command(name="show")
@cache_option
@json_option
def cache_show(cache_path: Path | None, as_json: bool) -> None:
    """Where the cache is and what it holds, by model."""
    from auricle.upkeep import show_cache

    show_cache(cache_path, as_json)


@cache.command(name="clear")
@click.option("--model", help="Only the answers of this model.")
@click.option("--older-than", "days", type=click.FloatRange(0), metavar="DAYS", help="Only those.")
@cache_option
@json_option
def cache_clear(
    model: str | None, days: float | None, cache_path: Path | None, as_json: bool
) -> None:
    """Forget answers."""
    from auricle.upkeep import clear_cache

    clear_cache(cache_path, model, days, as_json)


@click.group()
def env() -> None:
    """Environments for models whose packages conflict: -M environment=NAME runs one in it."""


@env.command(name="create")
@click.argument("name")
@click.option("--from", "source", type=click.Path(path_type=Path), help="Its block, in YAML.")
@click.option("--package", "packages", multiple=True, metavar="REQ", help="As pip takes it.")
@click.option("--python", metavar="PATH", help="An interpreter, or a version such as 3.12.")
@click.option("--force", is_flag=True, help="Build anew what is there.")
@json_option
def env_create(**options: Any) -> None:
    """Build an environment with the packages a model needs."""
    from auricle.housing import create_environment

    create_environment(**options)


@env.command(name="list")
@json_option
def env_list(as_json: bool) -> None:
    """All environments, finished or not."""
    from auricle.housing import list_environments

    list_environments(as_json)


@env.command(name="show")
@click.argument("name")
@json_option
def env_show(name: str, as_json: bool) -> None:
    """What an environment was made from, and what is installed in it."""
    from auricle.housing import show_environment

    show_environment(name, as_json)


@env.command(name="remove")
@click.argument("name")
@json_option
def env_remove(name: str, as_json: bool) -> None:
    """Delete an environment."""
    from auricle.housing import remove_environment

    remove_environment(name, as_json)
