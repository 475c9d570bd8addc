"""`auricle preview`: print the requests of a task."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo

if TYPE_CHECKING:
    from auricle.core.types import Request


@click.command(cls=opt.GroupedCommand)
@click.argument("task")
@opt.option_group(
    "Model",
    opt.text(
        "-m --model",
        "Load this model and print the exact input it would receive. "
        "[default: no model; requests are printed in Auricle's own format]",
    ),
    *opt.model_options,
)
@opt.option_group(
    "Data", *opt.task_options, opt.count("-n --number sample_count N", "Number of samples to print.", default=1)
)
def preview(task: str, model: str | None, sample_count: int, **options: Any) -> None:
    """Print the requests a task would send, without sending them."""
    from auricle import api
    from auricle.core.types import RejectedRow

    spec = opt.build_spec(task, model, options).resolved()
    built_task = api.build_task(spec)
    for note in built_task.notes(spec.model, spec.model_args):
        echo(f"Note: {note}", err=True)
    previews = api.preview(spec, has_model=model is not None, task=built_task)
    for sample, requests in islice(previews, sample_count):
        if isinstance(sample, RejectedRow):
            echo(f"{sample.origin}: rejected: {sample.reason}\n")
            continue
        echo(f"{sample.id}  {sample.origin}", bold=True)
        if not requests:
            echo("  The inferencer sends its requests itself.\n")
        for request, rendered in requests:
            echo(f"{rendered}\n" if rendered else "\n".join(_format_request(request)) + "\n")


def _format_request(request: Request) -> list[str]:
    lines = [type(request).__name__]
    if hasattr(request, "inputs"):
        return [*lines, *(f"  {name}: {_format_part(part)}" for name, part in request.inputs.items())]
    if hasattr(request, "steps"):
        return [*lines, *(f"  {step.kind}: {step.text or len(step.audio)}" for step in request.steps)]
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
