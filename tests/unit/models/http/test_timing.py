"""Timing of requests and parts of stream events."""

import base64
from types import SimpleNamespace
from typing import Any

import pytest

from auricle.models.http.timing import RequestTimer, connection_trace_config, iter_event_parts, streamed_token_count


def test_reasoning_counts_as_a_token_but_not_as_content() -> None:
    timer = RequestTimer()
    timer.record_chunk("reasoning")
    assert timer.first_token is not None
    assert timer.first_content is None
    timer.record_chunk("text")
    assert timer.first_content is not None
    assert len(timer.gaps) == 1


def test_silence_is_not_audible() -> None:
    timer = RequestTimer()
    timer.record_chunk("audio", base64.b64encode(bytes(4800)).decode())
    assert timer.first_audio is not None
    assert timer.first_audible is None
    assert timer.spoken[0][1] == pytest.approx(0.1)
    timer.record_chunk("audio", base64.b64encode(b"\xff\x7f" * 100).decode())
    assert timer.first_audible is not None


def test_parts_of_an_event_are_listed() -> None:
    message = {"reasoning": "hm", "content": "hi", "audio": {"data": "AAAA"}}
    parts = list(iter_event_parts({"choices": [{"delta": message}]}))
    assert parts == [("reasoning", ""), ("text", ""), ("audio", "AAAA")]
    assert list(iter_event_parts({"usage": {}})) == []


def test_token_count_needs_content() -> None:
    usage = {"completion_tokens": 3}
    assert streamed_token_count({"usage": usage, "choices": [{}]}) == 3
    assert streamed_token_count({"usage": usage, "choices": []}) is None


def test_reused_connection_restarts_the_timer() -> None:
    pytest.importorskip("aiohttp")
    import asyncio

    timer = RequestTimer()
    (restart,) = connection_trace_config().on_connection_reuseconn
    context: Any = SimpleNamespace(trace_request_ctx=timer)
    session: Any = None
    asyncio.run(restart(session, context, session))  # type: ignore[arg-type]
    assert timer.sent is not None
