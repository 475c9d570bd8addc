"""Sessions over real connections: refusals, limits, faults and times; with short calls that are not paced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import aiohttp
import numpy as np
import pytest
from pybase64 import b64encode

from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript, TurnScript

QUICK = TurnScript(stop_after=0.1, answer_after=0.0, answer="Yes.", answer_seconds=0.4, audio_pace=0.0)
Client = Callable[[aiohttp.ClientWebSocketResponse], Any]


async def connect(server: FakeServer, client: Client, **options: Any) -> Any:
    url = f"{server.url}/realtime?model=fake"
    async with aiohttp.ClientSession() as session, session.ws_connect(url, **options) as websocket:
        return await client(websocket)


async def say(websocket: aiohttp.ClientWebSocketResponse) -> None:
    """Send speech and the silence after it at once."""
    sound = np.concatenate([np.full(4_800, 1000), np.zeros(4_800)]).astype(np.int16)
    await websocket.send_json({"type": "input_audio_buffer.append", "audio": b64encode(sound.tobytes()).decode()})


async def collect(websocket: aiohttp.ClientWebSocketResponse, until: str = "response.done") -> list[Any]:
    """Return the events up to a type, or all up to the end of the connection."""
    events: list[Any] = []
    async for frame in websocket:
        if frame.type == aiohttp.WSMsgType.TEXT:
            with suppress(ValueError):
                events.append(frame.json())
                if events[-1]["type"] == until:
                    break
    return events


async def say_and_collect(websocket: aiohttp.ClientWebSocketResponse) -> list[Any]:
    await say(websocket)
    return await collect(websocket)


def hold(script: RealtimeScript, client: Client, key: str | None = None, **options: Any) -> tuple[Any, dict[str, Any]]:
    """Return what a client returns, and the statistics of the server."""

    async def run() -> Any:
        server = FakeServer(Script(realtime=script, key=key))
        await server.start()
        try:
            result = await connect(server, client, **options)
            for _ in range(100):  # the server notices a moment later that the client is gone
                if all(session["closed"] for session in server.stats()["realtime"]):
                    break
                await asyncio.sleep(0.02)
            return result, server.stats()
        finally:
            await server.stop()

    return asyncio.run(run())  # type: ignore[no-any-return]


def test_a_turn_is_answered_and_every_event_has_its_time() -> None:
    events, stats = hold(RealtimeScript(turns=(QUICK,)), say_and_collect)
    assert [event["type"] for event in events][:2] == ["session.created", "input_audio_buffer.speech_started"]
    assert events[-1]["response"]["status"] == "completed"
    (session,) = stats["realtime"]
    assert (session["dialect"], session["frames"], session["audio_seconds"]) == ("openai", 1, pytest.approx(0.4))
    sent = [name for _, side, name, _ in session["events"] if side == "sent"]
    assert sent == [event["type"] for event in events]
    times = [at for at, *_ in session["events"]]
    assert times == sorted(times)
    assert session["opened"] <= times[0] <= times[-1] <= session["closed"]
    seconds = sum(length for *_, length in session["events"])
    assert seconds == pytest.approx(0.4)


def test_an_invalid_key_is_refused_at_the_handshake() -> None:
    script = RealtimeScript(turns=(QUICK,))
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        hold(script, say_and_collect, key="right", headers={"Authorization": "Bearer wrong"})
    assert caught.value.status == 401
    events, _ = hold(script, say_and_collect, key="right", headers={"Authorization": "Bearer right"})
    assert events
    protocols = ("realtime", "openai-insecure-api-key.right")
    events, _ = hold(script, say_and_collect, key="right", protocols=protocols)
    assert events


@pytest.mark.parametrize("status", [401, 404, 503])
def test_handshakes_are_refused_as_scripted(status: int) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        hold(RealtimeScript(refuse=str(status)), say_and_collect)
    assert caught.value.status == status


def test_a_session_can_be_refused_with_an_error() -> None:
    async def client(websocket: aiohttp.ClientWebSocketResponse) -> Any:
        return await collect(websocket), websocket.close_code

    (events, code), _ = hold(RealtimeScript(refuse="error"), client)
    assert [event["error"]["code"] for event in events] == ["insufficient_quota"]
    assert code == 1008


def test_too_many_sessions_are_refused() -> None:
    async def client(first: aiohttp.ClientWebSocketResponse) -> Any:
        async with aiohttp.ClientSession() as session, session.ws_connect(str(first._response.url)) as second:
            return await collect(second), second.close_code

    (events, code), _ = hold(RealtimeScript(max_sessions=1), client)
    assert [event["error"]["code"] for event in events] == ["session_limit_reached"]
    assert code == 1008


def test_a_session_expires() -> None:
    async def client(websocket: aiohttp.ClientWebSocketResponse) -> Any:
        return await collect(websocket), websocket.close_code

    (events, code), _ = hold(RealtimeScript(session_seconds=0.1), client)
    assert [event["type"] for event in events] == ["session.created", "error"]
    assert events[1]["error"]["code"] == "session_expired"
    assert code == 1001


@pytest.mark.parametrize(("fault", "code"), [("close", 1011), ("eof", 1006), ("reset", 1006)])
def test_connections_end_in_the_middle_of_an_answer(fault: str, code: int) -> None:
    async def client(websocket: aiohttp.ClientWebSocketResponse) -> Any:
        await say(websocket)
        events: list[Any] = []
        with suppress(aiohttp.ClientError, ConnectionError):
            events = await collect(websocket)
        return events, websocket.close_code

    turn = TurnScript(
        stop_after=0.1, answer_after=0.0, answer_seconds=0.6, audio_pace=0.0, faults=(fault,), fault_at=0.2
    )
    (events, close_code), stats = hold(RealtimeScript(turns=(turn,)), client)
    assert close_code == code
    assert "response.done" not in [event["type"] for event in events]
    assert [name for _, _, name, _ in stats["realtime"][0]["events"]][-1] == fault


def test_a_stall_delays_what_follows_and_loses_nothing() -> None:
    turn = TurnScript(
        stop_after=0.1,
        answer_after=0.0,
        answer_seconds=0.4,
        faults=("stall",),
        stall_seconds=0.3,
        audio_pace=0.0,
        fault_at=0.2,
    )
    events, stats = hold(RealtimeScript(turns=(turn,)), say_and_collect)
    assert events[-1]["type"] == "response.done"
    log = stats["realtime"][0]["events"]
    (index,) = [index for index, event in enumerate(log) if event[2] == "pause"]
    assert log[index + 1][0] - log[index][0] >= 0.29


def test_binary_faults_arrive_as_binary_frames() -> None:
    async def client(websocket: aiohttp.ClientWebSocketResponse) -> Any:
        await say(websocket)
        return [frame.type async for frame in websocket if not (frame.data and "response.done" in str(frame.data))]

    turn = TurnScript(stop_after=0.1, answer_after=0.0, answer_seconds=0.4, faults=("binary", "close"), audio_pace=0.0)
    kinds, _ = hold(RealtimeScript(turns=(turn,)), client)
    assert aiohttp.WSMsgType.BINARY in kinds


def test_without_a_realtime_script_the_path_does_not_exist() -> None:
    async def run() -> int:
        server = FakeServer(Script())
        await server.start()
        try:
            await connect(server, say_and_collect)
        except aiohttp.WSServerHandshakeError as error:
            return error.status
        finally:
            await server.stop()
        return 0

    assert asyncio.run(run()) == 404
