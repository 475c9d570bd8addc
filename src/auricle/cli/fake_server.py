"""`auricle fake-server`: run a fake OpenAI- and Gemini-compatible server."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from auricle.cli.options import GroupedCommand, option_group
from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle.testing.fake_server.server import FakeServer

NON_NEGATIVE = click.FloatRange(0)
POSITIVE = click.FloatRange(0, min_open=True)
POSITIVE_INT = click.IntRange(1)


@click.command(name="fake-server", cls=GroupedCommand)
@option_group(
    "Server",
    click.option(
        "--port", type=click.IntRange(0, 65_535), default=8000, help="Port to listen on; 0 chooses a free port."
    ),
    click.option("--key", help="The only valid API key; others get status 401. [default: any key, or none]"),
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="An available model; others get status 404. Repeat for several. [default: any name]",
    ),
    click.option("--seed", type=int, default=0, metavar="N", help="Random seed for faults and jitter."),
    click.option(
        "--record-times", is_flag=True, help="Record when requests arrive and replies leave, and report it at /stats."
    ),
)
@option_group(
    "Replies",
    click.option("--reply", metavar="TEXT", help="Fixed reply. [default: the last text, or a digest of the audio]"),
    click.option(
        "--reasoning", type=click.IntRange(0), default=0, metavar="N", help="Reasoning tokens sent before the reply."
    ),
    click.option("--no-usage", is_flag=True, help="Omit token counts."),
    click.option("--no-logprobs", is_flag=True, help="Omit log-probabilities."),
)
@option_group(
    "Timing",
    click.option("--latency", type=float, default=0.0, metavar="SECONDS", help="Seconds before a reply starts."),
    click.option(
        "--jitter", type=float, default=0.0, metavar="SECONDS", help="Maximum random seconds added to the latency."
    ),
    click.option("--pace", type=float, metavar="N", help="Tokens per second of a stream. [default: all at once]"),
    click.option(
        "--tokens-per-event", type=POSITIVE_INT, default=1, metavar="N", help="Tokens in each event of a stream."
    ),
    click.option(
        "--role-first", is_flag=True, help="Start each stream at once with an event that contains only the role."
    ),
    click.option(
        "--keep-alive",
        type=POSITIVE,
        metavar="SECONDS",
        help="Send a keep-alive event after this many seconds of silence in a stream. [default: never]",
    ),
    click.option(
        "--usage-delay",
        type=NON_NEGATIVE,
        default=0.0,
        metavar="SECONDS",
        help="Seconds between the last token of a stream and its token counts.",
    ),
    click.option(
        "--audio-chunk-seconds",
        type=POSITIVE,
        metavar="SECONDS",
        help="Seconds of audio in each event of a spoken reply. [default: all audio in one event]",
    ),
    click.option(
        "--audio-pace", type=POSITIVE, metavar="N", help="Seconds of audio sent per second. [default: all at once]"
    ),
    click.option(
        "--audio-gap",
        "audio_gaps",
        type=NON_NEGATIVE,
        multiple=True,
        metavar="SECONDS",
        help="Delay of an audio chunk in seconds; repeat to cycle through several delays. [default: none]",
    ),
    click.option(
        "--accept-delay",
        type=NON_NEGATIVE,
        default=0.0,
        metavar="SECONDS",
        help="Seconds before the first request on a new connection is read.",
    ),
    click.option(
        "--stall-at",
        type=NON_NEGATIVE,
        metavar="SECONDS",
        help="Pause all work this many seconds after the first request. [default: never]",
    ),
    click.option(
        "--stall-seconds", type=NON_NEGATIVE, default=0.0, metavar="SECONDS", help="Length of the pause in seconds."
    ),
)
@option_group(
    "Limits and faults",
    click.option(
        "--slots",
        type=POSITIVE_INT,
        metavar="N",
        help="Requests served at a time; further requests wait. [default: unlimited]",
    ),
    click.option(
        "--capacity",
        type=POSITIVE_INT,
        metavar="N",
        help="Requests accepted at a time; further requests get status 429. [default: unlimited]",
    ),
    click.option(
        "--retry-after",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="Seconds in the Retry-After header of status 429.",
    ),
    click.option(
        "--fault",
        "faults",
        multiple=True,
        metavar="KIND=FRACTION",
        help="Fraction of attempts that fail in this way, such as 429=0.1; repeat for several. [default: none]",
    ),
    click.option(
        "--fault-attempts",
        type=click.IntRange(0),
        metavar="N",
        help="Maximum number of times one request fails before it is answered. [default: unlimited]",
    ),
)
def fake_server(**options: Any) -> None:
    """Run a fake OpenAI- and Gemini-compatible server for tests.

    It needs no model. A reply repeats the last text of the request, or is a digest of its audio.
    """
    serve(**options)


def serve(port: int, faults: Sequence[str], models: Sequence[str], **options: Any) -> None:
    """Serve until interrupted; an interrupt is the normal end."""
    from auricle.testing.fake_server.script import Script
    from auricle.testing.fake_server.server import FakeServer

    script = Script(faults=dict(map(_parse_fault, faults)), models=tuple(models), **options)
    server = FakeServer(script, port=port)
    with suppress(KeyboardInterrupt):
        try:
            asyncio.run(_serve_forever(server))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise SpecError(
                f"Port {port} is in use. Choose another with --port, or --port 0 for a free one."
            ) from error


def _parse_fault(text: str) -> tuple[str, float]:
    kind, _, fraction = text.partition("=")
    try:
        return kind, float(fraction)
    except ValueError as error:
        raise SpecError(f"--fault: {text!r} is not of the form KIND=FRACTION, such as 429=0.1.") from error


async def _serve_forever(server: FakeServer) -> None:
    await server.start()
    model = server.script.models[0] if server.script.models else "fake"
    click.echo(f"Listening at {server.url}; statistics at {server.url.removesuffix('/v1')}/stats.")
    click.echo(f"Try: auricle ask -m openai -M base_url={server.url} -M model={model} --text hello")
    click.echo("Press Ctrl-C to stop.")
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()
