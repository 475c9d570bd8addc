"""Servers whose every answer is known beforehand, and what a load test would record of them."""

import heapq
from collections.abc import Iterator
from typing import Any

import numpy as np

from auricle.perf.request_record import RequestRecord


def answered(index: int = 0, *, due: Any = None, sent: float = 0.0, seconds: float = 1.0, **said: Any) -> Any:
    """A request that is answered whole, so many seconds after it was sent."""
    return RequestRecord(index=index, sample=str(index), due=due, sent=sent, done=sent + seconds, **said)


def streamed(
    index: int = 0, *, sent: float = 0.0, first: float = 0.2, gaps: Any = (0.1,) * 9, tail: float = 0.5, **said: Any
) -> Any:
    """A request whose answer comes in pieces, and the stream's end a while after the last."""
    last = sent + first + sum(gaps)
    times = {
        "first_byte": sent + first / 2,
        "first_token": sent + first,
        "first_content": sent + first,
        "last_content": last,
        "done": last + tail,
    }
    return RequestRecord(index=index, sample=str(index), sent=sent, streamed=True, gaps=gaps, **{**times, **said})


def behind_a_cap(due: Any, places: Any, service: Any, stall: Any = None) -> Iterator[Any]:
    """Requests due at times, of which so many are served at once; at `stall` all hold still."""
    free = [0.0] * places
    for index, at in enumerate(due):
        sent = max(float(at), heapq.heappop(free))
        seconds = service
        if stall and sent <= stall[0] < sent + service:
            seconds += stall[1]
        heapq.heappush(free, sent + seconds)
        yield answered(index, due=float(at), sent=sent, seconds=seconds)


def queueing_inside(due: Any, places: Any, service: Any) -> Iterator[Any]:
    """Requests sent when due to a server that serves so many at once: the wait is its own."""
    free = [0.0] * places
    for index, at in enumerate(due):
        began = max(float(at), heapq.heappop(free))
        heapq.heappush(free, began + service)
        yield answered(index, due=float(at), sent=float(at), seconds=began + service - float(at))


def closed_loop(users: Any, count: Any, seconds: Any, ramp: float = 0.0) -> Iterator[Any]:
    """Users who ask again at once, until so many were asked; `seconds()` is how long it takes."""
    free = [(ramp * user / users, user) for user in range(users)]
    heapq.heapify(free)
    for index in range(count):
        sent, user = heapq.heappop(free)
        took = float(seconds())
        heapq.heappush(free, (sent + took, user))
        yield answered(index, sent=sent, seconds=took, user=user)


def lognormal(mean: Any, spread: Any, seed: Any) -> Any:
    """Draws of a mean, skewed by `spread`."""
    dice = np.random.default_rng(seed)
    return lambda: mean * dice.lognormal(-spread * spread / 2, spread)
