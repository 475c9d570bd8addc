"""`auricle publish`: write the numbers of runs in formats of other sites and tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_result


@click.command(cls=opt.GroupedCommand)
@click.argument("runs", nargs=-1, required=True, type=opt.existing_directory)
@opt.registered_name(
    "--to format_name", "Format to write.", "auricle.interop.publishing.catalogue:PUBLISHERS", required=True
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
    from auricle.interop.publishing.base import PublishOptions, publish_runs

    target = out or Path("published") / format_name
    published = publish_runs(runs, format_name, PublishOptions(samples=not without_samples, **options), target)
    files = list(map(str, published.files))
    document = {"format": format_name, "folder": str(target), "files": files, "next_step": published.next_step}
    print_result(as_json, document, files)
    if not as_json:
        echo(published.next_step, err=True)
