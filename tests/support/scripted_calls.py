"""Calls of our own client with fake servers of known timing, all at the same time, with the lag of both event loops."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from auricle.core.calls import CallRecording, Step, get_recording
from auricle.core.types import Call, Sample
from auricle.media import Audio
from auricle.metrics.base import Metric
from auricle.models.base import SessionModel
from auricle.models.sessions.gemini_live import GeminiLive
from auricle.models.sessions.realtime import Realtime
from auricle.tasks.calls.live.driver import hold_call
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript
from auricle.testing.fake_server.realtime.voice import speak

KEY = "sk-very-secret-1234567890"
TOLERANCE = 0.02
PROBE_SECONDS = 0.005


@dataclass(frozen=True)
class ScriptedCall:
    """A call, the server that takes it, and the protocol between them."""

    script: RealtimeScript
    call: Call
    protocol: str = "openai"


@dataclass(frozen=True)
class HeldCall:
    """What came of a call."""

    recording: CallRecording | None
    error: Exception | None
    session: Mapping[str, Any]
    """What the server reports."""

    @property
    def recorded(self) -> CallRecording:
        assert self.recording is not None, self.error
        return self.recording


@dataclass
class LagProbe:
    """Measures how late an event loop is at most."""

    seconds: float = 0.0

    async def run(self) -> None:
        while True:
            due = time.monotonic() + PROBE_SECONDS
            await asyncio.sleep(PROBE_SECONDS)
            self.seconds = max(self.seconds, time.monotonic() - due)


def say(*parts: float, silence: float = 0.0, **step: Any) -> Step:
    """Return a step of speech and pauses in turn, with these lengths in seconds; `silence` follows in the same clip."""
    import numpy as np

    rate = 24_000
    tail = np.zeros(round(silence * rate), np.int16)
    clips = [
        seconds if index % 2 else Audio.of(np.concatenate([speak(seconds, rate), tail]) / np.float32(32_768), rate=rate)
        for index, seconds in enumerate(parts)
    ]
    return Step(**{"kind": "say", "audio": tuple(clips), **step})


def measure(metric: Metric, recording: CallRecording, **meta: Any) -> Any:
    """Return the value of a metric for one call; None if it does not apply."""
    sample = Sample(id="call", inputs={}, target=str(meta.pop("target", "")), meta=meta)
    stats = metric.score(sample, recording)
    return None if stats is None else metric.aggregate([stats])


def count(metric: Metric, recording: CallRecording) -> Mapping[str, Any]:
    """Return the details of a metric for one call."""
    stats = metric.score(Sample(id="call", inputs={}, target=""), recording)
    assert stats is not None
    return metric.aggregate.details([stats])  # type: ignore[attr-defined, no-any-return]


def hold_calls(calls: Mapping[str, ScriptedCall]) -> tuple[dict[str, HeldCall], float]:
    """Hold all calls at once, each with its own server; return them, and by how much both sides were late at most."""
    with running_servers({name: item.script for name, item in calls.items()}) as (servers, server_lag):
        lag = LagProbe()
        outcomes = asyncio.run(_hold_all(calls, servers, lag))
        time.sleep(0.1)  # the last connections end
        sessions = {name: server.stats()["realtime"] for name, server in servers.items()}
    by_name = {
        name: HeldCall(
            recording=outcome if isinstance(outcome, CallRecording) else get_recording(outcome),
            error=outcome if isinstance(outcome, Exception) else None,
            session=sessions[name][0] if sessions[name] else {},
        )
        for name, outcome in outcomes.items()
    }
    return by_name, lag.seconds + server_lag.seconds


async def _hold_all(
    calls: Mapping[str, ScriptedCall], servers: Mapping[str, FakeServer], lag: LagProbe
) -> dict[str, CallRecording | Exception]:
    probe = asyncio.create_task(lag.run())
    tasks = [_hold(item, servers[name].url) for name, item in calls.items()]
    outcomes = await asyncio.gather(*tasks)
    probe.cancel()
    return dict(zip(calls, outcomes, strict=True))


async def _hold(item: ScriptedCall, url: str) -> CallRecording | Exception:
    model = make_model(item.protocol, url)
    try:
        return await hold_call(model, item.call)
    except Exception as error:  # noqa: BLE001 - the outcome of the call
        return error
    finally:
        await model.close()


def make_model(protocol: str, url: str) -> SessionModel:
    options: dict[str, Any] = {"base_url": url, "model": "fake", "api_key": KEY}
    if protocol == "gemini":
        return GeminiLive(**{**options, "base_url": url.removesuffix("/v1")})
    return Realtime(**options, dialect=protocol, transcription="" if protocol == "vllm" else "fake")  # type: ignore[arg-type]


@contextmanager
def running_servers(scripts: Mapping[str, RealtimeScript]) -> Iterator[tuple[dict[str, FakeServer], LagProbe]]:
    """Run a server for each script in one thread."""
    servers = {name: FakeServer(Script(realtime=script)) for name, script in scripts.items()}
    lag = LagProbe()
    ready: Future[asyncio.Task[None]] = Future()

    async def serve() -> None:
        for server in servers.values():
            await server.start()
        task = asyncio.current_task()
        assert task
        ready.set_result(task)
        try:
            await lag.run()
        finally:
            for server in servers.values():
                await server.stop()

    def run() -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    task = ready.result(timeout=30)
    try:
        yield servers, lag
    finally:
        task.get_loop().call_soon_threadsafe(task.cancel)
        thread.join()
