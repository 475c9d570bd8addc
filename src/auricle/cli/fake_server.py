"""Switches of `auricle fake-server`: apart from the server, so that listing them is cheap."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle.testing.fake_server.server import FakeServer

NON_NEGATIVE = click.FloatRange(0)
POSITIVE = click.FloatRange(0, min_open=True)
POSITIVE_INT = click.IntRange(1)

BASIC_OPTIONS = (
    click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True),
    click.option("--reply", help="Answer this; by default the request decides."),
    click.option("--latency", type=float, default=0.0, help="Seconds before a reply begins."),
    click.option("--jitter", type=float, default=0.0, help="The most seconds added to the latency."),
    click.option("--pace", type=float, help="Tokens a second when streaming."),
)
TIMING_OPTIONS = (
    click.option("--role-first", is_flag=True, help="Streams begin on arrival, with a role only."),
    click.option("--keep-alive", type=POSITIVE, metavar="S", help="Signs of life in silent streams."),
    click.option("--tokens-per-event", type=POSITIVE_INT, default=1, metavar="N"),
    click.option("--reasoning", type=click.IntRange(0), default=0, metavar="N", help="Tokens of thought."),
    click.option("--usage-delay", type=NON_NEGATIVE, default=0.0, metavar="S", help="From words to token counts."),
    click.option("--audio-chunk-seconds", type=POSITIVE, metavar="S", help="Sound in an event, when spoken."),
    click.option("--audio-pace", type=POSITIVE, metavar="N", help="Seconds of sound a second."),
    click.option(
        "--audio-gap",
        "audio_gaps",
        type=NON_NEGATIVE,
        multiple=True,
        metavar="S",
        help="Chunks of sound come late by this, by turns.",
    ),
    click.option("--slots", type=POSITIVE_INT, metavar="N", help="Served at once; others wait."),
    click.option("--stall-at", type=NON_NEGATIVE, metavar="S", help="When all work rests."),
    click.option("--stall-seconds", type=NON_NEGATIVE, default=0.0, metavar="S", help="How long."),
    click.option("--accept-delay", type=NON_NEGATIVE, default=0.0, metavar="S", help="On a new connection."),
    click.option("--record-times", is_flag=True, help="Tell at /stats when what came and left."),
)
FAULT_OPTIONS = (
    click.option("--fault", "faults", multiple=True, metavar="KIND=SHARE", help="Such as 429=0.1."),
    click.option("--fault-attempts", type=click.IntRange(0), help="The most faults a request meets."),
    click.option("--retry-after", type=float, default=1.0, help="Seconds that a 429 asks to wait."),
    click.option("--capacity", type=click.IntRange(1), help="Requests at once; one more meets a 429."),
    click.option("--key", help="The only API key that is let in."),
    click.option("--model", "models", multiple=True, help="A model there is; by default all are."),
    click.option("--no-usage", is_flag=True, help="Tell no token counts."),
    click.option("--no-logprobs", is_flag=True, help="Tell no log-probabilities."),
    click.option("--seed", type=int, default=0, help="Other requests meet the faults."),
)


def fake_server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All of them, in this order."""
    for switch in reversed((*BASIC_OPTIONS, *TIMING_OPTIONS, *FAULT_OPTIONS)):
        command = switch(command)
    return command


def serve(port: int, faults: Sequence[str], models: Sequence[str], **options: Any) -> None:
    """Serve until interrupted, which is the way to end it and no failure."""
    from auricle.testing.fake_server.script import Script
    from auricle.testing.fake_server.server import FakeServer

    script = Script(faults=dict(map(_share, faults)), models=tuple(models), **options)
    server = FakeServer(script, port=port)
    with suppress(KeyboardInterrupt):
        try:
            asyncio.run(_until_interrupted(server))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise SpecError(f"Port {port} is in use. Name another with --port, or 0 for any that is free.") from error


def _share(text: str) -> tuple[str, float]:
    kind, _, share = text.partition("=")
    try:
        return kind, float(share)
    except ValueError as error:
        raise SpecError(f"--fault takes KIND=SHARE, such as 429=0.1; found {text!r}.") from error


async def _until_interrupted(server: FakeServer) -> None:
    await server.start()
    model = server.script.models[0] if server.script.models else "fake"
    click.echo(f"Listening at {server.url}; counts at {server.url.removesuffix('/v1')}/stats.")
    click.echo(f"Try: auricle ask -m openai -M base_url={server.url} -M model={model} --text hello\nCtrl-C ends it.")
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()
