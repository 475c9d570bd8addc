"""Responses of servers: streams, limits and error messages."""

import asyncio
import json
import math
import os
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from auricle import Settings
from auricle.core.errors import Rejected, SampleError, Transient
from auricle.engine.retry import RetryingSender
from auricle.engine.slots import DirectSlot
from auricle.models.http.responses import ByteBudget, OverBudget, parse_retry_after
from auricle.models.openai import OpenAI
from tests.support.certificates import write_certificate
from tests.support.http_servers import (
    CannedServer,
    chat,
    closing_model,
    delta,
    http_reply,
    question,
    run_model,
    serving,
    stream_reply,
)


def model_at(*servers: Any, **options: Any) -> Any:
    urls = [server if isinstance(server, str) else server.url for server in servers]
    return OpenAI(**{"base_url": urls, "model": "fake", **options})


@pytest.fixture
def tls_server(tmp_path: Path) -> Iterator[Callable[..., tuple[CannedServer, Path]]]:
    """Start a server with a certificate of its own, and return both."""
    with ExitStack() as servers:

        def start(**certificate: Any) -> tuple[CannedServer, Path]:
            path = write_certificate(tmp_path / "server.pem", **certificate)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(path)
            server = CannedServer([chat()])
            server.socket = context.wrap_socket(server.socket, server_side=True)
            return servers.enter_context(serving(server)), path

        yield start


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "bad"}}', "bad"),
        (b'{"error": "bad"}', "bad"),
        (b'{"detail": [{"msg": "bad"}]}', "bad"),
        (b'[{"error": {"message": "bad"}}]', "bad"),
        (b'{"what": 1}', '{"what":1}'),
        (b"<html><h1>bad</h1> luck</html>", "bad luck"),
        (b"bad  \n  luck", "bad luck"),
        (b"", "Bad Request"),
        (b"[" * 1000 + b"]" * 1000, "an error without a message"),
        (b"[" * 1000, "[" * 299 + "…"),
        (b'{"error":' * 12 + b'"deep"' + b"}" * 12, '{"error":{"error":"deep"}}'),
    ],
)
def test_error_message_is_extracted_from_every_format(canned: Any, body: bytes, words: str) -> None:
    server = canned(http_reply(400, body))
    with pytest.raises(Rejected) as caught:
        run_model(model_at(server))
    assert str(caught.value) == f"HTTP 400 from {server.host}: {words}"


def test_retry_after_date_is_parsed() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=30)
    wait = parse_retry_after(format_datetime(soon, usegmt=True))
    assert wait is not None
    assert 28 <= wait <= 30
    assert parse_retry_after(format_datetime(soon - timedelta(hours=1), usegmt=True)) == 0.0


@pytest.mark.parametrize("year", ["99999999999999999999", "9999999999"])
def test_retry_after_in_an_impossible_year_is_ignored(year: str) -> None:
    assert parse_retry_after(f"Sun, 06 Nov {year} 08:49:37 GMT") is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("nan", 0.0),
        ("soon", None),
        ("1e400", math.inf),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_seconds_are_parsed_and_nonsense_is_ignored(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value) == seconds


# --- streams ----------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "is_refused"), [(2048, False), (2049, True)])
def test_stream_line_may_have_twice_the_read_buffer(
    canned: Any, monkeypatch: pytest.MonkeyPatch, length: int, is_refused: bool
) -> None:
    monkeypatch.setattr("auricle.models.http.responses.READ_BUFFER_BYTES", 1 << 10)
    text = "x" * (length - len(b"data: " + json.dumps(delta("")).encode()))
    line = b"data: " + json.dumps(delta(text)).encode()
    assert len(line) == length
    model = model_at(canned(stream_reply(line, delta(finish="stop"))), stream=True)
    if is_refused:
        with pytest.raises(Rejected, match="a line longer than 0 MB"):
            run_model(model)
    else:
        assert run_model(model).text == text


