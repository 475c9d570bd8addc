"""The session that classes of AISBench send requests through."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from auricle.core.errors import Rejected, SampleError, Unreachable
from auricle.engine.inferencers.base import IS_PREVIEW, UnknownRequest
from auricle.frameworks.aisbench.session import TimedSession
from auricle.models.http.timing import TIMER_FACTORY, RequestTimer
from auricle.testing.fake_server import FakeServer, Script

BODY = {"model": "m", "messages": [{"role": "user", "content": "one two three"}]}
Work = Callable[[TimedSession, str], Awaitable[Any]]


def use(work: Work, script: Script | None = None) -> tuple[Any, RequestTimer, list[SampleError]]:
    """Run work with a session and a server; return its result, the timer of its request, and the failures."""
    failures: list[SampleError] = []
    timer = RequestTimer()

    async def run(url: str) -> Any:
        TIMER_FACTORY.set(lambda: timer)
        session = TimedSession(failures.append)
        try:
            return await work(session, url)
        finally:
            await session.aclose()

    with FakeServer(script or Script()) as server:
        return asyncio.run(run(f"{server.url}/chat/completions")), timer, failures


def test_an_unused_session_is_closed_without_being_created() -> None:
    session = TimedSession(lambda _: None)
    asyncio.run(session.aclose())
    assert session._session is None


def test_a_complete_response_is_timed() -> None:
    async def work(session: TimedSession, url: str) -> Any:
        async with session.post(url, json=BODY) as response:
            return await response.json()

    document, timer, failures = use(work)
    assert document["choices"][0]["message"]["content"] == "one two three"
    assert timer.sent is not None
    assert timer.first_byte is not None
    assert timer.done is not None
    assert timer.sent < timer.first_byte <= timer.done
    assert timer.first_token is None
    assert not failures


@pytest.mark.parametrize("method", ["lines", "any", "chunked", "chunks"])
def test_the_parts_of_a_stream_are_timed_however_they_are_read(method: str) -> None:
    async def work(session: TimedSession, url: str) -> int:
        async with session.post(url, json={**BODY, "stream": True}) as response:
            readers = {
                "lines": lambda: response.content,
                "any": response.content.iter_any,
                "chunked": lambda: response.content.iter_chunked(64),
                "chunks": response.content.iter_chunks,
            }
            return sum([1 async for part in readers[method]() if (part[0] if method == "chunks" else part).strip()])

    count, timer, _ = use(work, Script(pace=200.0))
    assert len(timer.gaps) == count - 1
    assert timer.first_token is not None
    assert timer.streamed


def test_a_response_can_be_awaited_and_its_failure_is_remembered() -> None:
    async def work(session: TimedSession, url: str) -> Any:
        response = await session.post(url, json=BODY)
        return response.status, await response.text()

    (status, text), _, failures = use(work, Script(faults={"400": 1.0}))
    assert status == 400
    assert text
    assert isinstance(failures[0], Rejected)


def test_a_lost_connection_is_remembered_with_its_reason() -> None:
    async def work(session: TimedSession, url: str) -> Any:
        with pytest.raises(OSError, match="9"):
            await session.get("http://127.0.0.1:9/")

    assert isinstance(use(work)[2][0], Unreachable)


def test_nothing_is_sent_in_a_preview() -> None:
    async def work(session: TimedSession, url: str) -> Any:
        IS_PREVIEW.set(True)
        with pytest.raises(UnknownRequest, match="through `session`"):
            async with session.post(url, json=BODY):
                pass

    _, timer, failures = use(work)
    assert timer.sent is None
    assert isinstance(failures[0], UnknownRequest)


def test_other_attributes_are_those_of_aiohttp() -> None:
    async def work(session: TimedSession, url: str) -> bool:
        return bool(session.closed)

    assert use(work)[0] is False
