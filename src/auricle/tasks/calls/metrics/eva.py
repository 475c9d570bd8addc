"""EVA's turn-taking score: each turn gets a score from 0 to 1, and a conversation their mean."""

from __future__ import annotations

from auricle.core.calls import CallRecording, Span
from auricle.core.types import Output, Sample
from auricle.metrics.base import Metric, constant_bounds, mean
from auricle.metrics.pooling import PLAYED, require_recording
from auricle.tasks.calls.metrics.turns import Exchange, intersect, list_exchanges

EARLIEST, EARLY = -0.5, 0.5
"""Latencies in seconds with the score 0, and from which on it is 1."""
LATE, LATEST = 2.0, 3.5
"""Latencies up to which the score is 1, and from which on it is 0."""
LATE_WITH_TOOL, LATEST_WITH_TOOL = 3.0, 5.0
WORST_OVERLAP = 2.0
"""Seconds of overlap, or until the agent yields, with the score 0."""


def score_latency(latency: float, has_tool_call: bool = False) -> float:
    """Return the score of a latency: it rises from -0.5 to 0.5 s, and falls from 2 to 3.5 s.

    >>> [score_latency(latency) for latency in (-1, 0, 1, 2.75, 4)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    late, latest = (LATE_WITH_TOOL, LATEST_WITH_TOOL) if has_tool_call else (LATE, LATEST)
    rising, falling = (latency - EARLIEST) / (EARLY - EARLIEST), (latest - latency) / (latest - late)
    return max(0.0, min(1.0, rising, falling))


def score_turn(exchange: Exchange, recording: CallRecording, until: float) -> float | None:
    """Return the score of one turn; None if the agent did not answer it.

    Args:
        exchange: The turn and its answer.
        recording: The call.
        until: When the next turn begins.
    """
    turn = exchange.turn
    if exchange.answer is None or exchange.voice_to_voice is None:
        return None
    interrupted = next((span for span in recording.agent if span.start < turn.start < span.end), None)
    intrusions = [span for span in recording.agent if turn.start < span.start < turn.end]
    scores = []
    if interrupted:
        scores.append(max(0.0, 1.0 - (interrupted.end - turn.start) / WORST_OVERLAP))
    if intrusions:
        overlap = intersect([(turn.start, turn.end)], [(span.start, span.end) for span in intrusions])
        scores.append(max(0.0, 0.5 * (1.0 - overlap / WORST_OVERLAP)))
        scores.append(max(0.0, 0.5 * (1.0 - (len(intrusions) - 1) / 2)))
        scores.append(score_latency(_gap_after(exchange, recording.agent, until), exchange.has_tool_call))
    return min(scores) if scores else score_latency(exchange.voice_to_voice, exchange.has_tool_call)


def _gap_after(exchange: Exchange, agent: tuple[Span, ...], until: float) -> float:
    """Return how long after the end of a turn the agent begins again; negative if it only goes on speaking."""
    following = [span.start for span in agent if exchange.turn.end <= span.start < until]
    assert exchange.voice_to_voice is not None
    return following[0] - exchange.turn.end if following else exchange.voice_to_voice


def _score(sample: Sample, output: Output) -> float | None:
    recording = require_recording(output)
    exchanges = list_exchanges(recording)
    if recording.is_dropped:
        return 0.0
    if not exchanges:
        return None
    if exchanges[-1].answer is None:
        return 0.0
    ends = [*(exchange.turn.start for exchange in exchanges[1:]), recording.seconds]
    scores = [score_turn(exchange, recording, end) for exchange, end in zip(exchanges, ends, strict=True)]
    answered = [score for score in scores if score is not None]
    return sum(answered) / len(answered)


eva_turn_taking = Metric(
    "eva_turn_taking",
    _score,
    mean,
    title="EVA turn taking",
    variant=f"mean-of-turns.{PLAYED}",
    bounds=constant_bounds((0.0, 1.0)),
)
