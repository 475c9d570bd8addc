"""`auricle fake-server`: the server in the foreground, until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from auricle.core.errors import SpecError
from auricle.testing.fake_server.script import Script
from auricle.testing.fake_server.server import FakeServer


def serve(port: int, faults: Sequence[str], models: Sequence[str], **options: Any) -> None:
    """Serve until interrupted, which is the way to end it and no failure."""
    script = Script(faults=dict(map(_share, faults)), models=tuple(models), **options)
    server = FakeServer(script, port=port)
    with suppress(KeyboardInterrupt):
        try:
            asyncio.run(_until_interrupted(server))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise SpecError(
                f"Port {port} is in use. Name another with --port, or 0 for any that is free."
            ) from error


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
    click.echo(
        f"Try: auricle ask -m openai -M base_url={server.url} -M model={model} --text hello\n"
        "Ctrl-C ends it."
    )
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()
