"""Fetch sounds, images and videos that are in a bucket, on a web server or in a tar."""

from __future__ import annotations

import threading
from collections import OrderedDict

from auricle.core.errors import AuricleError, SampleError
from auricle.core.object_cache import read_through_cache
from auricle.core.redaction import redact_text
from auricle.core.storage import is_remote, open_storage, split_location
from auricle.media.archives import parse_member

MAX_KEPT_BYTES = 64 << 20
WEB_SCHEMES = ("http://", "https://")


def is_fetched(uri: str) -> bool:
    """Return whether media are identified by content that has to be fetched: in a bucket, or in a tar.

    Media on a web server are identified by their address, which models behind an API receive as it is.
    """
    return parse_member(uri) is not None or (is_remote(uri) and not uri.startswith(WEB_SCHEMES))


def fetch(uri: str, error_type: type[SampleError]) -> bytes:
    """Return the content of an address; what was fetched last is kept, since it is usually needed several times.

    Raises:
        SampleError: of the given type, if it does not exist or cannot be read.
    """
    if not uri:
        raise error_type("Neither a path nor data was given.")
    if (content := _RECENT.get(uri)) is not None:
        return content
    try:
        content = _read(uri)
    except FileNotFoundError as error:
        raise error_type(f"{redact_text(uri)} does not exist.") from error
    except (AuricleError, OSError, ValueError) as error:
        raise error_type(f"{redact_text(uri)} cannot be read: {error}") from error
    _RECENT.add(uri, content)
    return content


def _read(uri: str) -> bytes:
    if member := parse_member(uri):
        content = member.read()
        if len(content) != member.size:
            raise ValueError("the tar has changed since it was indexed.")
        return content
    folder, name = split_location(uri)
    return read_through_cache(open_storage(folder), name)


class RecentContent:
    """What was fetched last, up to a number of bytes, but at least one object; any thread may use it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, uri: str) -> bytes | None:
        with self._lock:
            if uri in self._contents:
                self._contents.move_to_end(uri)
            return self._contents.get(uri)

    def add(self, uri: str, content: bytes) -> None:
        with self._lock:
            self._size += len(content) - len(self._contents.pop(uri, b""))
            self._contents[uri] = content
            while self._size > self._max_bytes and len(self._contents) > 1:
                self._size -= len(self._contents.popitem(last=False)[1])


_RECENT = RecentContent(MAX_KEPT_BYTES)
