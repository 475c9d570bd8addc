"""`auricle fake-server`: run a fake OpenAI- and Gemini-compatible server."""

from __future__ import annotations

import asyncio
import errno
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo
from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle.core.types import RejectedRow, Sample
    from auricle.testing.fake_server.script import Script
    from auricle.testing.fake_server.server import FakeServer


@click.command(name="fake-server", cls=opt.GroupedCommand)
@opt.option_group(
    "Server",
    opt.text("--port", "Port to listen on; 0 chooses a free port.", type=click.IntRange(0, 65_535), default=8000),
    opt.text("--key", "The only valid API key; others get status 401. [default: any key, or none]"),
    opt.repeated(
        "--model models NAME", "An available model; others get status 404. Repeat for several. [default: any name]"
    ),
    opt.count("--seed N", "Random seed for faults and jitter.", type=int, default=0),
    opt.flag("--record-times", "Record when requests arrive and replies leave, and report it at /stats."),
)
@opt.option_group(
    "Replies",
    opt.text("--reply TEXT", "Fixed reply. [default: depends on the request]"),
    opt.text(
        "--answers TASK",
        "Answer the recordings of this task with their targets: a data file (with --as), a task file or a name. "
        "[default: demo]",
    ),
    *opt.task_options,
    opt.number(
        "--wrong FRACTION", "Fraction of words to get wrong in these answers.", type=click.FloatRange(0, 1), default=0.0
    ),
    opt.count("--reasoning N", "Reasoning tokens sent before the reply.", minimum=0, default=0),
    opt.flag("--no-usage", "Omit token counts."),
    opt.flag("--no-logprobs", "Omit log-probabilities."),
)
@opt.option_group(
    "Timing",
    opt.number("--latency SECONDS", "Seconds before a reply starts.", type=float, default=0.0),
    opt.number("--jitter SECONDS", "Maximum random seconds added to the latency.", type=float, default=0.0),
    opt.number("--pace N", "Tokens per second of a stream. [default: all at once]", type=float),
    opt.count("--tokens-per-event N", "Tokens in each event of a stream.", default=1),
    opt.flag("--role-first", "Start each stream at once with an event that contains only the role."),
    opt.number(
        "--keep-alive SECONDS",
        "Send a keep-alive event after this many seconds of silence in a stream. [default: never]",
        above=True,
    ),
    opt.number(
        "--usage-delay SECONDS", "Seconds between the last token of a stream and its token counts.", default=0.0
    ),
    opt.number(
        "--audio-chunk-seconds SECONDS",
        "Seconds of audio in each event of a spoken reply. [default: all audio in one event]",
        above=True,
    ),
    opt.number("--audio-pace N", "Seconds of audio sent per second. [default: all at once]", above=True),
    opt.number(
        "--audio-gap audio_gaps SECONDS",
        "Delay of an audio chunk in seconds; repeat to cycle through several delays. [default: none]",
        multiple=True,
    ),
    opt.number("--accept-delay SECONDS", "Seconds before the first request on a new connection is read.", default=0.0),
    opt.number("--stall-at SECONDS", "Pause all work this many seconds after the first request. [default: never]"),
    opt.number("--stall-seconds SECONDS", "Length of the pause in seconds.", default=0.0),
)
@opt.option_group(
    "Limits and faults",
    opt.count("--slots N", "Requests served at a time; further requests wait. [default: unlimited]"),
    opt.count("--capacity N", "Requests accepted at a time; further requests get status 429. [default: unlimited]"),
    opt.number("--retry-after SECONDS", "Seconds in the Retry-After header of status 429.", type=float, default=1.0),
    opt.repeated(
        "--fault faults KIND=FRACTION",
        "Fraction of attempts that fail in this way, such as 429=0.1; repeat for several. [default: none]",
    ),
    opt.count(
        "--fault-attempts N",
        "Maximum number of times one request fails before it is answered. [default: unlimited]",
        minimum=0,
    ),
)
def fake_server(**options: Any) -> None:
    """Run a fake OpenAI- and Gemini-compatible server for tests.

    It needs no model. A recording of the task in --answers is answered with its target, in whatever format it is
    sent, and any other with a digest of it. A request without audio is answered with its last text.
    """
    serve(**options)


def serve(port: int, **options: Any) -> None:
    """Serve until interrupted; an interrupt is the normal end."""
    from auricle.testing.fake_server.server import FakeServer

    server = FakeServer(build_script(**options), port=port)
    words = [options["answers"] or "demo", *(["--as", options["kind"]] if options["kind"] else [])]
    task = shlex.join([*words, *(word for argument in options["task_args"] for word in ("-T", argument))])
    with suppress(KeyboardInterrupt):
        try:
            asyncio.run(_serve_forever(server, task))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise SpecError(
                f"Port {port} is in use. Choose another with --port, or --port 0 for a free one."
            ) from error


def build_script(
    faults: Sequence[str],
    models: Sequence[str],
    answers: str | None,
    kind: str | None,
    task_args: Sequence[str],
    **options: Any,
) -> Script:
    """Return the script that the options describe."""
    from auricle.testing.fake_server.script import Script

    samples = _load_samples(answers or "demo", kind, task_args) if answers or kind or task_args else None
    return Script(faults=dict(map(_parse_fault, faults)), models=tuple(models), answers=samples, **options)


def _load_samples(task: str, kind: str | None, task_args: Sequence[str]) -> Iterable[Sample | RejectedRow]:
    """Return the samples of a task, after checking that its data can be read."""
    from auricle.api import build_task

    spec = opt.build_spec(task, None, {"kind": kind, "task_args": task_args, "model_args": ()})
    samples = build_task(spec.resolved()).samples
    if validate := getattr(samples, "validate", None):
        validate()
    return samples


def _parse_fault(text: str) -> tuple[str, float]:
    kind, _, fraction = text.partition("=")
    try:
        return kind, float(fraction)
    except ValueError as error:
        raise SpecError(f"--fault: {text!r} is not of the form KIND=FRACTION, such as 429=0.1.") from error


async def _serve_forever(server: FakeServer, task: str) -> None:
    await server.start()
    model = server.script.models[0] if server.script.models else "fake"
    echo(f"Listening at {server.url}; statistics at {server.url.removesuffix('/v1')}/stats.")
    echo(f"Try: auricle run {task} -m transcription -M base_url={server.url} -M model={model}")
    echo("Press Ctrl-C to stop.")
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()
