"""Files of a web server as a storage that can only be read."""

from __future__ import annotations

import email.utils
import http.client
import io
import time
from collections.abc import Iterator
from typing import BinaryIO, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from auricle.core.errors import StorageError, StorageUnavailable
from auricle.core.redaction import redact_text
from auricle.core.size_limits import FILE_LIMIT, read_whole
from auricle.core.storage import READ_BUFFER, ObjectInfo, RangeReader, ReadOnlyStorage

ATTEMPTS = 4
FIRST_DELAY = 0.2
"""Seconds before the second attempt; they double with every further one."""
TIMEOUT = 60.0
SAFE_IN_URL = "/%:=&?~#+!$,;'@()*[]"
RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})


class HttpStorage(ReadOnlyStorage):
    """Files below a URL. A path may end in a query, as those of signed URLs do."""

    def __init__(self, url: str) -> None:
        if not urlsplit(url).hostname:
            raise StorageError(f"{redact_text(url)!r} is not a location: expected https://HOST/FOLDER.")
        super().__init__(url)

    def read(self, path: str, start: int = 0, end: int | None = None) -> bytes:
        if end is not None and end <= start:
            return b""
        if start == 0 and end is None:
            return self._get(path, {})[1]
        return self._read_range(path, start, end, "")

    def _read_range(self, path: str, start: int, end: int | None, etag: str) -> bytes:
        span = f"bytes={start}-{'' if end is None else end - 1}"
        condition = {"If-Range": etag} if etag.startswith('"') else {}
        try:
            response, content = self._get(path, {"Range": span, **condition})
        except RangeError:
            return b""
        if response.status == 206:
            return content
        if condition:
            raise StorageError(f"{self._name(path)} changed while it was read, or its server ignores ranges.")
        return content[start:end]  # the server ignores ranges

    def open(self, path: str, buffering: int = READ_BUFFER) -> BinaryIO:
        response, _ = self._get(path, {}, method="HEAD")
        if response.headers.get("Accept-Ranges", "").lower() != "bytes" or not response.headers.get("Content-Length"):
            return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, self._open(path, {}, "GET")), buffering or 1))
        info = _info(path, response)
        raw = RangeReader(lambda start, end: self._read_range(path, start, end, info.etag), info.size)
        return cast(BinaryIO, io.BufferedReader(raw, buffering) if buffering else raw)

    def head(self, path: str) -> ObjectInfo:
        return _info(path, self._get(path, {}, method="HEAD")[0])

    def list(self, prefix: str = "") -> Iterator[ObjectInfo]:
        raise StorageError(
            f"{self._name(prefix)} cannot be listed: web servers have no list of their files. "
            "Name the files, for example with a range: shard-{000000..000999}.tar."
        )

    def _get(self, path: str, headers: dict[str, str], method: str = "GET") -> tuple[http.client.HTTPResponse, bytes]:
        """Return a response and its body; what may pass is tried again."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._open(path, headers, method) as response:
                    FILE_LIMIT.check(0 if method == "HEAD" else response.length or 0, self._name(path))
                    content = read_whole(response, self._name(path))
                    if response.length and method != "HEAD":  # which reading by blocks does not check
                        raise http.client.IncompleteRead(content, response.length)
                    return response, content
            except HTTPError as error:
                error.close()  # and its connection
                if error.code not in RETRIED_STATUS or attempt == ATTEMPTS:
                    raise self._explain(path, error) from error
            except (URLError, http.client.HTTPException, OSError) as error:
                if attempt == ATTEMPTS:
                    raise StorageUnavailable(self._describe_failure(path, error)) from error
            time.sleep(FIRST_DELAY * 2 ** (attempt - 1))
        raise AssertionError("the last attempt raises")

    def _describe_failure(self, path: str, error: Exception) -> str:
        """Describe a request without a reply."""
        reason = getattr(error, "reason", error)  # that of `URLError` is the error of the connection
        text = redact_text(str(getattr(reason, "strerror", None) or reason))
        return f"Cannot read {self._name(path)}: {text}. Check the URL and the network."

    def _open(self, path: str, headers: dict[str, str], method: str) -> http.client.HTTPResponse:
        url = quote(f"{self._url}/{path}", safe=SAFE_IN_URL)
        request = Request(url, headers={"User-Agent": "auricle", **headers}, method=method)  # noqa: S310 - http only
        return cast(http.client.HTTPResponse, urlopen(request, timeout=TIMEOUT))  # noqa: S310

    def _explain(self, path: str, error: HTTPError) -> Exception:
        if error.code in (404, 410):
            return FileNotFoundError(f"No such file: {self._name(path)}.")
        if error.code == 416:
            return RangeError(self._name(path))
        hint = " Check the URL, or whether it has expired." if error.code in (401, 403) else ""
        kind = StorageUnavailable if error.code in RETRIED_STATUS else StorageError
        return kind(f"{self._name(path)}: the server replied {error.code} {error.reason}.{hint}")


class RangeError(StorageError):
    """A range is beyond the end of a file."""


def _info(path: str, response: http.client.HTTPResponse) -> ObjectInfo:
    modified = email.utils.parsedate_tz(response.headers.get("Last-Modified", ""))
    return ObjectInfo(
        path,
        int(response.headers.get("Content-Length") or 0),
        response.headers.get("ETag") or response.headers.get("Last-Modified") or "",
        email.utils.mktime_tz(modified) if modified else 0.0,
    )
