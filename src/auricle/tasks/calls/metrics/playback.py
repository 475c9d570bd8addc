"""What the caller's player played: gaps in the agent's speech, and what the model believes was heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auricle.core.calls import CallRecording, EventKind
from auricle.core.types import Sample
from auricle.metrics.pooling import NOT_REPORTED, PLAYED, count_metric

HONEST_SECONDS = 0.1
"""A belief that differs by less from what was played counts as right in the details."""


def _measure_underruns(sample: Sample, recording: CallRecording) -> Sequence[float] | None:
    if not recording.select(EventKind.RESPONSE_DONE):
        return None  # without ends of responses, a gap between two may be meant
    gaps = [event.seconds or 0.0 for event in recording.select(EventKind.UNDERRUN)]
    minutes = sum(span.seconds for span in recording.agent) / 60
    return sum(gaps), minutes, len(gaps)


def _lacks_ends(recording: CallRecording) -> Mapping[str, int]:
    return {NOT_REPORTED: int(bool(recording.agent) and not recording.select(EventKind.RESPONSE_DONE))}


underruns = count_metric(
    "underruns",
    "Underruns, seconds per minute",
    _measure_underruns,
    ("seconds", "minutes_of_speech", "underruns"),
    is_share=False,
    higher_is_better=False,
    unit="points",
    variant=f"per-minute-of-agent-speech.{PLAYED}",
    left_out=_lacks_ends,
)


def _list_truncations(recording: CallRecording) -> tuple[list[float], int]:
    """Return the errors of what the model acknowledged, and the number of items that it did not acknowledge."""
    beliefs = {event.item: event.seconds for event in recording.select(EventKind.TRUNCATED)}
    errors, unknown = [], 0
    for flush in recording.select(EventKind.PLAYBACK_FLUSHED):
        belief = beliefs.get(flush.item)
        if belief is None or flush.seconds is None:
            unknown += 1
        else:
            errors.append(belief - flush.seconds)
    return errors, unknown


def _measure_truncations(sample: Sample, recording: CallRecording) -> Sequence[float]:
    errors, unknown = _list_truncations(recording)
    honest = sum(abs(error) <= HONEST_SECONDS for error in errors)
    return sum(map(abs, errors)), len(errors), honest, sum(errors), unknown


def _count_not_acknowledged(recording: CallRecording) -> Mapping[str, int]:
    return {"the model did not acknowledge what was played": int(_list_truncations(recording)[1])}


truncation_error = count_metric(
    "truncation_error",
    "Truncation error",
    _measure_truncations,
    ("absolute_seconds", "truncations", f"within_{HONEST_SECONDS:g}s", "believed_more_seconds", "not_acknowledged"),
    is_share=False,
    higher_is_better=False,
    unit="s",
    variant="acknowledged-minus-played",
    left_out=_count_not_acknowledged,
)
