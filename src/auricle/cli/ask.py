"""`auricle ask`: send one request to a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, foreign_output
from auricle.core.errors import SampleError, SpecError


@click.command(cls=opt.GroupedCommand)
@click.argument("audio", nargs=-1)
@opt.option_group("Model", opt.text("-m --model", opt.MODEL_HELP, required=True), *opt.model_options)
@opt.option_group(
    "Input",
    opt.text("--text", "Text prompt, in addition to media or instead of them. [default: none]"),
    opt.repeated("--image PATH", "Path or URL of an image; repeat for several. [default: none]"),
    opt.repeated("--video PATH", "Path or URL of a video; repeat for several. [default: none]"),
)
@opt.option_group("Output", opt.json_option)
def ask(model: str, audio: Sequence[str], text: str | None, as_json: bool, **options: Any) -> None:
    """Send one request to a model and print its unmodified output.

    AUDIO is the path of an audio file; give several to send them in one request.
    """
    from auricle import Generation, api
    from auricle.core.serialization import dumps

    visuals = {name: list(paths) for name in ("image", "video") if (paths := options.pop(name))}
    if not audio and not text and not visuals:
        raise SpecError("Nothing to send. Give an audio file, --text, --image or --video.")
    with foreign_output(), api.load_model(model, **opt.parse_model_args(options, model)) as loaded:
        try:
            output = loaded.ask(list(audio), text or "", **visuals)
        except SampleError as error:
            raise SpecError(str(error)) from error
    if isinstance(output, Generation) and not as_json:
        echo(output.text)
    else:
        echo(dumps(output), nl=False)
