"""Reading rows in a thread before they are needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from auricle.core.errors import DataError
from auricle.data.read_ahead import ReadAhead


def wait_until(condition: object) -> None:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.001)


def test_items_arrive_in_order() -> None:
    with ReadAhead(range(1000), max_items=7) as items:
        assert list(items) == [*range(1000)]


@pytest.mark.parametrize(("limits", "expected"), [({"max_items": 3}, 4), ({"max_bytes": 25}, 4), ({"max_bytes": 1}, 2)])
def test_reading_waits_while_enough_is_ready(limits: dict[str, int], expected: int) -> None:
    taken: list[int] = []

    def read() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    with ReadAhead(read(), lambda _: 10, **limits) as items:
        wait_until(lambda: len(taken) == expected)
        time.sleep(0.01)
        assert len(taken) == expected  # the last one waits for room
        assert next(iter(items)) == 0
        wait_until(lambda: len(taken) == expected + 1)
        assert len(taken) == expected + 1


def test_an_error_is_raised_after_the_items_before_it() -> None:
    def fail() -> Iterator[int]:
        yield 1
        raise DataError("damaged")

    with ReadAhead(fail()) as items:
        numbers = iter(items)
        assert next(numbers) == 1
        with pytest.raises(DataError, match="damaged"):
            next(numbers)


def test_closing_stops_the_thread() -> None:
    with ReadAhead(iter(int, 1), max_items=2) as items:
        assert next(iter(items)) == 0
    assert not [thread for thread in threading.enumerate() if thread.name == "auricle-rows" and thread.is_alive()]
