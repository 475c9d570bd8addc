"""Switches of `auricle fake-server` that set its times; apart, so that listing them is cheap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

SECONDS = click.FloatRange(0)
SOME = click.FloatRange(0, min_open=True)
COUNT = click.IntRange(1)

SWITCHES = (
    click.option("--role-first", is_flag=True, help="Streams begin on arrival, with a role only."),
    click.option("--keep-alive", type=SOME, metavar="S", help="Signs of life in silent streams."),
    click.option("--tokens-per-event", type=COUNT, default=1, metavar="N"),
    click.option(
        "--reasoning", type=click.IntRange(0), default=0, metavar="N", help="Tokens of thought."
    ),
    click.option(
        "--usage-delay", type=SECONDS, default=0.0, metavar="S", help="From words to token counts."
    ),
    click.option(
        "--audio-chunk-seconds", type=SOME, metavar="S", help="Sound in an event, when spoken."
    ),
    click.option("--audio-pace", type=SOME, metavar="N", help="Seconds of sound a second."),
    click.option(
        "--audio-gap",
        "audio_gaps",
        type=SECONDS,
        multiple=True,
        metavar="S",
        help="Chunks of sound come late by this, by turns.",
    ),
    click.option("--slots", type=COUNT, metavar="N", help="Served at once; others wait."),
    click.option("--stall-at", type=SECONDS, metavar="S", help="When all work rests."),
    click.option("--stall-seconds", type=SECONDS, default=0.0, metavar="S", help="How long."),
    click.option(
        "--accept-delay", type=SECONDS, default=0.0, metavar="S", help="On a new connection."
    ),
    click.option("--record-times", is_flag=True, help="Tell at /stats when what came and left."),
)


def pacing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All of them, in this order."""
    for switch in reversed(SWITCHES):
        command = switch(command)
    return command
