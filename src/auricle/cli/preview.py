"""`auricle preview`: print the requests of a task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from auricle.cli.options import (
    GroupedCommand,
    add_reward_model_args,
    kind_option,
    model_args_option,
    option_group,
    reward_model_options,
    task_args_option,
)

if TYPE_CHECKING:
    from auricle.core.types import Request


@click.command(cls=GroupedCommand)
@click.argument("task")
@option_group(
    "Model",
    click.option(
        "-m",
        "--model",
        help="Load this model and print the exact input it would receive. "
        "[default: no model; requests are printed in Auricle's own format]",
    ),
    model_args_option,
    *reward_model_options,
)
@option_group(
    "Data",
    task_args_option,
    kind_option,
    click.option(
        "-n",
        "--number",
        "sample_count",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Number of samples to print.",
    ),
)
def preview(**options: Any) -> None:
    """Print the requests a task would send, without sending them."""
    preview_task(**add_reward_model_args(options))


def preview_task(
    task: str,
    model: str | None,
    model_args: Sequence[str],
    task_args: Sequence[str],
    kind: str | None,
    sample_count: int,
) -> None:
    """Print the requests of the first samples of a task."""
    from auricle import Spec, api
    from auricle.core.types import RejectedRow
    from auricle.engine.spec import parse_arguments, resolve_task

    name, arguments = resolve_task(task, kind, parse_arguments(task_args))
    spec = Spec(task=name, task_args=arguments, model=model or "echo", model_args=parse_arguments(model_args))
    for sample, requests in islice(api.preview(spec, has_model=model is not None), sample_count):
        if isinstance(sample, RejectedRow):
            click.echo(f"{sample.origin}: rejected: {sample.reason}\n")
            continue
        click.echo(click.style(f"{sample.id}  {sample.origin}", bold=True))
        for request, rendered in requests:
            click.echo(f"{rendered}\n" if rendered else "\n".join(_format_request(request)) + "\n")


def _format_request(request: Request) -> list[str]:
    lines = [type(request).__name__]
    if hasattr(request, "inputs"):
        return [*lines, *(f"  {name}: {_format_part(part)}" for name, part in request.inputs.items())]
    for turn in request.turns:
        lines += [f"  {turn.role}:", *(f"    {_format_part(part)}" for part in turn.parts)]
    names = ("continuation", "max_tokens", "temperature")
    settings = {name: getattr(request, name) for name in names if hasattr(request, name)}
    return [*lines, "  " + ", ".join(f"{name}={value!r}" for name, value in settings.items())]


def _format_part(part: Any) -> str:
    from auricle import Audio

    if isinstance(part, str):
        return part.replace("\n", "\n    ")
    segment = ""
    if isinstance(part, Audio) and (part.start or part.end is not None):
        segment = f" from {part.start:g} s to {'the end' if part.end is None else f'{part.end:g} s'}"
    return f"<{type(part).__name__} {part.uri or 'in memory'}{segment}>"
