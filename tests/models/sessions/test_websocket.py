"""Connections, errors and redaction of models behind a WebSocket."""

import asyncio
import json
import socket
import time
from typing import Any

import pytest
from aiohttp import web

from auricle.core.calls import EventKind
from auricle.core.errors import Rejected, SampleError, SpecError, Transient, Unreachable
from auricle.models.http.service import ServiceModel
from auricle.models.sessions import websocket
from auricle.models.sessions.realtime import Realtime
from tests.support.http_servers import question
from tests.support.websocket_servers import Line, call, frame, hold, kinds, running, scripted

KEY = "sk-very-secret-1234567890"
UPDATED = {"type": "session.updated", "session": {"type": "realtime"}}


def model_at(url: str, **options: Any) -> Realtime:
    return Realtime(**{"base_url": f"{url}/v1", "model": "fake", "api_key": KEY, "connect_timeout": 5.0, **options})


async def refused(url: str, **options: Any) -> SampleError:
    """Hold a call that fails, and return the error."""
    with pytest.raises(SampleError) as caught:
        await hold(model_at(url, **options), [frame(), EventKind.RESPONSE_DONE])
    assert KEY not in str(caught.value)
    return caught.value


def outcome(handler: Any, **options: Any) -> SampleError:
    async def main() -> SampleError:
        async with scripted(handler) as server:
            return await refused(server.url, **options)

    return asyncio.run(main())


def handshake(status: int, **headers: str) -> SampleError:
    async def reply(request: web.Request) -> web.Response:
        message = f"no entry with {request.headers['Authorization']}"
        return web.json_response({"error": {"message": message}}, status=status, headers=headers)

    async def main() -> SampleError:
        async with running(reply) as url:
            return await refused(url)

    return asyncio.run(main())


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refused_handshake_is_final_and_quotes_the_server_without_the_key(status: int) -> None:
    error = handshake(status)
    assert type(error) is Rejected
    assert f"HTTP {status} from 127.0.0.1:" in str(error)
    assert str(error).endswith("no entry with …")


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_handshake_that_may_succeed_later_is_transient(status: int) -> None:
    error = handshake(status, **{"Retry-After": "7"})
    assert isinstance(error, Transient)
    assert error.retry_after == 7


def test_a_page_instead_of_a_websocket_is_refused() -> None:
    assert "HTTP 200" in str(handshake(200))


def test_a_closed_port_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = asyncio.run(refused(f"http://127.0.0.1:{port}"))
    assert type(error) is Unreachable
    assert "no connection to 127.0.0.1" in str(error)


def test_a_server_that_accepts_and_never_answers_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        error = asyncio.run(refused(url, connect_timeout=0.2))
    assert type(error) is Unreachable
    assert str(error).endswith("did not accept a connection within 0.2 s (connect_timeout)")


def test_a_session_that_does_not_begin_is_unreachable() -> None:
    async def silent(line: Line) -> None:
        await line.receive_all()

    error = outcome(silent, connect_timeout=0.2)
    assert type(error) is Unreachable
    assert "did not begin a session within 0.2 s" in str(error)


@pytest.mark.parametrize(
    ("code", "kind"),
    [(1000, Transient), (1001, Transient), (1011, Transient), (1008, Rejected), (1007, Rejected), (3000, Rejected)],
)
def test_a_connection_closed_during_a_call_fails_it_with_code_and_reason(code: int, kind: type) -> None:
    async def close(line: Line) -> None:
        await line.receive()
        await line.send(UPDATED)
        await line.receive_until("input_audio_buffer.append")
        await line.socket.close(code=code, message=f"because of {KEY}".encode())

    error = outcome(close)
    assert type(error) is kind
    assert str(error).endswith(f"closed the connection (code {code}: because of …)")


def test_a_connection_lost_without_a_close_frame_is_transient() -> None:
    async def drop(line: Line) -> None:
        await line.receive()
        await line.send(UPDATED)
        await line.receive_until("input_audio_buffer.append")
        assert line.request.transport
        line.request.transport.abort()

    error = outcome(drop)
    assert type(error) is Transient
    assert "closed the connection (code 1006)" in str(error)


def test_an_error_before_the_session_is_ready_is_a_refusal() -> None:
    async def refuse(line: Line) -> None:
        await line.receive()
        await line.send({"type": "error", "error": {"code": "invalid_value", "message": f"no voice for {KEY}"}})
        await line.receive_all()

    error = outcome(refuse)
    assert type(error) is Rejected
    assert str(error).endswith("refused the session: no voice for …")


def test_a_full_server_is_tried_again_whatever_its_close_code() -> None:
    async def refuse(line: Line) -> None:
        await line.send({"type": "error", "error": {"type": "session_limit_reached", "message": "one at a time"}})
        await line.socket.close(code=1008)

    error = outcome(refuse)
    assert isinstance(error, Transient)
    assert error.retry_after == 0.0


def test_the_last_error_explains_a_closed_connection() -> None:
    async def expire(line: Line) -> None:
        await line.receive()
        await line.send(UPDATED, {"type": "error", "error": {"code": "session_expired", "message": "60 minutes"}})
        await line.receive_until("input_audio_buffer.append")
        await line.socket.close(code=1001)

    assert str(outcome(expire)).endswith("closed the connection (code 1001: 60 minutes)")


