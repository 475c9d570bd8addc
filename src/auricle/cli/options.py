"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

TASK_KINDS = (*("asr", "mcq", "qa", "open", "classify", "translate", "chat", "perplexity"), *("reward", "preference"))


def parse_batch_size(value: str) -> int | str:
    """A number from 1, or `auto`."""
    if value == "auto":
        return value
    if not value.isdigit() or not int(value):
        raise click.BadParameter(f"{value!r} should be a whole number from 1, or auto.")
    return int(value)


model_option = click.option("-m", "--model", required=True, help="A name, module:Class, or path/file.py:name.")
model_args_option = click.option(
    "-M", "model_args", multiple=True, metavar="KEY=VALUE", help="An argument of the model."
)
task_args_option = click.option("-T", "task_args", multiple=True, metavar="KEY=VALUE", help="An argument of the task.")
judge_option = click.option("--judge", help="The model that scores, where a metric asks one.")
judge_args_option = click.option(
    "-J", "judge_args", multiple=True, metavar="KEY=VALUE", help="An argument of the judge."
)
kind_option = click.option("--as", "kind", type=click.Choice(TASK_KINDS), help="What data is for.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
existing_directory = click.Path(path_type=Path, exists=True, file_okay=False)
