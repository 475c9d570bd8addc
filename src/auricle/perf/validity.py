"""Decide whether a load point is valid, and collect notes for its reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from auricle.perf.load_patterns import Load
from auricle.perf.slo import Measures, RunMeasures
from auricle.perf.windows import Window
from auricle.runs.perf_files import RequestRepeats, Saturation, SenderHealth, StatusCounts

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
MIN_REQUESTS_FOR_RATE = 20
"""Number of requests below which offered and achieved rate are not compared."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What validity and notes are derived from."""

    load: Load
    health: SenderHealth
    window: Window
    run: RunMeasures
    measures: Measures
    counts: StatusCounts
    """Requests of the measured phase in the window, by status."""
    repeats: RequestRepeats
    slow_cancelled: int
    """Requests cancelled after a longer wait than 95 % of the successful ones."""
    saturation: Saturation

    def run_value(self, name: str) -> float | None:
        return self.run[name].value

    def median_value(self, name: str) -> float | None:
        value: float | None = self.measures[name]["p50"]
        return value


def find_invalid_reasons(evidence: Evidence) -> list[str]:
    """Return the reasons why a load point is not valid; none if it is."""
    if not evidence.counts.ok:
        return ["No request of the measured phase succeeded."]
    return [*_check_load(evidence), *_check_lateness(evidence), *_check_senders(evidence), *_check_failures(evidence)]


def _check_load(evidence: Evidence) -> Iterator[str]:
    offered, achieved = evidence.run_value("offered_rate"), evidence.run_value("achieved_rate")
    enough = evidence.counts.total >= MIN_REQUESTS_FOR_RATE
    if offered and achieved and enough and achieved < (1 - MAX_RATE_SHORTFALL) * offered:
        cap = evidence.load.cap
        cause = f"cap={cap} delayed requests" if cap else "the senders could not keep up"
        yield (
            f"The achieved rate ({achieved:.4g} requests per second) was {1 - achieved / offered:.1%} below the"
            f" offered rate ({offered:.4g}): {cause}."
        )
    users = evidence.load.busy_users if evidence.window.kind == "steady" else None
    busy = evidence.run_value("in_flight_mean")
    if users and busy is not None and busy < MIN_BUSY_USER_SHARE * users:
        yield (
            f"On average only {busy:.3g} of {users} users were waiting for an answer:"
            " the senders lost time between requests."
        )


def _check_lateness(evidence: Evidence) -> Iterator[str]:
    late, latency = evidence.run_value("late_p99_s"), evidence.median_value("latency_s")
    if late is not None and latency is not None and late > max(MAX_LATE_SHARE * latency, MIN_LATE_SECONDS):
        yield (
            f"Requests were sent {late:.3g} s late (99th percentile), more than"
            f" {MAX_LATE_SHARE:.0%} of the median latency ({latency:.3g} s)."
        )


def _check_senders(evidence: Evidence) -> Iterator[str]:
    health = evidence.health
    ttft = evidence.median_value("ttft_s")
    ttft = evidence.median_value("latency_s") if ttft is None else ttft
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


def _check_failures(evidence: Evidence) -> Iterator[str]:
    share = evidence.run_value("failed_share")
    if share is not None and share > MAX_FAILED_SHARE:
        yield f"{share:.1%} of the requests failed; the measures describe only the others."
    slow_share = evidence.slow_cancelled / evidence.counts.total
    if slow_share > MAX_SLOW_CANCELLED_SHARE:
        yield (
            f"{slow_share:.1%} of the requests were cancelled after a longer wait than 95% of the successful ones:"
            " the measures leave out the slowest requests."
        )


def collect_notes(evidence: Evidence) -> list[str]:
    """Return what else a reader should know about a load point."""
    return [*_load_notes(evidence), *_data_notes(evidence)]


def _load_notes(evidence: Evidence) -> Iterator[str]:
    if evidence.window.not_steady_reason:
        yield f"No steady window, so the whole measured phase is used: {evidence.window.not_steady_reason}."
    if evidence.saturation.saturated and evidence.load.has_schedule:
        yield "The offered load exceeded the server's capacity: latencies grow for as long as the load lasts."
    if evidence.health.stopped:
        yield f"Stopped early: {evidence.health.stopped}."
    if evidence.health.late_count:
        yield f"{evidence.health.late_count} requests were sent more than a second late."
    cap, in_flight = evidence.load.cap, evidence.run_value("in_flight_max")
    if cap and in_flight is not None and in_flight >= cap:
        yield f"The cap of {cap} requests in flight was reached; the wait for it is included in queue_s."


def _data_notes(evidence: Evidence) -> Iterator[str]:
    if evidence.counts.cancelled:
        yield f"{evidence.counts.cancelled} requests were cancelled; the measures do not include them."
    if evidence.repeats.repeated:
        yield (
            f"{evidence.repeats.repeated} of {evidence.repeats.requests} requests repeat an"
            " earlier one; the server may have cached the answer."
        )
    counted, unknown = (evidence.measures["ntpot_s"][name] for name in ("n", "undefined"))
    if counted and unknown and evidence.run_value("tok_out_s") is None:
        yield f"The server reported no token count for {unknown} responses, so the total is unknown."
