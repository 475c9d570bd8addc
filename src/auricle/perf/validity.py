"""Decide whether a load point is valid, and collect notes for its reader."""

from __future__ import annotations

from collections.abc import Iterator

from auricle.perf.intervals import GROWING_QUEUE, SLOW_QUEUE
from auricle.perf.load_patterns import Load
from auricle.runs.perf_files import LoadPointSummary

MAX_RATE_SHORTFALL = 0.02
"""Largest shortfall of the achieved rate, as a share of the offered rate."""
MAX_LATE_SHARE = 0.05
"""Largest lateness of requests (99th percentile), as a share of the median latency."""
MIN_LATE_SECONDS = 0.001  # the precision of a timer
MAX_LAG_SECONDS, MAX_LAG_IDLE_RATIO, MAX_LAG_TTFT_SHARE = 0.005, 3.0, 0.1
"""Largest lag of the event loop: the greatest of seconds, multiple of the idle lag, and share of the median TTFT."""
MAX_CPU_SHARE = 0.8
"""Largest share of a core that a sender may use."""
MAX_FAILED_SHARE = 0.1
"""Largest share of failed requests."""
MAX_SLOW_CANCELLED_SHARE = 0.01
"""Largest share of requests cancelled after a long wait; they would have been the slowest."""
MIN_BUSY_USER_SHARE = 0.8
"""Smallest share of users that must be waiting for an answer, if they have no think time."""
MAX_PACING_P99, MAX_PACING_DELAY = 0.02, 0.1
"""Largest delays of the audio frames of a live call, 99th percentile and longest: one frame and five."""
MIN_REQUESTS_FOR_RATE = 20
"""Number of requests below which offered and achieved rate are not compared."""


def find_invalid_reasons(point: LoadPointSummary, load: Load, slow_cancelled: int) -> list[str]:
    """Return the reasons why a load point is not valid; none if it is.

    Args:
        point: Its numbers.
        load: Its load.
        slow_cancelled: Requests cancelled after a longer wait than 95 % of the successful ones.
    """
    if not point.counts.window.ok:
        return ["No request of the measured phase succeeded."]
    failures = _check_failures(point, slow_cancelled)
    return [
        *_check_load(point, load),
        *_check_lateness(point),
        *_check_senders(point),
        *_check_pacing(point),
        *failures,
    ]


def _check_load(point: LoadPointSummary, load: Load) -> Iterator[str]:
    offered, achieved = point.run["offered_rate"].value, point.run["achieved_rate"].value
    enough = point.counts.window.total >= MIN_REQUESTS_FOR_RATE
    if offered and achieved and enough and achieved < (1 - MAX_RATE_SHORTFALL) * offered:
        cause = f"cap={load.cap} delayed requests" if load.cap else "the senders could not keep up"
        yield (
            f"The achieved rate ({achieved:.4g} requests per second) was {1 - achieved / offered:.1%} below the"
            f" offered rate ({offered:.4g}): {cause}."
        )
    users = load.busy_users if point.window.kind == "steady" else None
    busy = point.run["in_flight_mean"].value
    if users and busy is not None and busy < MIN_BUSY_USER_SHARE * users:
        yield (
            f"On average only {busy:.3g} of {users} users were waiting for an answer:"
            " the senders lost time between requests."
        )


def _check_lateness(point: LoadPointSummary) -> Iterator[str]:
    late, latency = point.run["late_p99_s"].value, point.measures["latency_s"].p50
    if late is not None and latency is not None and late > max(MAX_LATE_SHARE * latency, MIN_LATE_SECONDS):
        yield (
            f"Requests were sent {late:.3g} s late (99th percentile), more than"
            f" {MAX_LATE_SHARE:.0%} of the median latency ({latency:.3g} s)."
        )


def _check_senders(point: LoadPointSummary) -> Iterator[str]:
    health, ttft = point.health, point.measures["ttft_s"].p50
    ttft = point.measures["latency_s"].p50 if ttft is None else ttft
    allowed = max(
        MAX_LAG_SECONDS, MAX_LAG_IDLE_RATIO * (health.idle_lag_p99_s or 0.0), MAX_LAG_TTFT_SHARE * (ttft or 0.0)
    )
    if health.lag_p99_s is not None and health.lag_p99_s > allowed:
        yield (
            f"The senders' event loop lagged by {health.lag_p99_s:.3g} s (99th percentile), more"
            f" than {allowed:.3g} s. Use more senders or a faster machine."
        )
    busiest = max(health.cpu_share, default=0.0)
    if busiest > MAX_CPU_SHARE:
        yield f"A sender used {busiest:.0%} of a core, more than {MAX_CPU_SHARE:.0%}. Use more senders."


