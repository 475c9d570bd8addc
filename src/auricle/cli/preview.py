"""`auricle preview`: print the requests of a task."""

from __future__ import annotations

from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json_array

if TYPE_CHECKING:
    from auricle.core.types import RejectedRow, Request, Sample

INTERNAL_FIELDS = ("caller", "context")
"""Fields of requests that no server receives."""


@click.command(cls=opt.GroupedCommand)
@opt.task_argument("task")
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
@opt.option_group("Output", opt.json_option)
def preview(task: str, model: str | None, sample_count: int, as_json: bool, **options: Any) -> None:
    """Print the requests a task would send, without sending them."""
    from auricle import api
    from auricle.core.serialization import dumps

    spec = opt.build_spec(task, model, options).resolved()
    built_task = api.build_task(spec)
    for note in built_task.notes(spec.model, spec.model_args):
        echo(f"Note: {note}", err=True)
    previews = api.preview(spec, has_model=model is not None, task=built_task)
    shown = islice(previews, sample_count)
    if as_json:
        print_json_array(dumps(_to_dict(*sample_and_requests)) for sample_and_requests in shown)
        return
    for sample_and_requests in shown:
        _print_preview(*sample_and_requests)


def _print_preview(sample: Sample | RejectedRow, requests: list[tuple[Request, str]]) -> None:
    from auricle.core.types import RejectedRow

    if isinstance(sample, RejectedRow):
        echo(f"{sample.origin}: rejected: {sample.reason}\n")
        return
    echo(f"{sample.id}  {sample.origin}", bold=True)
    if not requests:
        echo("  The inferencer sends its requests itself.\n")
    for request, rendered in requests:
        echo(f"{rendered}\n" if rendered else "\n".join(_format_request(request)) + "\n")


def _to_dict(sample: Sample | RejectedRow, requests: list[tuple[Request, str]]) -> dict[str, Any]:
    from auricle.core.types import RejectedRow

    if isinstance(sample, RejectedRow):
        return {"id": None, "origin": sample.origin, "rejected": sample.reason, "requests": []}
    documents = [
        {"type": type(request).__name__, **_list_fields(request), "rendered": rendered or None}
        for request, rendered in requests
    ]
    return {"id": sample.id, "origin": sample.origin, "rejected": None, "requests": documents}


def _list_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a request, or of a step or tool of a call."""
    names = [field.name for field in fields(value) if field.name not in INTERNAL_FIELDS]
    return {name: _to_plain(getattr(value, name)) for name in names}


def _to_plain(value: Any) -> Any:
    from auricle.core.calls import Step, Tool

    if isinstance(value, tuple):
        return [_to_plain(element) for element in value]
    return _list_fields(value) if isinstance(value, (Step, Tool)) else value


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
