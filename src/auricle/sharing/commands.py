"""`auricle publish` and `auricle log`: numbers of runs for other sites and for trackers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, foreign_output, print_json, print_result


@click.command(cls=opt.GroupedCommand)
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.registered_name(
    "--to format_name", "Format to write.", "auricle.sharing.exports.catalogue:PUBLISHERS", required=True
)
@opt.path("-o --out DIR", "Output folder. [default: published/FORMAT]")
@opt.repeated("--metric metrics NAME", "Metric to publish; repeat for several. [default: all, or the first]")
@opt.flag("--without-samples", "Leave out the references, answers and metadata of samples.")
@opt.option_group(
    "What runs do not always state",
    opt.text(
        "--model-id OWNER/NAME",
        "Repository of the model on the Hub. [default: stated by the run]",
        default="",
        show_default=False,
    ),
    opt.repeated(
        "--dataset-id dataset_ids OWNER/NAME",
        "Repository of the data on the Hub; repeat to give one per run. [default: stated by the run]",
    ),
    opt.repeated(
        "--task-id task_ids ID",
        "Task in eval.yaml of the dataset; repeat to give one per run. Required for hf-eval-results.",
    ),
    opt.text(
        "--task-type TYPE",
        "Type of task on the Hub. [default: that of the kind of task]",
        default="",
        show_default=False,
    ),
    opt.text("--organisation NAME", "Who evaluated. Required for eee.", default="", show_default=False),
    opt.choice(
        "--relationship",
        "Whether the developer of the model evaluated it, for eee.",
        ("first_party", "third_party", "collaborative", "other"),
        default="other",
    ),
    opt.text(
        "--source-url URL",
        "Address where the run or its report can be read. [default: none]",
        default="",
        show_default=False,
    ),
)
@opt.json_option
def publish(
    runs: tuple[Path, ...], format_name: str, out: Path | None, without_samples: bool, as_json: bool, **options: Any
) -> None:
    """Write the numbers of runs in a format of another site or tool.

    Nothing is uploaded: the command prints the files and what to do with them.
    """
    from auricle.sharing.exports.base import PublishOptions, publish_runs

    target = out or Path("published") / format_name
    published = publish_runs(runs, format_name, PublishOptions(samples=not without_samples, **options), target)
    files = list(map(str, published.files))
    document = {"format": format_name, "folder": str(target), "files": files, "next_step": published.next_step}
    print_result(as_json, document, files)
    if not as_json:
        echo(published.next_step, err=True)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.registered_name(
    "--to trackers",
    "Tracker to log to; repeat for several.",
    "auricle.engine.trackers.base:TRACKERS",
    multiple=True,
    required=True,
)
@opt.text(
    "--project NAME",
    "Project or experiment of the trackers. [default: that of the tracker's own variables, or auricle]",
    default="",
    show_default=False,
)
@opt.json_option
def log(runs: tuple[Path, ...], trackers: tuple[str, ...], project: str, as_json: bool) -> None:
    """Log finished runs to experiment trackers.

    A run that was logged before, by this command or by `auricle run --log`, is updated. The parts of a suite are logged
    one by one.
    """
    from auricle.sharing.trackers.finished import log_runs

    logged = []
    with foreign_output():
        for entry in log_runs(runs, trackers, project):
            logged.append(asdict(entry) | {"run": str(entry.run)})
            if not as_json:
                echo(f"Logged {entry.run} to {entry.tracker}: {entry.location}", err=True)
    if as_json:
        print_json(logged)
