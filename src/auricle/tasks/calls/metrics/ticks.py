"""Calls as ticks of 0.2 seconds, as τ-voice records them: from a recording, or from τ-voice's own files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, TypeAlias

from auricle.core.calls import CallRecording, Span

TICK_SECONDS = 0.2
EffectKind: TypeAlias = Literal["vocal_tic", "non_directed_speech"]
EFFECT_BY_STEP: Mapping[str, EffectKind] = {"vocalise": "vocal_tic", "aside": "non_directed_speech"}


@dataclass(frozen=True, slots=True)
class Effect:
    """A sound of the caller that is not meant for the agent, such as a cough or a remark to another person."""

    kind: EffectKind
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tick:
    """Whether each side speaks during one tick."""

    caller: bool = False
    agent: bool = False
    is_backchannel: bool = False
    """Whether the caller's turn-taking action is a backchannel."""
    effects: frozenset[Effect] = frozenset()


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive ticks in which one side speaks."""

    start: int
    end: int
    """The first tick after it."""
    overlaps_at_start: bool
    """Whether the other side speaks in its first tick."""
    overlaps_at_end: bool
    """Whether the other side speaks in the first tick after it."""
    is_backchannel: bool = False
    effects: frozenset[EffectKind] = field(default_factory=frozenset)


def make_ticks(recording: CallRecording) -> list[Tick]:
    """Divide a call into ticks; a side speaks in a tick if any of its speech is in it.

    Coughs, hums and remarks to other people are effects outside the caller's speech. Noise is left out.
    """
    ticks = [Tick()] * math.ceil(recording.seconds / TICK_SECONDS - 1e-9)
    for span in recording.caller:
        effect = EFFECT_BY_STEP.get(span.kind)
        for index in _cover(span, len(ticks)):
            tick = ticks[index]
            if effect is not None:
                effects = tick.effects | {Effect(effect, span.text)}
                ticks[index] = Tick(tick.caller, tick.agent, tick.is_backchannel, effects)
            elif span.kind != "noise":
                ticks[index] = Tick(True, tick.agent, span.kind == "backchannel", tick.effects)
    for span in recording.agent:
        for index in _cover(span, len(ticks)):
            tick = ticks[index]
            ticks[index] = Tick(tick.caller, True, tick.is_backchannel, tick.effects)
    return ticks


def _cover(span: Span, count: int) -> range:
    """Return the ticks that a span is in, not counting what is only a rounding error."""
    first, last = math.floor(span.start / TICK_SECONDS + 1e-9), math.ceil(span.end / TICK_SECONDS - 1e-9)
    return range(max(0, first), min(count, last))


def parse_tau_ticks(simulation: Mapping[str, Any]) -> list[Tick]:
    """Read the ticks of a τ-voice simulation, as its JSON files have them."""
    return [_parse_tick(tick.get("user_chunk") or {}, tick.get("agent_chunk") or {}) for tick in simulation["ticks"]]


def _parse_tick(caller: Mapping[str, Any], agent: Mapping[str, Any]) -> Tick:
    action = (caller.get("turn_taking_action") or {}).get("action")
    sources = (caller.get("source_effects") or {}, caller.get("speech_effects") or {})
    inserts = [source["speech_insert"] for source in sources if source.get("speech_insert")]
    return Tick(
        caller=bool(caller.get("contains_speech")),
        agent=bool(agent.get("contains_speech")),
        is_backchannel=action == "backchannel",
        effects=frozenset(map(_parse_effect, inserts)),
    )


def _parse_effect(insert: Mapping[str, Any]) -> Effect:
    is_tic = insert.get("type", "vocal_tic") == "vocal_tic"
    return Effect("vocal_tic" if is_tic else "non_directed_speech", insert.get("text") or "")


# --- segments -----------------------------------------------------------------------------------


def drop_last_word(ticks: Sequence[Tick]) -> Sequence[Tick]:
    """Leave out a last tick in which the caller begins to speak: τ-voice's callers end a call with such a tick."""
    return ticks[:-1] if len(ticks) > 1 and ticks[-1].caller and not ticks[-2].caller else ticks


def list_caller_segments(ticks: Sequence[Tick]) -> list[Segment]:
    return [
        Segment(
            start,
            end,
            overlaps_at_start=ticks[start].agent,
            overlaps_at_end=end < len(ticks) and ticks[end].agent,
            is_backchannel=ticks[start].is_backchannel,
            effects=frozenset(effect.kind for tick in ticks[start:end] for effect in tick.effects),
        )
        for start, end in _list_runs(tick.caller for tick in ticks)
    ]


def list_agent_segments(ticks: Sequence[Tick]) -> list[Segment]:
    return [
        Segment(start, end, ticks[start].caller, end < len(ticks) and ticks[end].caller)
        for start, end in _list_runs(tick.agent for tick in ticks)
    ]


def list_effects_outside_speech(ticks: Sequence[Tick]) -> list[tuple[EffectKind, int, int]]:
    """Return the kind, first tick and end of the effects in ticks without speech of the caller."""
    active = [frozenset() if tick.caller else tick.effects for tick in ticks]
    effects = {effect for tick_effects in active for effect in tick_effects}
    runs = ((effect.kind, *run) for effect in effects for run in _list_runs(effect in now for now in active))
    return sorted(runs, key=lambda run: run[1])


def _list_runs(flags: Iterable[bool]) -> Iterator[tuple[int, int]]:
    """Yield start and end of all runs of true values."""
    for is_set, group in groupby(enumerate(flags), key=lambda item: item[1]):
        indices = [index for index, _ in group]
        if is_set:
            yield indices[0], indices[-1] + 1