def _check_pacing(point: LoadPointSummary) -> Iterator[str]:
    """Check that the audio of live calls was sent in time: a caller whose voice stutters measures something else."""
    delay, longest = point.measures["pacing_p99_s"].p95, point.measures["pacing_max_s"].p95
    if delay is not None and delay > MAX_PACING_P99:
        yield (
            f"In 5 % of the calls, frames of audio were sent {delay:.3g} s late or more (99th percentile of a call);"
            f" {MAX_PACING_P99:g} s are allowed. Use more senders or fewer calls."
        )
    elif longest is not None and longest > MAX_PACING_DELAY:
        yield (
            f"In 5 % of the calls, a frame of audio was sent {longest:.3g} s late or more; {MAX_PACING_DELAY:g} s are"
            " allowed. Use more senders or fewer calls."
        )


def _check_failures(point: LoadPointSummary, slow_cancelled: int) -> Iterator[str]:
    share = point.run["failed_share"].value
    if share is not None and share > MAX_FAILED_SHARE:
        yield f"{share:.1%} of the requests failed; the measures describe only the others."
    slow_share = slow_cancelled / point.counts.window.total
    if slow_share > MAX_SLOW_CANCELLED_SHARE:
        yield (
            f"{slow_share:.1%} of the requests were cancelled after a longer wait than 95% of the successful ones:"
            " the measures leave out the slowest requests."
        )


def collect_notes(point: LoadPointSummary, load: Load) -> list[str]:
    """Return what else a reader should know about a load point."""
    return [*_load_notes(point, load), *_data_notes(point)]


def _load_notes(point: LoadPointSummary, load: Load) -> Iterator[str]:
    if point.window.refused:
        without = ", and requests have no 95 % intervals" if load.is_constant else ""
        yield f"No steady window, so the whole measured phase is used{without}: {point.window.refused}."
    yield from _interval_notes(point)
    if point.saturation.saturated and load.has_schedule:
        yield "The offered load exceeded the server's capacity: latencies grow for as long as the load lasts."
    if point.health.stopped:
        yield f"Stopped early: {point.health.stopped}."
    if point.health.late_count:
        yield f"{point.health.late_count} requests were sent more than a second late."
    in_flight = point.run["in_flight_max"].value
    if load.cap and in_flight is not None and in_flight >= load.cap:
        yield f"The cap of {load.cap} requests in flight was reached; the wait for it is included in queue_s."


def _interval_notes(point: LoadPointSummary) -> Iterator[str]:
    """Name the measures that have no interval because of the queue."""
    names_by_reason: dict[str, list[str]] = {}
    for name, measure in point.measures.items():
        if (reason := measure.no_interval.get("mean", "")).startswith((GROWING_QUEUE, SLOW_QUEUE)):
            names_by_reason.setdefault(reason, []).append(name)
    for reason, names in names_by_reason.items():
        yield f"No 95 % interval of {', '.join(names)}: {reason}."


def _data_notes(point: LoadPointSummary) -> Iterator[str]:
    if cancelled := point.counts.window.cancelled:
        yield f"{cancelled} requests were cancelled; the measures do not include them."
    yield from point.health.notes
    yield from _repeat_notes(point)
    if point.measures["ttfb_s"].n and not point.measures["ttft_s"].n:
        yield "TTFT is unknown because no response was streamed. It needs --stream and a server that streams."
    tokens = point.measures["ntpot_s"]
    if tokens.n and tokens.undefined and point.run["tok_out_s"].value is None:
        yield f"The server reported no token count for {tokens.undefined} responses, so the total is unknown."


def _repeat_notes(point: LoadPointSummary) -> Iterator[str]:
    repeats, health = point.repeats, point.health
    if not repeats.repeated:
        return
    yield (
        f"{repeats.repeated} of {repeats.requests} requests repeat an earlier one: each of {repeats.distinct} was sent"
        f" {repeats.mean_sends:.3g} times on average. The server may have cached the answers."
    )
    if health.has_unused_rows:
        yield f"Only {health.rows} rows of the data were used. Raise --limit to use more of them."
