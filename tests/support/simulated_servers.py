"""Simulated servers with known latencies, and the request records that a load test of them would write."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from auricle.perf.request_records import RequestRecord


def answered_request(
    index: int = 0, *, due: float | None = None, sent: float = 0.0, seconds: float = 1.0, **fields: Any
) -> RequestRecord:
    """Return a request that is answered without streaming, `seconds` after it was sent."""
    return RequestRecord(index=index, sample=str(index), due=due, sent=sent, done=sent + seconds, **fields)


def streamed_request(
    index: int = 0,
    *,
    sent: float = 0.0,
    first: float = 0.2,
    gaps: tuple[float, ...] = (0.1,) * 9,
    tail: float = 0.5,
    **fields: Any,
) -> RequestRecord:
    """Return a streamed request whose first chunk comes after `first` seconds, and whose end comes after `tail`."""
    last = sent + first + sum(gaps)
    times = {
        "first_byte": sent + first / 2,
        "first_token": sent + first,
        "first_content": sent + first,
        "last_content": last,
        "done": last + tail,
    }
    return RequestRecord(index=index, sample=str(index), sent=sent, streamed=True, gaps=gaps, **{**times, **fields})


def simulate_cap(
    due_times: Iterable[float], cap: int, service_seconds: float, stall: tuple[float, float] | None = None
) -> Iterator[RequestRecord]:
    """Yield requests that wait at the client for one of `cap` places; `stall` is a time and its extra seconds."""
    free_times = [0.0] * cap
    for index, due in enumerate(map(float, due_times)):
        sent = max(due, heapq.heappop(free_times))
        seconds = service_seconds
        if stall and sent <= stall[0] < sent + service_seconds:
            seconds += stall[1]
        heapq.heappush(free_times, sent + seconds)
        yield answered_request(index, due=due, sent=sent, seconds=seconds)


def simulate_queue(due_times: Iterable[float], slots: int, service_seconds: float) -> Iterator[RequestRecord]:
    """Yield requests that are sent when due and wait in the server for one of its slots."""
    free_times = [0.0] * slots
    for index, due in enumerate(map(float, due_times)):
        begun = max(due, heapq.heappop(free_times))
        heapq.heappush(free_times, begun + service_seconds)
        yield answered_request(index, due=due, sent=due, seconds=begun + service_seconds - due)


def simulate_closed_loop(
    users: int, count: int, draw_seconds: Callable[[], float], ramp: float = 0.0
) -> Iterator[RequestRecord]:
    """Yield `count` requests of users who each send the next request as soon as they are answered."""
    next_starts = [(ramp * user / users, user) for user in range(users)]
    heapq.heapify(next_starts)
    for index in range(count):
        sent, user = heapq.heappop(next_starts)
        seconds = float(draw_seconds())
        heapq.heappush(next_starts, (sent + seconds, user))
        yield answered_request(index, sent=sent, seconds=seconds, user=user)


def lognormal_latency(mean: float, spread: float, seed: int) -> Callable[[], float]:
    """Return a function that draws latencies from a log-normal distribution with this mean."""
    generator = np.random.default_rng(seed)
    return lambda: mean * float(generator.lognormal(-spread * spread / 2, spread))


def request_measures(record: RequestRecord) -> dict[str, float | None]:
    """Compute the measures of one request; None where undefined."""
    from auricle.perf.measures import compute_measures
    from auricle.perf.request_records import RequestColumns

    measures = compute_measures(RequestColumns.from_records([record]))
    return {name: None if np.isnan(values[0]) else float(values[0]) for name, values in measures.items()}


def speech_request(*chunks: tuple[float, float]) -> RequestRecord:
    """Return a request with audio chunks, each with its arrival time and length."""
    return RequestRecord(index=0, sample="a", sent=0.0, first_audio=chunks[0][0], done=chunks[-1][0], spoken=chunks)


def even_requests(count: int = 200, **fields: Any) -> Sequence[RequestRecord]:
    """Return requests at ten per second, each answered after a second."""
    return [
        answered_request(index, due=index / 10, sent=index / 10, body=str(index), **fields) for index in range(count)
    ]


def even_streams(count: int = 200, **fields: Any) -> Sequence[RequestRecord]:
    """Return streamed requests at ten per second."""
    return [
        streamed_request(index, due=index / 10, sent=index / 10, body=str(index), **fields) for index in range(count)
    ]
