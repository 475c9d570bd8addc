"""Simulations of τ-voice as recordings of calls, exact to a tick."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, TypeAlias

from auricle.core.calls import CallRecording, Event, EventKind, Span
from auricle.tasks.calls.metrics.ticks import (
    EFFECT_BY_STEP,
    TICK_SECONDS,
    Segment,
    Tick,
    drop_last_word,
    list_agent_segments,
    list_caller_segments,
    parse_tau_ticks,
)

Finish: TypeAlias = Literal["completed", "limit", "agent"]
FINISH_BY_REASON: Mapping[str, Finish] = {"user_stop": "completed", "max_steps": "limit", "timeout": "limit"}
"""How a call ended, by τ-voice's `termination_reason`; other reasons are the agent's end or an error."""
STEP_BY_EFFECT = {effect: step for step, effect in EFFECT_BY_STEP.items()}


def make_recording(simulation: Mapping[str, Any], tick_seconds: float = TICK_SECONDS) -> CallRecording:
    """Return the recording of a simulation.

    A turn of the caller is an interruption if the agent speaks in its first tick and in the one before. A sound that
    τ-voice inserts is a span of its own, also where it overlaps the caller's speech. Speech is not joined across a
    silent tick, whose pause may be longer than `CallRecording.merge_seconds`, so that all ticks can be derived from the
    recording again.
    """
    rows, ticks = simulation["ticks"], drop_last_word(parse_tau_ticks(simulation))
    caller = [
        *(_make_caller_span(segment, ticks, rows, tick_seconds) for segment in list_caller_segments(ticks)),
        *_list_effect_spans(ticks, tick_seconds),
    ]
    agent = list_agent_segments(ticks)
    return CallRecording(
        events=tuple(_list_events(rows, agent, tick_seconds)),
        caller=tuple(sorted(caller, key=lambda span: span.start)),
        agent=tuple(
            Span(
                start=segment.start * tick_seconds,
                end=segment.end * tick_seconds,
                kind="agent",
                text=_join_text("agent_chunk", rows[segment.start : segment.end]),
            )
            for segment in agent
        ),
        seconds=len(ticks) * tick_seconds,
        finish=FINISH_BY_REASON.get(str(simulation.get("termination_reason")), "agent"),
    )


def _make_caller_span(
    segment: Segment, ticks: Sequence[Tick], rows: Sequence[Mapping[str, Any]], tick_seconds: float
) -> Span:
    is_interruption = segment.overlaps_at_start and segment.start > 0 and ticks[segment.start - 1].agent
    kind: Literal["interrupt", "say"] = "interrupt" if is_interruption else "say"
    return Span(
        start=segment.start * tick_seconds,
        end=segment.end * tick_seconds,
        kind="backchannel" if segment.is_backchannel else kind,
        text=_join_text("user_chunk", rows[segment.start : segment.end]),
    )


def _list_effect_spans(ticks: Sequence[Tick], tick_seconds: float) -> Iterator[Span]:
    for effect in {effect for tick in ticks for effect in tick.effects}:
        for is_active, group in groupby(range(len(ticks)), key=lambda index: effect in ticks[index].effects):
            indices = list(group)
            if is_active:
                yield Span(
                    start=indices[0] * tick_seconds,
                    end=(indices[-1] + 1) * tick_seconds,
                    kind="vocalise" if STEP_BY_EFFECT[effect.kind] == "vocalise" else "aside",
                    text=effect.text,
                )


def _list_events(rows: Sequence[Mapping[str, Any]], agent: Sequence[Segment], tick_seconds: float) -> Iterator[Event]:
    """Yield the agent's transcript and tool calls, at the end of their ticks."""
    items = {index: f"speech-{segment.start}" for segment in agent for index in range(segment.start, segment.end)}
    for index, row in enumerate(rows):
        at = (index + 1) * tick_seconds
        if text := _get_text("agent_chunk", row):
            item = items.get(index, "")
            yield Event(at=at, side="received", kind=EventKind.TRANSCRIPT, item=item, text=text)
        for call in row.get("agent_tool_calls") or ():
            data = {"call_id": call.get("id", ""), "name": call.get("name", ""), "arguments": call.get("arguments")}
            yield Event(at=at, side="received", kind=EventKind.TOOL_CALL, data=data)


def _get_text(side: str, row: Mapping[str, Any]) -> str:
    chunk = row.get(side) or {}
    return str(chunk.get("content") or "")


def _join_text(side: str, rows: Sequence[Mapping[str, Any]]) -> str:
    return " ".join("".join(_get_text(side, row) for row in rows).split())
