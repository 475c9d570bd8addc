"""Responses of servers: streams, limits and error messages."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

pytest.importorskip("aiohttp")


from auricle.core.errors import Refused
from auricle.models.http.responses import parse_retry_after
from auricle.models.openai import OpenAI
from tests.support.http_servers import http_reply, run_model


def model_at(*servers: Any, **options: Any) -> Any:
    urls = [server if isinstance(server, str) else server.url for server in servers]
    return OpenAI(**{"base_url": urls, "model": "fake", **options})


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
    ],
)
def test_error_message_is_extracted_from_every_format(canned: Any, body: bytes, words: str) -> None:
    server = canned(http_reply(400, body))
    with pytest.raises(Refused) as caught:
        run_model(model_at(server))
    assert str(caught.value) == f"HTTP 400 from {server.host}: {words}"


def test_retry_after_date_is_parsed() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=30)
    wait = parse_retry_after(format_datetime(soon, usegmt=True))
    assert wait is not None
    assert 28 <= wait <= 30
    assert parse_retry_after(format_datetime(soon - timedelta(hours=1), usegmt=True)) == 0.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("-1", 0.0), ("nan", 0.0), ("soon", None), ("", None), (None, None)],
)
def test_retry_after_seconds_are_parsed_and_nonsense_is_ignored(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value) == seconds
