"""What all models behind a server share: keys, headers, endpoints, error messages and redaction.

No message contains a key, a header or media.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from auricle.core.arguments import list_options
from auricle.core.errors import Rejected, SampleError, SpecError, Transient, Unreachable
from auricle.core.redaction import HIDDEN, SECRETS, find_secrets
from auricle.models.base import ModelAttributes
from auricle.models.http.config import ConnectionConfig
from auricle.models.http.rate_limits import AdaptiveLimiter, ConnectionPool, Endpoint
from auricle.models.http.responses import (
    describe_certificate_problem,
    extract_error_message,
    find_message,
    parse_retry_after,
    read_error_body,
)
from auricle.models.listing import ModelListing

if TYPE_CHECKING:
    import aiohttp

RETRYABLE_STATUSES = {408, 409, 425, 429}
BUSY_STATUSES = {429, 503}
BASE64_PATTERN = re.compile(r"[A-Za-z0-9+/=_-]{80,}")  # base64, or other text not meant for people
MAX_MESSAGE_CHARS = 300


class ServiceModel(ModelAttributes):
    """Base class of models behind a server, whatever the protocol."""

    listing = ModelListing(group="Servers", extra="api", packages=("aiohttp", "pybase64"), weights="server")
    name = ""
    model_hint = "-M model=NAME"
    """How to set the missing name of a model."""
    default_url = ""
    default_key_env = ""
    url_schemes: tuple[str, ...] = ("http", "https")
    config_class: type[ConnectionConfig]
    """Options of the model."""

    def __init__(self, **options: Any) -> None:
        self.listing.require("Models behind an API")
        self.service = self.config_class.from_options(type(self).__name__, options, list_options(type(self)))
        urls = self.service.resolve_urls(self.default_url, self.url_schemes)
        if not urls:
            raise SpecError(f"{type(self).__name__}: missing base_url. Set -M base_url=http://host:port/v1.")
        self._api_key = self.service.resolve_api_key(self.default_key_env)
        self._headers = {**self.auth_headers(self._api_key), **self.service.resolve_headers()}
        self._secrets = self._collect_secrets(urls)
        self._pool = ConnectionPool([Endpoint(url, self.create_limiter()) for url in urls])
        if not self.service.has_model:
            raise SpecError(f"{self.name}: missing model. Set {self.model_hint}.")

    @property
    def hosts(self) -> list[str]:
        """Return the names of the servers, as used in messages."""
        return [endpoint.host for endpoint in self._pool.endpoints]

    def create_limiter(self) -> AdaptiveLimiter:
        """Return the limiter of one endpoint."""
        raise NotImplementedError

    def auth_headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _collect_secrets(self, urls: list[str]) -> list[str]:
        """Collect all secrets to remove from messages, longest first so that no partial match survives."""
        if any(urlsplit(url).password for url in urls) and "Authorization" in self._headers:
            raise SpecError("Cannot send both an API key and a password in base_url. Remove one of them.")
        secrets = [self._api_key, *find_secrets({"headers": self._headers, "base_url": urls})]
        SECRETS.add(secrets)
        words = [word for value in self._headers.values() for word in value.split() if len(word) > 7]
        candidates = {*secrets, *self._headers.values(), *words}  # of a message nothing is lost if too much is hidden
        return sorted((secret for secret in candidates if len(secret) > 3), key=len, reverse=True)

    def error_from_document(self, error: Any, host: str) -> SampleError:
        """Convert an error object in a response with status 200 to an exception."""
        code = error.get("code") if isinstance(error, dict) else None
        message = f"{host} returned an error: {self.redact(find_message(error))}"
        is_final = isinstance(code, int) and 400 <= code < 500 and code not in RETRYABLE_STATUSES
        return Rejected(message) if is_final else Transient(message)

    async def _status_error(self, response: aiohttp.ClientResponse, endpoint: Endpoint) -> SampleError:
        """Convert a status other than 200 to an exception with the server's message."""
        status = response.status
        if status >= 500:
            self._pool.record_failure(endpoint)
        else:
            self._pool.record_reachable(endpoint)
        server_message = extract_error_message(await read_error_body(response)) or response.reason or "no message"
        message = f"HTTP {status} from {endpoint.host}: {self.redact(server_message)}"
        if status in RETRYABLE_STATUSES or status >= 500:
            retry_after = parse_retry_after(response.headers.get("Retry-After"))
            if status in BUSY_STATUSES:
                endpoint.limiter.record_busy(retry_after)
                retry_after = retry_after or 0.0  # a busy server asks to wait, even if it does not say how long
            return Transient(message, retry_after)
        if 300 <= status < 400:
            location = self.redact(response.headers.get("Location", "an unknown location"))
            return Rejected(f"{message} (redirects to {location})")
        return Rejected(message)

    def _connection_error(self, error: Exception, host: str) -> SampleError:
        """Convert a connection error to an exception."""
        import aiohttp

        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return Rejected(f"no secure connection to {host}: {describe_certificate_problem(error.certificate_error)}")
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            seconds = self.service.connect_timeout
            return Unreachable(f"{host} did not accept a connection within {seconds:g} s (connect_timeout)")
        if isinstance(error, aiohttp.ClientConnectorError):
            return Unreachable(f"no connection to {host}: {_os_error_reason(error.os_error)}")
        return Transient(self.redact(f"connection to {host} lost: {str(error) or type(error).__name__}"))

    def redact(self, text: str) -> str:
        """Remove secrets and base64 data from a message, and shorten it."""
        text = SECRETS.redact(text)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        text = BASE64_PATTERN.sub(HIDDEN, text)
        return text if len(text) <= MAX_MESSAGE_CHARS else text[: MAX_MESSAGE_CHARS - 1] + "…"


def join_url(url: str, path: str) -> str:
    """Append a path to a base URL, keeping the query of the base URL at the end."""
    base, _, query = url.partition("?")
    suffix = f"{'&' if '?' in path else '?'}{query}" if query else ""
    return f"{base.rstrip('/')}{path}{suffix}"


def merge_extra(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Merge extra fields into a request body. Objects are merged recursively; null removes a field."""
    body = dict(fields)
    for name, value in extra.items():
        existing = body.get(name)
        mergeable = isinstance(existing, Mapping) and isinstance(value, Mapping)
        body[name] = merge_extra(existing, value) if mergeable else value  # type: ignore[arg-type]
    return {name: value for name, value in body.items() if value is not None}


def _os_error_reason(error: OSError) -> str:
    """Return the operating system's description of an error."""
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    return error.strerror or str(error)
