"""τ-voice's eight interaction metrics under their names, as its code computes them from ticks of 0.2 seconds.

They differ from Auricle's own on purpose, so that numbers can be compared with published ones; docs/voice-metrics.md
lists how.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from auricle.core.calls import CallRecording
from auricle.core.types import Sample
from auricle.metrics.base import Metric
from auricle.metrics.pooling import PLAYED, count_metric
from auricle.tasks.calls.metrics.ticks import (
    TICK_SECONDS,
    EffectKind,
    Segment,
    Tick,
    drop_last_word,
    list_agent_segments,
    list_caller_segments,
    list_effects_outside_speech,
    make_ticks,
)
from auricle.tasks.calls.metrics.turns import list_lost

YIELD_TICKS = int(2.0 / TICK_SECONDS)
"""An agent that is silent in any of so many ticks has yielded to an interruption."""
SELECTIVITY_TICKS = int(1.0 / TICK_SECONDS)
"""An agent that speaks in all of so many ticks has ignored a sound."""
RESPONSE_TICKS = int(2.0 / TICK_SECONDS)
"""An agent that begins up to so many ticks after a sound has responded to it."""


def count_tau_events(ticks: Sequence[Tick]) -> Counter[str]:
    """Count the events of a call from which the eight metrics are computed.

    Returns:
        Counts of `response`, `no_response`, `yield`, `no_yield` and `agent_interruption`, of `…_correct` and `…_error`
        for `backchannel`, `vocal_tic` and `non_directed_speech`, and the sums `response_ticks` and `yield_ticks`.
    """
    ticks = drop_last_word(ticks)
    caller, agent = list_caller_segments(ticks), list_agent_segments(ticks)
    counts: Counter[str] = Counter(
        "no_response" if gap is None else "response" for gap in _list_response_gaps(caller, agent)
    )
    for events in (_list_overlaps(caller, ticks), _list_silent_effects(caller, agent), _list_outside(ticks, agent)):
        counts.update(events)
    counts["response_ticks"] = sum(gap for gap in _list_response_gaps(caller, agent) if gap is not None)
    counts["yield_ticks"] = sum(gap for gap in _list_yields(caller, ticks) if gap is not None)
    counts["agent_interruption"] = sum(segment.overlaps_at_start for segment in agent)
    return counts


def _list_response_gaps(caller: Sequence[Segment], agent: Sequence[Segment]) -> Iterator[int | None]:
    """Yield the ticks until the response to each turn; None if the caller speaks again first."""
    eligible = [segment for segment in caller if not segment.is_backchannel and not segment.overlaps_at_end]
    for turn in eligible:
        answer = next((segment.start for segment in agent if segment.start >= turn.end), None)
        following = next((segment.start for segment in eligible if segment.start >= turn.end), None)
        if answer is not None and (following is None or answer <= following):
            yield answer - turn.end
        elif following is not None:
            yield None  # a last turn that nothing follows does not count


def _list_yields(caller: Sequence[Segment], ticks: Sequence[Tick]) -> Iterator[int | None]:
    """Yield the ticks until the agent yields to each interruption; None if it does not."""
    for segment in caller:
        if segment.overlaps_at_start and not segment.is_backchannel and not segment.effects:
            yield _find_silence(segment.start, YIELD_TICKS, ticks)


def _find_silence(start: int, window: int, ticks: Sequence[Tick]) -> int | None:
    """Return after how many ticks the agent is silent, within a window."""
    return next((index for index, tick in enumerate(ticks[start : start + window]) if not tick.agent), None)


def _list_overlaps(caller: Sequence[Segment], ticks: Sequence[Tick]) -> Iterator[str]:
    """Yield what happens when the caller begins while the agent speaks."""
    yield from ("no_yield" if gap is None else "yield" for gap in _list_yields(caller, ticks))
    for segment in caller:
        if segment.overlaps_at_start and (segment.is_backchannel or segment.effects):
            kind = "backchannel" if segment.is_backchannel else _choose_effect(segment)
            goes_on = _find_silence(segment.start, SELECTIVITY_TICKS, ticks) is None
            yield _name_outcome(kind, goes_on)


def _list_silent_effects(caller: Sequence[Segment], agent: Sequence[Segment]) -> Iterator[str]:
    """Yield whether the agent keeps silent after speech with an effect, which began while it was silent."""
    for segment in caller:
        if segment.effects and not segment.overlaps_at_start:
            yield _name_outcome(_choose_effect(segment), not _responds(segment.start, segment.end, agent))


def _list_outside(ticks: Sequence[Tick], agent: Sequence[Segment]) -> Iterator[str]:
    """Yield how the agent reacts to effects outside the caller's speech; if it goes on speaking, nothing counts."""
    for kind, start, end in list_effects_outside_speech(ticks):
        speaking = next((segment for segment in agent if segment.start <= start < segment.end), None)
        if speaking is None:
            yield _name_outcome(kind, not _responds(start, end, agent))
        elif speaking.end - start <= SELECTIVITY_TICKS:
            yield _name_outcome(kind, is_correct=False)


