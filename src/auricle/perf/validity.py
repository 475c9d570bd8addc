"""Whether a load point was measured well enough to be believed, and if not, why.

reasons(evidence) -> list[str]      what makes it invalid
notes(evidence) -> list[str]        what a reader should know besides
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from auricle.perf.health import Health
from auricle.perf.loads import Closed, Load
from auricle.perf.windows import Window

SHORTFALL = 0.02
"""Of the offered rate may be missing."""
LATE = 0.05
"""Of the median latency may requests be late, at the 99th percentile."""
LATE_FLOOR_S = 0.001  # no timer is better
LAG_S, LAG_IDLE, LAG_TTFT = 0.005, 3.0, 0.1
"""The event loop may lag by the largest of these: seconds, times idle, of the median TTFT."""
CPU = 0.8
"""Of a core may a sender use."""
FAILED = 0.1
"""Of the requests may fail before those that did not say little."""
GIVEN_UP = 0.01
"""Of the requests may be cancelled after a long wait: they would be the slowest."""
IDLE = 0.8
"""Of the users at least must be waiting for an answer, if they do not think."""
FEW = 20
"""Requests below which a rate is too coarse to be compared."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a judgement needs."""

    load: Load
    health: Health
    window: Window
    run: Mapping[str, Mapping[str, Any]]
    measures: Mapping[str, Mapping[str, Any]]
    counts: Mapping[str, int]
    """Of measured requests in the window, by status."""
    repeats: Mapping[str, Any]
    given_up: int
    """Cancelled after a longer wait than nearly all answers took."""
    saturated: bool

    def of_run(self, name: str) -> float | None:
        found: float | None = self.run[name]["value"]
        return found

    def median(self, name: str) -> float | None:
        found: float | None = self.measures[name]["p50"]
        return found


def reasons(evidence: Evidence) -> list[str]:
    """Sentences, none if all is well."""
    if not evidence.counts["ok"]:
        return ["No measured request ended well."]
    return [*_load_missed(evidence), *_late(evidence), *_busy(evidence), *_failed(evidence)]


def _load_missed(evidence: Evidence) -> Iterator[str]:
    offered, achieved = evidence.of_run("offered_rate"), evidence.of_run("achieved_rate")
    enough = sum(evidence.counts.values()) >= FEW
    if offered and achieved and enough and achieved < (1 - SHORTFALL) * offered:
        cap = getattr(evidence.load, "cap", None)
        why = f"cap={cap} held requests back" if cap else "the senders could not keep up"
        yield (
            f"Offered {offered:.4g} requests a second, achieved {achieved:.4g},"
            f" {1 - achieved / offered:.1%} less: {why}."
        )
    load, busy = evidence.load, evidence.of_run("in_flight_mean")
    steady = evidence.window.kind == "steady" and isinstance(load, Closed) and not load.think
    if steady and isinstance(load, Closed) and busy is not None and busy < IDLE * load.users:
        yield (
            f"Of {load.users} users only {busy:.3g} waited for an answer on average:"
            " the senders lost time between requests."
        )


def _late(evidence: Evidence) -> Iterator[str]:
    late, latency = evidence.of_run("late_p99_s"), evidence.median("latency_s")
    if late is not None and latency is not None and late > max(LATE * latency, LATE_FLOOR_S):
        yield (
            f"Requests were sent up to {late:.3g} s late (99th percentile), more than"
            f" {LATE:.0%} of the median latency, {latency:.3g} s."
        )


def _busy(evidence: Evidence) -> Iterator[str]:
    health = evidence.health
    first = evidence.median("ttft_s")
    first = evidence.median("latency_s") if first is None else first
    allowed = max(LAG_S, LAG_IDLE * (health.idle_lag_p99_s or 0.0), LAG_TTFT * (first or 0.0))
    if health.lag_p99_s is not None and health.lag_p99_s > allowed:
        yield (
            f"The senders' event loop lagged by {health.lag_p99_s:.3g} s (99th percentile), more"
            f" than {allowed:.3g} s: use more senders or a faster machine."
        )
    most = max(health.cpu_share, default=0.0)
    if most > CPU:
        yield f"A sender used {most:.0%} of a core, more than {CPU:.0%}: use more senders."


def _failed(evidence: Evidence) -> Iterator[str]:
    share = evidence.of_run("failed_share")
    if share is not None and share > FAILED:
        yield f"{share:.1%} of the requests failed: the measures are those of the rest."
    lost = evidence.given_up / sum(evidence.counts.values())
    if lost > GIVEN_UP:
        yield (
            f"{lost:.1%} of the requests were cancelled after a longer wait than 95% of the answers"
            " took: the measures leave out the slowest."
        )


def notes(evidence: Evidence) -> list[str]:
    """Sentences, none if there is nothing to add."""
    return [*_about_load(evidence), *_about_data(evidence)]


def _about_load(evidence: Evidence) -> Iterator[str]:
    if evidence.window.refused:
        yield f"No steady window, so all is measured: {evidence.window.refused}."
    if evidence.saturated:
        yield "More was asked than could be answered: latencies grow for as long as it goes on."
    if evidence.health.stopped:
        yield f"Stopped before its plan ended: {evidence.health.stopped}."
    if evidence.health.late_count:
        yield f"{evidence.health.late_count} requests were more than a second late."
    cap, most = getattr(evidence.load, "cap", None), evidence.of_run("in_flight_max")
    if cap and most is not None and most >= cap:
        yield f"The limit of {cap} in flight was reached: the wait for it is in queue_s."


def _about_data(evidence: Evidence) -> Iterator[str]:
    if evidence.counts["cancelled"]:
        yield f"{evidence.counts['cancelled']} requests were cancelled; they are in no measure."
    if evidence.repeats["repeated"]:
        yield (
            f"{evidence.repeats['repeated']} of {evidence.repeats['requests']} requests repeat an"
            " earlier one: a server may have remembered the answer."
        )
    told, unknown = (evidence.measures["ntpot_s"][name] for name in ("n", "undefined"))
    if told and unknown and evidence.of_run("tok_out_s") is None:
        yield f"The server did not tell the tokens of {unknown} answers, so their sum is unknown."
