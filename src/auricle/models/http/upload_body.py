"""Request bodies that are uploaded in parts."""

from __future__ import annotations

import io
from collections.abc import Callable

CHUNKED_THRESHOLD = 1 << 20  # larger bodies are written in parts
TIMED_THRESHOLD = 1 << 16  # smaller bodies are sent too fast to be timed


class TimedUpload(io.BytesIO):
    """A body that reports when its last part is read; all earlier parts have been sent by then."""

    def __init__(self, content: bytes, on_uploaded: Callable[[], None]) -> None:
        super().__init__(content)
        self._on_uploaded: Callable[[], None] | None = on_uploaded
        self._size = len(content)

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        if (uploaded := self._on_uploaded) and self.tell() == self._size:
            self._on_uploaded = None
            uploaded()
        return piece


def prepare_upload(content: bytes, on_uploaded: Callable[[], None] | None = None) -> bytes | io.BytesIO:
    """Return a body that is written in parts if it is large, so that other requests are not delayed."""
    if on_uploaded and len(content) > TIMED_THRESHOLD:
        return TimedUpload(content, on_uploaded)
    return io.BytesIO(content) if len(content) > CHUNKED_THRESHOLD else content
