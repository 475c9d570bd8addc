"""Timing of requests and of the parts of their answers."""

import base64
import io
from types import SimpleNamespace
from typing import Any

import pytest

from auricle.core.types import Timing
from auricle.models.http.timing import (
    CHUNKED_THRESHOLD,
    TIMED_THRESHOLD,
    RequestTimer,
    connection_trace_config,
    prepare_upload,
)


def test_reasoning_counts_as_a_token_but_not_as_content() -> None:
    timer = RequestTimer(streamed=True)
    timer.record_chunk("reasoning")
    assert timer.first_token is not None
    assert timer.first_content is None
    timer.record_chunk("text")
    assert timer.first_content is not None
    assert len(timer.gaps) == 1


def test_silence_is_not_audible() -> None:
    timer = RequestTimer(streamed=True)
    timer.record_chunk("audio", base64.b64encode(bytes(4800)).decode())
    assert timer.first_audio is not None
    assert timer.first_audible is None
    assert timer.spoken[0][1] == pytest.approx(0.1)
    timer.record_chunk("audio", base64.b64encode(b"\xff\x7f" * 100).decode())
    assert timer.first_audible is not None


def test_parts_of_a_response_that_is_not_streamed_have_no_times() -> None:
    timer = RequestTimer()
    timer.record_chunk("text")
    assert timer.first_token is None


def test_parts_can_be_recorded_after_they_arrived() -> None:
    timer = RequestTimer(streamed=True)
    for arrival in (1.0, 1.25, 2.0):
        timer.record_chunk("text", at=arrival)
    assert (timer.first_token, timer.last_content, timer.gaps) == (1.0, 2.0, [0.25, 0.75])


def test_timing_is_relative_to_sending() -> None:
    timer = RequestTimer(sent=10.0, first_byte=10.25, first_token=10.5, last_content=11.0, done=11.5)
    assert timer.to_timing() == Timing(first_byte=0.25, first_token=0.5, last_token=1.0, done=1.5)
    assert RequestTimer().to_timing() is None


def test_reused_connection_restarts_the_timer() -> None:
    import asyncio

    timer = RequestTimer()
    (restart,) = connection_trace_config().on_connection_reuseconn
    context: Any = SimpleNamespace(trace_request_ctx=timer)
    session: Any = None
    asyncio.run(restart(session, context, session))  # type: ignore[arg-type]
    assert timer.sent is not None


def test_small_body_is_sent_at_once() -> None:
    assert prepare_upload(b"small", lambda: None) == b"small"


def test_large_body_is_sent_in_parts() -> None:
    assert isinstance(prepare_upload(bytes(CHUNKED_THRESHOLD + 1)), io.BytesIO)


def test_upload_is_reported_once_with_the_last_part() -> None:
    reports: list[str] = []
    body = prepare_upload(bytes(TIMED_THRESHOLD + 1), lambda: reports.append("uploaded"))
    assert isinstance(body, io.BytesIO)
    body.read(TIMED_THRESHOLD)
    assert reports == []
    body.read()
    body.read()
    assert reports == ["uploaded"]
