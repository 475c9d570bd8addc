"""Small simulations in the format of τ-voice."""

from __future__ import annotations

from typing import Any

INSERTS = {"t": "vocal_tic", "T": "vocal_tic", "n": "non_directed"}


def make_simulation(caller: str, agent: str, **fields: Any) -> dict[str, Any]:
    """Return a simulation with a tick per character.

    Args:
        caller: `x` for speech, `b` for a backchannel, `t` or `n` for a vocal tic or speech to others outside the
            caller's speech, `T` for a vocal tic in it, `.` for silence.
        agent: `x` for speech, `.` for silence.
        fields: Further fields of the simulation.
    """
    ticks = [
        {"tick_id": index, "user_chunk": _make_chunk(mark), "agent_chunk": {"contains_speech": other == "x"}}
        for index, (mark, other) in enumerate(zip(caller, agent, strict=True))
    ]
    return {"task_id": "7", "trial": 0, "termination_reason": "user_stop", "ticks": ticks, **fields}


def _make_chunk(mark: str) -> dict[str, Any]:
    insert = {"type": INSERTS[mark], "text": "um"} if mark in INSERTS else None
    return {
        "contains_speech": mark in "xbT",
        "turn_taking_action": {"action": "backchannel" if mark == "b" else "wait"},
        "source_effects": {"speech_insert": insert},
        "speech_effects": None,
    }
