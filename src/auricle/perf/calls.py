"""What a load test measures of live calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from auricle.core.calls import CallRecording
from auricle.core.types import Call, Output
from auricle.media import Audio
from auricle.tasks.calls.metrics.turns import list_exchanges, list_overlaps


def prepare_call(call: Call, rate: int) -> Call:
    """Return a call that needs no files while it goes on, and whose audio is not kept.

    Args:
        call: What the caller does.
        rate: Sample rate that the model takes.
    """
    steps = tuple(
        replace(step, audio=tuple(part.load(rate) if isinstance(part, Audio) else part for part in step.audio))
        for step in call.steps
    )
    return replace(call, steps=steps, keep_audio=False)


def measure_call(output: Output | None) -> dict[str, Any]:
    """Return the fields of a request record that only calls have."""
    if not isinstance(output, CallRecording):
        return {}
    exchanges = list_exchanges(output)
    latencies = [exchange.voice_to_voice for exchange in exchanges if exchange.voice_to_voice is not None]
    yields = [
        overlap.stop_seconds
        for overlap in list_overlaps(output)
        if overlap.turn.expects_response and overlap.stop_seconds is not None
    ]
    return {
        "voice_to_voice": tuple(latencies),
        "yields": tuple(yields),
        "turns": len(exchanges),
        "answered_turns": len(latencies),
        "pacing_p99": output.pacing.p99 if output.pacing else None,
        "pacing_max": output.pacing.max if output.pacing else None,
    }
