"""Whether a load point was measured well enough to be believed, and if not, why.

reasons(evidence) -> list[str]      what makes it invalid
notes(evidence) -> list[str]        what a reader should know besides
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from auricle.perf.health import SenderHealth
from auricle.perf.loads import ClosedLoop, Load
from auricle.perf.windows import Window

MAX_RATE_SHORTFALL = 0.02
"""Of the offered rate may be missing."""
MAX_LATE_SHARE = 0.05
"""Of the median latency may requests be late, at the 99th percentile."""
MIN_LATE_SECONDS = 0.001  # no timer is better
MAX_LAG_SECONDS, MAX_LAG_IDLE_RATIO, MAX_LAG_TTFT_SHARE = 0.005, 3.0, 0.1
"""The event loop may lag by the largest of these: seconds, times idle, of the median TTFT."""
MAX_CPU_SHARE = 0.8
"""Of a core may a sender use."""
MAX_FAILED_SHARE = 0.1
"""Of the requests may fail before those that did not say little."""
MAX_SLOW_CANCELLED_SHARE = 0.01
"""Of the requests may be cancelled after a long wait: they would be the slowest."""
MIN_BUSY_USER_SHARE = 0.8
"""Of the users at least must be waiting for an answer, if they do not think."""
MIN_REQUESTS_FOR_RATE = 20
"""Requests below which a rate is too coarse to be compared."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a judgement needs."""

    load: Load
    health: SenderHealth
    window: Window
    run: Mapping[str, Mapping[str, Any]]
    measures: Mapping[str, Mapping[str, Any]]
    counts: Mapping[str, int]
    """Of measured requests in the window, by status."""
    repeats: Mapping[str, Any]
    slow_cancelled: int
    """Cancelled after a longer wait than nearly all answers took."""
    saturated: bool

    def run_value(self, name: str) -> float | None:
        found: float | None = self.run[name]["value"]
        return found

    def median_value(self, name: str) -> float | None:
        found: float | None = self.measures[name]["p50"]
        return found


def find_invalid_reasons(evidence: Evidence) -> list[str]:
    """Sentences, none if all is well."""
    if not evidence.counts["ok"]:
        return ["No measured request ended well."]
    return [*_check_load(evidence), *_check_lateness(evidence), *_check_senders(evidence), *_check_failures(evidence)]


def _check_load(evidence: Evidence) -> Iterator[str]:
    offered, achieved = evidence.run_value("offered_rate"), evidence.run_value("achieved_rate")
    enough = sum(evidence.counts.values()) >= MIN_REQUESTS_FOR_RATE
    if offered and achieved and enough and achieved < (1 - MAX_RATE_SHORTFALL) * offered:
        cap = getattr(evidence.load, "cap", None)
        why = f"cap={cap} held requests back" if cap else "the senders could not keep up"
        yield (
            f"Offered {offered:.4g} requests a second, achieved {achieved:.4g},"
            f" {1 - achieved / offered:.1%} less: {why}."
        )
    load, busy = evidence.load, evidence.run_value("in_flight_mean")
    steady = evidence.window.kind == "steady" and isinstance(load, ClosedLoop) and not load.think_seconds
    if steady and isinstance(load, ClosedLoop) and busy is not None and busy < MIN_BUSY_USER_SHARE * load.users:
        yield (
            f"Of {load.users} users only {busy:.3g} waited for an answer on average:"
            " the senders lost time between requests."
        )


def _check_lateness(evidence: Evidence) -> Iterator[str]:
    late, latency = evidence.run_value("late_p99_s"), evidence.median_value("latency_s")
    if late is not None and latency is not None and late > max(MAX_LATE_SHARE * latency, MIN_LATE_SECONDS):
        yield (
            f"Requests were sent up to {late:.3g} s late (99th percentile), more than"
            f" {MAX_LATE_SHARE:.0%} of the median latency, {latency:.3g} s."
        )


def _check_senders(evidence: Evidence) -> Iterator[str]:
    health = evidence.health
    first = evidence.median_value("ttft_s")
    first = evidence.median_value("latency_s") if first is None else first
    allowed = max(
        MAX_LAG_SECONDS, MAX_LAG_IDLE_RATIO * (health.idle_lag_p99_s or 0.0), MAX_LAG_TTFT_SHARE * (first or 0.0)
    )
    if health.lag_p99_s is not None and health.lag_p99_s > allowed:
        yield (
            f"The senders' event loop lagged by {health.lag_p99_s:.3g} s (99th percentile), more"
            f" than {allowed:.3g} s: use more senders or a faster machine."
        )
    most = max(health.cpu_share, default=0.0)
    if most > MAX_CPU_SHARE:
        yield f"A sender used {most:.0%} of a core, more than {MAX_CPU_SHARE:.0%}: use more senders."


def _check_failures(evidence: Evidence) -> Iterator[str]:
    share = evidence.run_value("failed_share")
    if share is not None and share > MAX_FAILED_SHARE:
        yield f"{share:.1%} of the requests failed: the measures are those of the rest."
    lost = evidence.slow_cancelled / sum(evidence.counts.values())
    if lost > MAX_SLOW_CANCELLED_SHARE:
        yield (
            f"{lost:.1%} of the requests were cancelled after a longer wait than 95% of the answers"
            " took: the measures leave out the slowest."
        )


def collect_notes(evidence: Evidence) -> list[str]:
    """Sentences, none if there is nothing to add."""
    return [*_load_notes(evidence), *_data_notes(evidence)]


def _load_notes(evidence: Evidence) -> Iterator[str]:
    if evidence.window.not_steady_reason:
        yield f"No steady window, so all is measured: {evidence.window.not_steady_reason}."
    if evidence.saturated:
        yield "More was asked than could be answered: latencies grow for as long as it goes on."
    if evidence.health.stopped:
        yield f"Stopped before its plan ended: {evidence.health.stopped}."
    if evidence.health.late_count:
        yield f"{evidence.health.late_count} requests were more than a second late."
    cap, most = getattr(evidence.load, "cap", None), evidence.run_value("in_flight_max")
    if cap and most is not None and most >= cap:
        yield f"The limit of {cap} in flight was reached: the wait for it is in queue_s."


def _data_notes(evidence: Evidence) -> Iterator[str]:
    if evidence.counts["cancelled"]:
        yield f"{evidence.counts['cancelled']} requests were cancelled; they are in no measure."
    if evidence.repeats["repeated"]:
        yield (
            f"{evidence.repeats['repeated']} of {evidence.repeats['requests']} requests repeat an"
            " earlier one: a server may have remembered the answer."
        )
    told, unknown = (evidence.measures["ntpot_s"][name] for name in ("n", "undefined"))
    if told and unknown and evidence.run_value("tok_out_s") is None:
        yield f"The server did not tell the tokens of {unknown} answers, so their sum is unknown."
