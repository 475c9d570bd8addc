"""`auricle demo`: evaluate two small speech recognisers on synthetic speech that ships with the package."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.exit_codes import EXIT_INTERRUPTED, EXIT_OK
from auricle.core.errors import MissingExtra, SpecError


@click.command()
@opt.path("-o --out DIR", "Folder for the run directories.", default=Path("runs/demo"))
@opt.count("--limit N", "Evaluate only the first N recordings. [default: all]")
@opt.fresh_option
@opt.json_option
def demo(out: Path, limit: int | None, fresh: bool, as_json: bool) -> None:
    """Evaluate two small speech recognisers on bundled synthetic speech.

    Needs no network: the recognisers of the extra `demo` include their weights.
    """
    sys.exit(run_demo(out, limit, fresh, as_json))


def run_demo(out: Path, limit: int | None, fresh: bool, as_json: bool) -> int:
    """Evaluate each recogniser that is installed, print the results and return the exit code."""
    from auricle import Settings, Spec
    from auricle.cli.evaluation import run_spec
    from auricle.cli.show import print_runs
    from auricle.tasks.demo import DEMO_MODELS

    folders, code = [], EXIT_OK
    for model, arguments in DEMO_MODELS.items():
        folder = out / model
        try:
            spec = Spec(task="demo", model=model, model_args=dict(arguments), limit=limit)
            code = max(code, run_spec(spec, folder, Settings(), fresh=fresh))
        except MissingExtra as error:
            click.echo(f"Skipped {model}: {error}", err=True)
            continue
        folders.append(folder)
        if code == EXIT_INTERRUPTED:
            break
    if not folders:
        raise SpecError("The demo recognisers are not installed: pip install 'auricle[demo]'.")
    if not as_json:
        click.echo(_describe(folders))
    print_runs(folders, as_json, by=("subset",))
    if not as_json:
        click.echo(_suggest_next_steps(folders))
    return code


def _describe(folders: list[Path]) -> str:
    models = " and ".join(folder.name for folder in folders)
    return (
        f"Transcribed synthetic English sentences (clean and noisy) with {models}, and scored the transcripts.\n"
        "The speech is synthetic: these numbers show how Auricle works, not how good the models are.\n"
    )


def _suggest_next_steps(folders: list[Path]) -> str:
    lines = ["", "Next steps:", f"  auricle samples {folders[0]} --worst 3"]
    if len(folders) == 2:
        lines.append(f"  auricle compare {folders[1]} {folders[0]}")
    return "\n".join(lines)
