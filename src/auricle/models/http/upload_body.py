"""Bodies that are written piece by piece, and tell how far they are."""

from __future__ import annotations

import io
from collections.abc import Callable

CHUNKED_THRESHOLD = 1 << 20  # bytes of a body that are written in one go
TIMED_THRESHOLD = 1 << 16  # bytes; what is smaller is sent before its sending could be timed


class TimedUpload(io.BytesIO):
    """A body that tells when its last piece is taken: all before it are on their way by then."""

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
    """A large body in a form that is written piece by piece, so that others get their turn."""
    if on_uploaded and len(content) > TIMED_THRESHOLD:
        return TimedUpload(content, on_uploaded)
    return io.BytesIO(content) if len(content) > CHUNKED_THRESHOLD else content
