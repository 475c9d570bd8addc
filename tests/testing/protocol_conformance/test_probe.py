"""The client that collects what a server sends."""

import asyncio
from typing import Any

import numpy as np
import pytest

from auricle.models.sessions.pcm import append_message
from auricle.models.sessions.realtime import Realtime
from auricle.testing.protocol_conformance.probe import ConnectionClosed, Probe, open_probe
from tests.support.conformance import quick_settings
from tests.support.websocket_servers import Line, call, scripted


def probed(handler: Any, use: Any, *, microphone: bool = False, **settings: Any) -> Any:
    """Open a session with a server, use it, and return the server's end."""

    async def main() -> Any:
        async with scripted(handler) as server:
            model = Realtime(base_url=server.url, model="m")
            async with open_probe(
                model, call(), quick_settings(24_000, **settings), append_message, microphone=microphone
            ) as probe:
                await use(probe)
            return server.lines[0]

    return asyncio.run(main())


async def listen(line: Line) -> None:
    await line.receive_all()


def test_messages_are_awaited_from_an_index_on() -> None:
    async def count(line: Line) -> None:
        for number in range(3):
            await line.send({"type": "n", "number": number})
        await line.send("not json", {"type": "end"})
        await line.receive_all()

    async def use(probe: Probe) -> None:
        last = await probe.wait_for(lambda message: message["type"] == "end", 5.0)
        assert last is not None
        assert last.index == 3
        assert probe.unreadable == 1
        second = await probe.wait_for(lambda message: message["type"] == "n", 5.0, since=1)
        assert second is not None
        assert second.message["number"] == 1
        assert await probe.wait_for(lambda message: message["type"] == "none", 0.05) is None

    probed(count, use)


def test_a_closed_connection_ends_all_waiting() -> None:
    async def close(line: Line) -> None:
        await line.socket.close()

    async def use(probe: Probe) -> None:
        with pytest.raises(ConnectionClosed):
            await probe.wait_for(lambda _: True, 60.0)

    probed(close, use)


def test_audio_is_appended_in_frames() -> None:
    async def use(probe: Probe) -> None:
        assert await probe.append(np.ones(1000, np.int16)) == 0
        await asyncio.sleep(0.1)

    line = probed(listen, use)
    assert [len(message["audio"]) for message in line.received] == [1280, 1280, 108]


def test_the_microphone_sends_silence_around_speech_once_it_is_on() -> None:
    async def use(probe: Probe) -> None:
        await asyncio.sleep(0.1)
        probe.say(np.full(480, 7, np.int16))
        probe.is_speaking = True
        await asyncio.sleep(0.3)

    line = probed(listen, use, microphone=True, pace=2.0)
    is_silence = [set(message["audio"]) == {"A"} for message in line.received]
    assert is_silence[0] is False
    assert len(is_silence) > 3
    assert all(is_silence[1:])
