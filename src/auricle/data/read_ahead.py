"""Read rows in a thread before they are needed, so that a slow source does not hold up the requests in flight."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from auricle.core.closing import Closing

MAX_ITEMS = 256
MAX_BYTES = 64 << 20
JOIN_SECONDS = 1.0

T = TypeVar("T")


class ReadAhead(Closing, Generic[T]):
    """The items of an iterable, read in a thread; it waits while enough of them are ready.

    Args:
        items: What to read. An error that it raises is raised in its place.
        size: Returns the bytes that an item takes up in memory.
        max_items: Items that may be ready.
        max_bytes: Bytes that they may take up; one item may be larger.

    Example:
        >>> with ReadAhead(range(3)) as numbers:
        ...     list(numbers)
        [0, 1, 2]
    """

    def __init__(
        self,
        items: Iterable[T],
        size: Callable[[T], int] = lambda _: 0,
        *,
        max_items: int = MAX_ITEMS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._items = items
        self._size = size
        self._max_items, self._max_bytes = max_items, max_bytes
        self._ready: deque[T] = deque()
        self._bytes = 0
        self._error: BaseException | None = None
        self._is_finished = self._is_closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, name="auricle-rows", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ready or self._is_finished)
                if not self._ready:
                    break
                item = self._ready.popleft()
                self._bytes -= self._size(item)
                self._changed.notify_all()
            yield item
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Stop reading; a read that takes long ends later."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join(JOIN_SECONDS)

    def _read(self) -> None:
        try:
            for item in self._items:
                if not self._add(item):
                    return
        except BaseException as error:  # noqa: BLE001 - raised where the item would be
            self._error = error
        with self._changed:
            self._is_finished = True
            self._changed.notify_all()

    def _add(self, item: T) -> bool:
        """Wait until there is room, and add an item; return False if reading has been stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._has_room())
            if self._is_closed:
                return False
            self._ready.append(item)
            self._bytes += self._size(item)
            self._changed.notify_all()
        return True

    def _has_room(self) -> bool:
        return not self._ready or (len(self._ready) < self._max_items and self._bytes < self._max_bytes)