def test_lines_are_joined_across_network_chunks(canned: Any) -> None:
    line = b"data: " + json.dumps(delta("in pieces")).encode() + b"\n\n"

    def reply(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        for piece in (line[:10], line[10:20], line[20:], b"data: [DONE]"):
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(0.01)

    assert run_model(model_at(canned(reply), stream=True)).text == "in pieces"


# --- memory -----------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_response_beyond_the_budget_is_refused(canned: Any, stream: bool) -> None:
    text = "x" * 2000
    server = canned(stream_reply(delta(text), delta(finish="stop")) if stream else chat(text))
    with pytest.raises(Rejected, match=r"returned more than 0\.001 MB; raise the limit with -M response_megabytes=N"):
        run_model(model_at(server, response_megabytes=0.001, stream=stream))


def test_responses_in_flight_share_one_budget() -> None:
    budget = ByteBudget(100)
    with budget.share() as first, budget.share() as second:
        first.add(60, "host")
        with pytest.raises(OverBudget, match=r"responses of host took more than 0\.0001 MB at a time"):
            second.add(60, "host")
    assert budget.in_use == 0


def test_responses_that_do_not_fit_together_are_retried(serve: Any) -> None:
    """Eight answers of 40 kB at a time do not fit into 100 kB; two do."""
    server = serve(reply="x" * 40_000, latency=0.05)

    async def ask_all() -> list[Any]:
        async with closing_model(model_at(server, response_megabytes=0.1)) as model:
            senders = [RetryingSender(DirectSlot(model, 8), Settings(initial_backoff=0.05)) for _ in range(8)]
            return await asyncio.gather(*(sender(question()) for sender in senders))

    assert {len(answer.text) for answer in asyncio.run(ask_all())} == {40_000}


def test_budget_is_free_again_after_errors(canned: Any) -> None:
    model = model_at(canned(stream_reply(delta("well"), b"data: {"), chat()), stream=True)

    async def ask_twice() -> Any:
        async with closing_model(model):
            with pytest.raises(Transient):
                await model.generate(question())
            return await model.generate(question())

    assert asyncio.run(ask_twice()).text == "fine"
    assert model._budget.in_use == 0


# --- headers ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": ";;;="},
        {"Content-Type": "application/json; charset=none"},
        {"Retry-After": "9" * 400},
        {"Retry-After": "Sun, 06 Nov 99999999999999999999 08:49:37 GMT"},
        {"Set-Cookie": "=;=;" * 500},
        {"Content-Encoding": "smoke"},
        {"Content-Encoding": "gzip"},
        {"X-Long": "x" * 100_000},
        {"X-Strange": "\x01\x7f"},
        {"Location": "http://[::1"},
    ],
)
@pytest.mark.parametrize("status", [200, 307, 429])
def test_absurd_header_costs_the_sample_at_most(canned: Any, headers: dict[str, str], status: int) -> None:
    server = canned(http_reply(status, {"choices": [{"message": {"content": "fine"}}]}, headers))
    try:
        message = run_model(model_at(server)).text
    except SampleError as error:
        message = str(error)
    assert len(message) < 1000


# --- TLS --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("certificate", "trusted", "reason"),
    [
        ({}, False, "its certificate is self-signed. Trust its authority with the environment variable SSL_CERT_FILE"),
        ({"days": -1}, True, "its certificate has expired. Renew it, or check the clock of this machine."),
        ({"host": "elsewhere.example"}, True, "its certificate is for another address. Use the name in the"),
    ],
)
def test_tls_error_names_its_reason(
    tls_server: Any, auricle: Any, certificate: Any, trusted: bool, reason: str
) -> None:
    server, path = tls_server(**certificate)
    environment = {**os.environ, "SSL_CERT_FILE": str(path) if trusted else os.devnull}
    words = ["-m", "openai", "-M", f"base_url=https://127.0.0.1:{server.server_port}/v1", "-M", "model=fake"]
    done = auricle("ask", *words, "--text", "hello", env=environment)
    assert f"no secure connection to 127.0.0.1:{server.server_port}: {reason}" in done.stderr
    assert server.requests == []
