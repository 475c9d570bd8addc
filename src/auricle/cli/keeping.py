"""Commands that look after what lies around runs: corpora, the cache, environments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from auricle.cli.options import json_option, task_args_option

IMPORT_FRAMEWORKS = ("aisbench", "kimi", "lmms-eval", "ultraeval", "open-asr", "cmi")
RESULT_KINDS = ("asr", "mcq", "qa", "open", "classify")


@click.command(name="import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--from", "framework", type=click.Choice(IMPORT_FRAMEWORKS), required=True, help="Whose.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="A task file, a run, a folder.")
@click.option("--only", metavar="NAME", help="One dataset of several.")
@click.option("--as", "kind", type=click.Choice(RESULT_KINDS), help="What results are of.")
@click.option("--model", metavar="NAME", help="Whose answers results hold, if they do not tell.")
@click.option("--profile", help="How results are normalised; see `auricle list profiles`.")
@click.option("--fresh", is_flag=True, help="Set an earlier run in the folder aside.")
@task_args_option
@json_option
def import_(path: Path, framework: str, out: Path | None, only: str | None, **options: Any) -> None:
    """Make task files of another framework's config, or runs of its results; no code is run."""
    if framework == "aisbench" or path.suffix in (".yaml", ".yml"):
        from auricle.cli.task_import import import_tasks

        import_tasks(path, framework, out, only)
        return
    from auricle.cli.show import print_runs
    from auricle.engine.spec import parse_arguments
    from auricle.interop.result_import import ImportOptions, import_results

    told = ImportOptions(
        kind=options["kind"] or "",
        model=options["model"] or "",
        profile=options["profile"],
        only=only or "",
        options=parse_arguments(options["task_args"]),
    )
    folders = []
    for folder, line in import_results(path, framework, out, told, fresh=options["fresh"]):
        click.echo(line, err=True)
        folders.append(folder)
    print_runs(folders, options["as_json"])


cache_path_option = click.option(
    "--cache-path", type=click.Path(path_type=Path), help="Another file than the usual one."
)


@click.group(invoke_without_command=True)
@cache_path_option
@json_option
@click.pass_context
def cache(context: click.Context, cache_path: Path | None, as_json: bool) -> None:
    """Tell what the answers kept across runs take up, or clear them."""
    if context.invoked_subcommand is None:
        from auricle.cli.cache import show_cache

        show_cache(cache_path, as_json)


@cache.command(name="show")
@cache_path_option
@json_option
def cache_show(cache_path: Path | None, as_json: bool) -> None:
    """Where the cache is and what it holds, by model."""
    from auricle.cli.cache import show_cache

    show_cache(cache_path, as_json)


@cache.command(name="clear")
@click.option("--model", help="Only the answers of this model.")
@click.option("--older-than", "days", type=click.FloatRange(0), metavar="DAYS", help="Only those.")
@cache_path_option
@json_option
def cache_clear(model: str | None, days: float | None, cache_path: Path | None, as_json: bool) -> None:
    """Forget answers."""
    from auricle.cli.cache import clear_cache

    clear_cache(cache_path, model, days, as_json)


@click.group()
def data() -> None:
    """Corpora of the catalogue: which there are, whether a copy is whole, a manifest of one."""


root_option = click.option(
    "--root", type=click.Path(path_type=Path), help="The unpacked archive; -T root=DIR is the same."
)


@data.command(name="list")
@click.argument("name", required=False)
@json_option
def data_list(name: str | None, as_json: bool) -> None:
    """Name, kind, language, licence and source of every published benchmark; or all of NAME."""
    from auricle.cli.data import list_data

    list_data(name, as_json)


@data.command(name="check")
@click.argument("name")
@root_option
@task_args_option
@click.option("--limit", type=click.IntRange(1), help="Decode so many, spread over the set.")
@json_option
def data_check(**options: Any) -> None:
    """Count a copy's rows, decode its sounds, name what is missing or broken; exit code 3 if so."""
    from auricle.cli.data import check_data

    sys.exit(check_data(**options))


@data.command(name="prepare")
@click.argument("name")
@root_option
@task_args_option
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="A .jsonl file.")
@json_option
def data_prepare(**options: Any) -> None:
    """Write a copy's rows as a manifest that runs with --as KIND to the same numbers."""
    from auricle.cli.data import prepare_data

    sys.exit(prepare_data(**options))


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
    from auricle.cli.env import create_environment

    create_environment(**options)


@env.command(name="list")
@json_option
def env_list(as_json: bool) -> None:
    """All environments, finished or not."""
    from auricle.cli.env import list_environments

    list_environments(as_json)


@env.command(name="show")
@click.argument("name")
@json_option
def env_show(name: str, as_json: bool) -> None:
    """What an environment was made from, and what is installed in it."""
    from auricle.cli.env import show_environment

    show_environment(name, as_json)


@env.command(name="remove")
@click.argument("name")
@json_option
def env_remove(name: str, as_json: bool) -> None:
    """Delete an environment."""
    from auricle.cli.env import remove_environment

    remove_environment(name, as_json)