def test_messages_of_several_megabytes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def verbose(line: Line) -> None:
        await line.receive()
        await line.send({"type": "session.created", "padding": "x" * 6_000_000}, UPDATED)
        await line.receive_all()

    async def main() -> Any:
        async with scripted(verbose) as server:
            return await hold(model_at(server.url), [frame()])

    assert kinds(asyncio.run(main())) == ["ready"]
    monkeypatch.setattr(websocket, "MAX_MESSAGE_BYTES", 2 << 20)
    assert str(outcome(verbose)).endswith("sent a message of more than 2 MB")


def test_frames_that_are_no_messages_are_logged_and_the_call_goes_on() -> None:
    async def odd(line: Line) -> None:
        await line.receive()
        await line.send("{not json", b"\x00\x01", "[1, 2]", b'{"type": "hello"}', {"type": 5}, UPDATED)
        await line.receive_all()

    async def main() -> Any:
        async with scripted(odd) as server:
            return await hold(model_at(server.url), [frame()])

    events = asyncio.run(main())
    assert [(event.kind.value, event.type, event.text) for event in events] == [
        ("error", "", "not a JSON message (9 characters)"),
        ("error", "", "not a JSON message (2 bytes)"),
        ("error", "", "invalid message: expected an object, got list"),
        ("other", "hello", ""),
        ("error", "5", "invalid message: expected text, got int"),
        ("ready", "session.updated", ""),
    ]


def test_nothing_is_taken_from_the_caller_before_the_session_is_ready() -> None:
    async def slow(line: Line) -> None:
        await line.receive()
        await asyncio.sleep(0.05)
        await line.send(UPDATED)
        await line.receive_all()

    async def main() -> list[str]:
        order = []

        async def inputs() -> Any:
            order.append("input")
            yield frame()

        async with scripted(slow) as server:
            async for event in model_at(server.url).session(call(), inputs()):
                order.append(event.kind.value)
        return order

    assert asyncio.run(main()) == ["ready", "input"]


def test_an_error_of_the_caller_ends_the_session() -> None:
    async def listen(line: Line) -> None:
        await line.receive()
        await line.send(UPDATED)
        await line.receive_all()

    async def main() -> None:
        async def inputs() -> Any:
            yield frame()
            raise ValueError("no more frames")

        async with scripted(listen) as server:
            async for _ in model_at(server.url).session(call(), inputs()):
                pass

    with pytest.raises(ValueError, match="no more frames"):
        asyncio.run(main())


def test_arrivals_are_stamped_while_the_caller_is_busy() -> None:
    async def chatter(line: Line) -> None:
        await line.receive()
        await line.send(UPDATED)
        for _ in range(3):
            await line.send({"type": "rate_limits.updated"})
            await asyncio.sleep(0.1)
        await line.receive_all()

    async def main() -> list[float]:
        arrivals = []

        async def inputs() -> Any:
            yield frame()
            await asyncio.sleep(1.0)

        async with scripted(chatter) as server:
            async for event in model_at(server.url).session(call(), inputs()):
                assert event.received_at is not None
                arrivals.append(event.received_at)
                await asyncio.sleep(0.5)  # a reader that stamped what it takes would see them half a second apart
        return arrivals

    started = time.monotonic()
    arrivals = asyncio.run(main())
    assert len(arrivals) == 4
    assert arrivals[-1] - arrivals[1] < 0.45
    assert started < arrivals[0]


def test_calls_are_spread_over_servers() -> None:
    async def answer(line: Line) -> None:
        await line.receive()
        await line.send(UPDATED)
        await line.receive_all()

    async def main() -> tuple[int, int]:
        async with scripted(answer) as first, scripted(answer) as second:
            model = Realtime(base_url=[first.url, second.url], model="fake")

            async def inputs() -> Any:
                yield frame()
                await asyncio.sleep(0.2)

            async def one_call() -> None:
                async for _ in model.session(call(), inputs()):
                    pass

            await asyncio.gather(*(one_call() for _ in range(4)))
            return len(first.lines), len(second.lines)

    assert asyncio.run(main()) == (2, 2)


def test_addresses_may_be_those_of_websockets_or_of_http() -> None:
    for scheme in ("ws", "wss", "http", "https"):
        assert model_at(f"{scheme}://127.0.0.1:1").hosts == ["127.0.0.1:1"]
    with pytest.raises(SpecError, match="base_url must have the form ws://host:port/path"):
        model_at("ftp://127.0.0.1:1")


def test_a_preview_shows_how_a_session_begins_and_no_key() -> None:
    preview = model_at("http://127.0.0.1:1").preview_request(call(instructions="Be brief."))
    first, _, body = preview.partition("\n")
    assert first == "WebSocket /v1/realtime"
    assert json.loads(body)["session"]["instructions"] == "Be brief."
    assert KEY not in preview
    assert model_at("http://127.0.0.1:1").preview_request(question()) == ""


def test_options_of_requests_are_not_options_of_sessions() -> None:
    with pytest.raises(SpecError, match=r"Realtime: unknown option audio_format. Accepted: model, base_url, .*dialect"):
        model_at("http://127.0.0.1:1", audio_format="mp3")
    assert issubclass(Realtime, ServiceModel)
