"""What metrics of calls share: values and counts of the events in a call, pooled over calls.

The statistic of a call has all of its values or counts, so that intervals are over calls: the events of one call are
not independent of each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from auricle.core.calls import CallRecording
from auricle.core.errors import Unsuited
from auricle.core.types import Generation, Output, Sample
from auricle.metrics.base import Array, Codes, Details, Metric, RatioAggregator, Stats
from auricle.metrics.scales import UNKNOWN, Scale

MERGE_SECONDS = 0.3
"""Pauses below this are part of the agent's speech; the signatures of metrics contain it."""
PLAYED = f"energy-merge-{MERGE_SECONDS}"
"""How the agent's speech is detected, for signatures."""

NEAR_OWN_END = "the agent would have ended within 1 s anyway"
AGENT_WAS_SILENT = "the agent was silent when the caller began"
CALL_DROPPED = "the agent dropped the call before that could be seen"
NOT_ANSWERED = "the turn was not answered"
NOT_REPORTED = "the model did not report what it is measured with"

CountLeftOut: TypeAlias = Callable[[CallRecording], Mapping[str, int]]
"""Counts, by reason, what of a call cannot be decided."""
ValueGroups: TypeAlias = Sequence[Sequence[float]]
"""The values of a call, in one or more groups."""


def require_recording(output: Output) -> CallRecording:
    """Return the recording of a call, which is the output or belongs to it.

    Raises:
        Unsuited: if it is none, or its speech was detected in another way.
    """
    recording = output.call if isinstance(output, Generation) else output
    if not isinstance(recording, CallRecording):
        raise Unsuited("needs the recording of a call, from a session model")
    if recording.merge_seconds != MERGE_SECONDS:
        raise Unsuited(f"needs speech joined across pauses below {MERGE_SECONDS} s, not {recording.merge_seconds} s")
    return recording


def _adapt_left_out(count: CountLeftOut | None) -> dict[str, Any]:
    """Return the field of a metric that counts what is left out of a call."""
    return {} if count is None else {"left_out": lambda sample, output: count(require_recording(output))}


# --- values, such as latencies ------------------------------------------------------------------


class PooledQuantile:
    """A quantile of the values of all calls; a plain function, because the jackknife is invalid for quantiles.

    Args:
        quantile: Between 0 and 1.
        groups: Names of the groups of values in a statistic.
        limits: Values for which the share above them is reported.
        digits: Decimals of the details.
        scale: Scale of the number, on which its interval is computed.

    Examples:
        >>> median = PooledQuantile(0.5, ("all",))
        >>> median([((0.5, 0.7),), ((0.9,),)])
        0.7
    """

    def __init__(
        self,
        quantile: float,
        groups: Sequence[str] = ("all",),
        limits: Sequence[float] = (),
        digits: int = 4,
        scale: Scale = UNKNOWN,
    ) -> None:
        self._quantile = quantile
        self._groups = tuple(groups)
        self._limits = tuple(limits)
        self._digits = digits
        self._scale = scale

    def __call__(self, stats: Stats) -> float:
        import numpy as np

        values = _pool(stats)
        return float(np.quantile(values, self._quantile)) if values else math.nan

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        return self._scale

    def details(self, stats: Stats) -> Details:
        groups = {name: _pool(stats, index) for index, name in enumerate(self._groups)}
        details = self._describe(_pool(stats))
        if len(groups) > 1:
            details |= {name: self._describe(values) for name, values in groups.items() if values}
        return details

    def _describe(self, values: list[float]) -> dict[str, Any]:
        import numpy as np

        numbers = {
            "mean": float(np.mean(values)),
            **{f"p{level}": float(np.quantile(values, level / 100)) for level in (50, 90, 95)},
            "min": min(values),
            "max": max(values),
            "negative": sum(value < 0 for value in values),
            **{f"above_{limit:g}": sum(value > limit for value in values) / len(values) for limit in self._limits},
        }
        return {"values": len(values)} | {name: round(number, self._digits) for name, number in numbers.items()}


def _pool(stats: Stats, group: int | None = None) -> list[float]:
    """Return the values of all calls, of one group or of all."""
    chosen = slice(None) if group is None else slice(group, group + 1)
    return [value for groups in stats for values in groups[chosen] for value in values]


def value_metric(
    name: str,
    title: str,
    list_values: Callable[[Sample, CallRecording], ValueGroups],
    *,
    aggregate: PooledQuantile | None = None,
    left_out: CountLeftOut | None = None,
    **fields: Any,
) -> Metric:
    """Make a metric of the median, or another quantile, of seconds that are measured several times in a call.

    Args:
        name: Name of the metric.
        title: Its title.
        list_values: Function that returns the values of a call in groups. A call without values is not scored.
        aggregate: [default: the median]
        left_out: Function that counts what has no value, by reason.
        fields: Further fields of the metric.
    """

    def score(sample: Sample, output: Output) -> ValueGroups | None:
        groups = tuple(tuple(values) for values in list_values(sample, require_recording(output)))
        return groups if any(groups) else None

    defaults: dict[str, Any] = {"higher_is_better": False, "unit": "s", **_adapt_left_out(left_out)}
    return Metric(name, score, aggregate or PooledQuantile(0.5), title=title, **{**defaults, **fields})


# --- counts, such as yields of all barge-ins ------------------------------------------------------


def count_metric(
    name: str,
    title: str,
    count: Callable[[Sample, CallRecording], Sequence[float] | None],
    columns: Sequence[str],
    *,
    is_share: bool = True,
    left_out: CountLeftOut | None = None,
    **fields: Any,
) -> Metric:
    """Make a metric of a pooled ratio: the sum of the first count of each call over the sum of the second.

    Args:
        name: Name of the metric.
        title: Its title.
        count: Function that returns the counts or seconds of a call, in the order of `columns`; None, or a
            denominator of zero, if the metric does not apply to the call.
        columns: Names of the counts in the details.
        is_share: Whether the ratio is between 0 and 1.
        left_out: Function that counts what is not in the denominator, by reason.
        fields: Further fields of the metric.
    """

    def score(sample: Sample, output: Output) -> tuple[float, ...] | None:
        counts = count(sample, require_recording(output))
        return tuple(float(number) for number in counts) if counts is not None and counts[1] else None

    def details(totals: Array) -> Details:
        return {column: _simplify(total) for column, total in zip(columns, totals.tolist(), strict=False)}

    aggregate = RatioAggregator(details=details, is_share=is_share)
    return Metric(
        name,
        score,
        aggregate,
        title=title,
        **{"unit": "share" if is_share else "", **_adapt_left_out(left_out), **fields},
    )


def _simplify(number: float) -> float:
    return int(number) if number.is_integer() else round(number, 4)
