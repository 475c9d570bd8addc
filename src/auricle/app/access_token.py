"""Admit only connections that have the token of this start of the app.

`auricle ui` prints a URL with a random token. Opening it stores the token in a cookie and continues without it in the
URL, so that it stays out of the history and links, media and the WebSocket work. Any other connection is rejected with
status 403, whatever it asks for.
"""

from __future__ import annotations

import hmac
import os
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

if TYPE_CHECKING:
    from starlette.middleware import Middleware
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN_VARIABLE = "AURICLE_UI_TOKEN"  # noqa: S105 - the name of a variable
"""Environment variable that passes the token to the server; empty if none is required."""
TOKEN_PARAMETER = "token"  # noqa: S105 - the name of a query parameter
NO_STORE = {"Cache-Control": "no-store"}
FORBIDDEN = "403: open the URL that `auricle ui` printed; it contains the token of this app.\n"


def create_token() -> str:
    return secrets.token_urlsafe(32)


def build_middleware() -> list[Middleware]:
    """Return the check for the token in the environment; it is removed from there, so that models do not inherit it.

    Raises:
        KeyError: If the variable is not set; without it, the app must not start.
    """
    from starlette.middleware import Middleware

    token = os.environ.pop(TOKEN_VARIABLE)
    return [Middleware(TokenCheck, token=token)] if token else []


class TokenCheck:
    """Middleware that passes on connections with the token, and rejects all others."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token
        # Cookies are shared by all ports of a host, so each app has its own.
        self._cookie = f"auricle-{sha256(token.encode()).hexdigest()[:12]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.requests import HTTPConnection
        from starlette.responses import PlainTextResponse
        from starlette.websockets import WebSocket

        if scope["type"] not in ("http", "websocket"):  # start and stop of the server
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        has_token_in_url = self._is_token(connection.query_params.get(TOKEN_PARAMETER))
        if has_token_in_url and scope.get("method") == "GET":
            await self._store_token(scope, receive, send)
        elif has_token_in_url or self._is_token(connection.cookies.get(self._cookie)):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await PlainTextResponse(FORBIDDEN, 403, NO_STORE)(scope, receive, send)
        else:
            await WebSocket(scope, receive, send).close()  # before it is accepted: status 403

    async def _store_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set the cookie and redirect to the same page without the token in its URL."""
        from starlette.responses import RedirectResponse

        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        query = urlencode([(name, value) for name, value in pairs if name != TOKEN_PARAMETER])
        path = "/" + scope["path"].lstrip("/")  # two slashes would be another host
        response = RedirectResponse(f"{path}?{query}" if query else path, 303, NO_STORE)
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="lax")
        await response(scope, receive, send)

    def _is_token(self, text: str | None) -> bool:
        return text is not None and hmac.compare_digest(text.encode(errors="replace"), self._token.encode())