def _responds(start: int, end: int, agent: Sequence[Segment]) -> bool:
    return any(start <= segment.start <= end + RESPONSE_TICKS for segment in agent)


def _choose_effect(segment: Segment) -> EffectKind:
    return "vocal_tic" if "vocal_tic" in segment.effects else "non_directed_speech"


def _name_outcome(kind: str, is_correct: bool) -> str:
    return f"{kind}_correct" if is_correct else f"{kind}_error"


# --- metrics ------------------------------------------------------------------------------------


def _tau_metric(name: str, title: str, pick: Callable[[Counter[str]], Sequence[float]], **fields: Any) -> Metric:
    """Make a metric of the events of a call in ticks; `pick` returns its two numbers."""

    def count(sample: Sample, recording: CallRecording) -> Sequence[float]:
        counts = count_tau_events(make_ticks(recording))
        counts["lost"] = len(list_lost(recording, "say", "interrupt"))
        return pick(counts)

    columns = fields.pop("columns")
    variant = f"tau2-bench.ticks-{TICK_SECONDS}s.{PLAYED}"
    return count_metric(f"tau_{name}", title, count, columns, variant=variant, **fields)


def _selectivity_metric(name: str, title: str, kind: str) -> Metric:
    return _tau_metric(
        f"selectivity_{name}",
        title,
        lambda counts: (counts[f"{kind}_correct"], counts[f"{kind}_correct"] + counts[f"{kind}_error"]),
        columns=("correct", "events"),
    )


tau_response_latency_mean = _tau_metric(
    "response_latency_mean",
    "τ-voice L_R",
    lambda counts: (counts["response_ticks"] * TICK_SECONDS, counts["response"]),
    columns=("seconds", "responses"),
    is_share=False,
    higher_is_better=False,
    unit="s",
)
tau_yield_latency_mean = _tau_metric(
    "yield_latency_mean",
    "τ-voice L_Y",
    lambda counts: (counts["yield_ticks"] * TICK_SECONDS, counts["yield"]),
    columns=("seconds", "yields"),
    is_share=False,
    higher_is_better=False,
    unit="s",
)
tau_response_rate = _tau_metric(
    "response_rate",
    "τ-voice R_R",
    lambda counts: (counts["response"], counts["response"] + counts["no_response"] + counts["lost"]),
    columns=("responses", "turns"),
)
tau_yield_rate = _tau_metric(
    "yield_rate",
    "τ-voice R_Y",
    lambda counts: (counts["yield"], counts["yield"] + counts["no_yield"]),
    columns=("yields", "interruptions"),
)
tau_agent_interruption_rate = _tau_metric(
    "agent_interruption_rate",
    "τ-voice I_A",
    lambda counts: (counts["agent_interruption"], counts["response"] + counts["no_response"]),
    columns=("agent_interruptions", "turns"),
    is_share=False,
    higher_is_better=False,
)
tau_selectivity_backchannel = _selectivity_metric("backchannel", "τ-voice S_BC", "backchannel")
tau_selectivity_vocal_tic = _selectivity_metric("vocal_tic", "τ-voice S_VT", "vocal_tic")
tau_selectivity_non_directed = _selectivity_metric("non_directed", "τ-voice S_ND", "non_directed_speech")

tau_voice = (
    tau_response_latency_mean,
    tau_yield_latency_mean,
    tau_response_rate,
    tau_yield_rate,
    tau_agent_interruption_rate,
    tau_selectivity_backchannel,
    tau_selectivity_vocal_tic,
    tau_selectivity_non_directed,
)
"""All of these metrics, for `--add-metrics tau_voice`."""
