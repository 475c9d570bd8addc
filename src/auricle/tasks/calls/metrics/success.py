"""Whether an agent did what was expected of it: tool calls, facts, and the whole task, once and in every repetition."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from auricle.core.calls import CallRecording, EventKind
from auricle.core.errors import Unreadable
from auricle.core.heard_speech import join_heard
from auricle.core.types import Output, Sample
from auricle.metrics.base import (
    Array,
    Details,
    Metric,
    Stats,
    WeightedAggregate,
    WeightedAggregator,
    constant_bounds,
    divide,
    mean,
)
from auricle.metrics.pooling import count_metric, require_recording
from auricle.metrics.scales import SHARE
from auricle.tasks.asr.error_rates import contains_words
from auricle.tasks.calls.expectations import Expectation, parse_expectations
from auricle.text import get_profile

FACT_KINDS = ("contains", "not_contains", "matches")
TOOL_KINDS = ("tool", "no_tool")
CONVERSATION_FIELD = "conversation"
"""Metadata field with the id of a conversation, which its repetitions share."""
REPEAT_FIELD = "repeat"


def select_expectations(sample: Sample, kinds: Sequence[str]) -> list[Expectation]:
    """Return what is expected of a call, as far as it is of these kinds."""
    return [expectation for expectation in parse_expectations(sample.target) if expectation.kind in kinds]


# --- whether the call took place ----------------------------------------------------------------


def _count_completed(sample: Sample, recording: CallRecording) -> Sequence[float]:
    drops = recording.earlier_drops
    return (
        not recording.is_dropped,
        1 + drops,
        recording.is_dropped + drops,
        drops,
        recording.finish == "agent",
        recording.finish == "limit",
    )


call_completion = count_metric(
    "call_completion",
    "Calls not dropped",
    _count_completed,
    ("not_dropped", "calls", "dropped", "dropped_and_called_again", "ended_by_agent", "at_time_limit"),
    variant="not-dropped",
)


# --- tool calls ---------------------------------------------------------------------------------


def match_tool_calls(expected: Sequence[Expectation], calls: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """Return the index of the call that meets each expectation, or None; a call meets at most one.

    A call may have more arguments than are expected. Texts are compared without regard to case and surrounding blanks.
    """
    matches: list[int | None] = [None] * len(expected)
    # Expectations with many arguments first, so that those without do not take the calls that others need.
    for index in sorted(range(len(expected)), key=lambda index: -len(expected[index].arguments)):
        free = (position for position in range(len(calls)) if position not in matches)
        matches[index] = next((position for position in free if _meets(expected[index], calls[position])), None)
    return matches


def _meets(expected: Expectation, call: Mapping[str, Any]) -> bool:
    arguments = call.get("arguments")
    actual = arguments if isinstance(arguments, Mapping) else {}
    return call.get("name") == expected.tool and all(
        name in actual and _simplify(actual[name]) == _simplify(value) for name, value in expected.arguments.items()
    )


def _simplify(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip().casefold()
    if isinstance(value, Mapping):
        return {name: _simplify(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_simplify(item) for item in value]
    return (type(value), value) if isinstance(value, bool) else value  # 1 is not true


def _count_tool_calls(sample: Sample, recording: CallRecording) -> Sequence[float]:
    calls = recording.tool_calls
    expected, forbidden = select_expectations(sample, ("tool",)), select_expectations(sample, ("no_tool",))
    matches = match_tool_calls(expected, calls)
    matched = sum(match is not None for match in matches)
    names = {call.get("name") for call in calls}
    avoided = sum(not any(_meets(expectation, call) for call in calls) for expectation in forbidden)
    if recording.is_dropped:  # the agent did not come to where it might have called them
        avoided = 0
    return (
        matched + avoided,
        len(expected) + len(forbidden),
        sum(expectation.tool in names for expectation in expected) - matched,
        len(calls),
        len(calls) - matched,
    )


tool_calls = count_metric(
    "tool_calls",
    "Tool calls",
    _count_tool_calls,
    ("met", "expected", "called_with_other_arguments", "calls", "calls_not_expected"),
    variant="name-and-expected-arguments.casefold",
)


# --- facts --------------------------------------------------------------------------------------


def require_transcript(recording: CallRecording) -> None:
    """Check that what the agent spoke is known.

    Raises:
        Unreadable: if it is not.
    """
    if recording.agent and not recording.select(EventKind.TRANSCRIPT):
        raise Unreadable("the model returned no transcript of its speech")


def _meets_fact(expectation: Expectation, recording: CallRecording) -> bool:
    if recording.is_dropped and (expectation.kind == "not_contains" or not recording.text):
        return False
    require_transcript(recording)
    return _is_true_of(expectation, join_heard(recording))


def _is_true_of(expectation: Expectation, text: str) -> bool:
    if expectation.kind == "matches":
        return any(re.search(pattern, text, re.IGNORECASE) for pattern in expectation.texts)
    normalise = get_profile("basic")
    transcript = normalise(text)
    is_contained = any(contains_words(normalise(text), transcript) for text in expectation.texts)
    return is_contained is (expectation.kind == "contains")


def _count_facts(sample: Sample, recording: CallRecording) -> Sequence[float]:
    expectations = select_expectations(sample, FACT_KINDS)
    met = sum(_meets_fact(expectation, recording) for expectation in expectations)
    return met, len(expectations), sum(_is_true_of(expectation, recording.text) for expectation in expectations)


facts = count_metric(
    "facts",
    "Facts",
    _count_facts,
    ("met", "expected", "met_by_what_was_spoken"),
    variant=f"heard.{get_profile('basic').signature}",
)


# --- the whole task -----------------------------------------------------------------------------


def succeeds(sample: Sample, recording: CallRecording) -> bool | None:
    """Return whether all expectations are met that can be checked by a rule; None if there are none."""
    if not select_expectations(sample, (*FACT_KINDS, *TOOL_KINDS)):
        return None
    if recording.is_dropped:
        return False
    met, expected = _count_facts(sample, recording)[:2]
    met_tools, expected_tools = _count_tool_calls(sample, recording)[:2]
    return met == expected and met_tools == expected_tools


def _score_success(sample: Sample, output: Output) -> float | None:
    success = succeeds(sample, require_recording(output))
    return None if success is None else float(success)


task_success = Metric(
    "task_success",
    _score_success,
    mean,
    title="Task success",
    variant="all-rules",
    bounds=constant_bounds((0.0, 1.0)),
    unit="share",
    credit=float,
)


class PassHatK(WeightedAggregator):
    """The probability that k repetitions of a conversation all succeed, averaged over conversations (pass^k).

    A conversation with c successes in n repetitions has the unbiased estimate C(c, k) / C(n, k). Those with fewer than
    k repetitions are left out.

    Args:
        k: Number of repetitions.

    Examples:
        >>> stats = [("a", "a.1", 1.0), ("a", "a.2", 1.0), ("b", "b.1", 1.0), ("b", "b.2", 0.0)]
        >>> PassHatK(2)(stats)
        0.5
    """

    scale = SHARE

    def __init__(self, k: int) -> None:
        self._k = k

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        conversations: dict[str, list[int]] = {}
        for index, (conversation, _, _) in enumerate(stats):
            conversations.setdefault(conversation, []).append(index)
        groups = [np.array(indices) for indices in conversations.values()]
        successes = np.array([success for _, _, success in stats], dtype=np.float64)

        def aggregate(weights: Array) -> float:
            total = weight_sum = 0.0
            for indices in groups:
                present = indices[weights[indices] > 0]
                if len(present) >= self._k:
                    weight = float(weights[present].mean())
                    total += weight * estimate_pass_hat_k(len(present), int(successes[present].sum()), self._k)
                    weight_sum += weight
            return divide(total, weight_sum)

        return aggregate

    def details(self, stats: Stats) -> Details:
        counts: dict[str, int] = {}
        for conversation, _, _ in stats:
            counts[conversation] = counts.get(conversation, 0) + 1
        curve = {f"pass^{k}": PassHatK(k)(stats) for k in range(1, min(counts.values()) + 1)}
        return {"conversations": len(counts), "fewest_repeats": min(counts.values()), **curve}


def estimate_pass_hat_k(repeats: int, successes: int, k: int) -> float:
    """Estimate the probability that k repetitions all succeed, without bias.

    >>> estimate_pass_hat_k(4, 3, 2)
    0.5
    """
    return math.comb(successes, k) / math.comb(repeats, k)


def _pass_hat_k_metric(k: int) -> Metric:
    def score(sample: Sample, output: Output) -> tuple[str, str, float] | None:
        success = succeeds(sample, require_recording(output))
        if success is None or REPEAT_FIELD not in sample.meta:
            return None
        return str(sample.meta.get(CONVERSATION_FIELD, sample.id)), sample.id, float(success)

    return Metric(
        f"task_success_pass{k}",
        score,
        PassHatK(k),
        title=f"Task success pass^{k}",
        variant="all-rules.unbiased",
        unit="share",
        credit=lambda stat: float(stat[2]),
    )


task_success_pass2, task_success_pass3, task_success_pass4, task_success_pass5 = map(_pass_hat_k_metric, range(2, 6))
