"""Tests of the token that every connection to the app needs."""

import asyncio
import os
from typing import Any

import pytest

from auricle.app.access_token import TOKEN_VARIABLE, TokenCheck, build_middleware, create_token

Message = dict[str, Any]
TOKEN = "0123456789-abcdefghijklmnopqrstuvwxyz_ABCDEF"


async def inner_app(scope: Any, receive: Any, send: Any) -> None:
    """Answer everything, as the app does for connections that are admitted."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"content"})


def connect(
    path: str = "/", query: str = "", cookie: str = "", kind: str = "http", method: str = "GET"
) -> list[Message]:
    """Return the messages that the server sends to a client."""
    sent: list[Message] = []

    async def send(message: Any) -> None:
        sent.append(dict(message))

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    headers = [(b"host", b"localhost:8501"), *([(b"cookie", cookie.encode())] if cookie else [])]
    scope: dict[str, Any] = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers}
    if kind == "http":
        scope["method"] = method
    asyncio.run(TokenCheck(inner_app, TOKEN)(scope, receive, send))
    return sent


def header(messages: list[Message], name: str) -> str:
    return str(dict(messages[0]["headers"])[name.encode()].decode())


def stored_cookie() -> str:
    """Return the cookie that the app sets when it is opened with the token."""
    return header(connect(query=f"token={TOKEN}"), "set-cookie").partition(";")[0]


@pytest.mark.parametrize(
    "path", ["/", "/media/clip.wav", "/static/js/index.js", "/_stcore/upload_file/a", "/_stcore/health"]
)
@pytest.mark.parametrize(
    "query", ["", "token=", "token=wrong", f"token={TOKEN[:-1]}", f"Token={TOKEN}", "token=%ff%00é"]
)
def test_request_without_the_token_gets_403_and_no_content(path: str, query: str) -> None:
    start, body = connect(path, query, cookie="auricle=wrong")
    assert start["status"] == 403
    assert b"content" not in body["body"].replace(b"contains", b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_every_method_needs_the_token(method: str) -> None:
    assert connect("/_stcore/upload_file/a", method=method)[0]["status"] == 403
    assert connect("/_stcore/upload_file/a", f"token={TOKEN}", method=method)[0]["status"] == 200


def test_websocket_without_the_token_is_closed_before_it_is_accepted() -> None:
    for query in ("", "token=wrong"):
        assert [message["type"] for message in connect("/_stcore/stream", query, kind="websocket")] == [
            "websocket.close"
        ]


def test_websocket_is_accepted_with_the_cookie_or_the_token() -> None:
    accepted = [{"type": "websocket.accept"}]
    assert connect("/_stcore/stream", cookie=stored_cookie(), kind="websocket") == accepted
    assert connect("/_stcore/stream", f"token={TOKEN}", kind="websocket") == accepted


def test_token_is_moved_from_the_url_to_a_cookie() -> None:
    messages = connect("/samples", f"run=a%20b&token={TOKEN}&x=")
    assert messages[0]["status"] == 303
    assert header(messages, "location") == "/samples?run=a+b&x="
    assert "HttpOnly" in header(messages, "set-cookie")
    assert "SameSite=lax" in header(messages, "set-cookie")


def test_redirect_stays_on_the_same_host() -> None:
    assert header(connect("//other.example", f"token={TOKEN}"), "location") == "/other.example"


def test_cookie_admits_pages_and_media() -> None:
    for path in ("/", "/media/clip.wav"):
        assert connect(path, cookie=stored_cookie())[1]["body"] == b"content"


def test_cookie_of_another_start_is_not_accepted() -> None:
    name = stored_cookie().partition("=")[0]
    assert connect(cookie=f"{name}={create_token()}")[0]["status"] == 403


def test_start_and_stop_of_the_server_pass_through() -> None:
    assert connect(kind="lifespan")[0]["status"] == 200


def test_token_is_removed_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    (middleware,) = build_middleware()
    assert middleware.kwargs == {"token": TOKEN}
    assert TOKEN_VARIABLE not in os.environ
    with pytest.raises(KeyError):
        build_middleware()


def test_empty_token_means_that_none_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "")
    assert build_middleware() == []


def test_tokens_are_long_and_differ() -> None:
    assert len({create_token() for _ in range(100)}) == 100
    assert len(create_token()) >= 43
