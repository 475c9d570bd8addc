"""How long a caller waits for the agent, between two moments that the name and the signature of each metric state.

Only turns that are answered have latencies; `response_rate` has the others. Negative latencies, of agents that began
before the caller had ended, are kept. Turns with a tool call before the answer form a group in the details.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from auricle.core.calls import CallRecording
from auricle.core.types import Sample
from auricle.metrics.base import Metric
from auricle.metrics.pooling import NOT_ANSWERED, NOT_REPORTED, PLAYED, PooledQuantile, ValueGroups, value_metric
from auricle.tasks.calls.metrics.turns import Exchange, list_exchanges

NOTICEABLE_LATENCIES = (0.8, 1.5, 3.0)
"""Seconds of voice-to-voice latency; the share of longer ones is reported."""
GROUPS = ("without_tool_call", "with_tool_call")
VOICE_TO_VOICE = f"last-audible-sent.first-audible-played.{PLAYED}"


def _latency_metric(
    name: str,
    title: str,
    measure: Callable[[Exchange], float | None],
    variant: str,
    quantile: float = 0.5,
    limits: Sequence[float] = (),
    **fields: Any,
) -> Metric:
    """Make a metric of a quantile of one latency per answered turn."""

    def list_values(sample: Sample, recording: CallRecording) -> ValueGroups:
        exchanges = list_exchanges(recording)
        groups = [[item for item in exchanges if item.has_tool_call is has_call] for has_call in (False, True)]
        return [[value for item in group if (value := measure(item)) is not None] for group in groups]

    def count_left_out(recording: CallRecording) -> Mapping[str, int]:
        missing = [item for item in list_exchanges(recording) if measure(item) is None]
        return Counter(NOT_REPORTED if item.answer else NOT_ANSWERED for item in missing)

    aggregate = PooledQuantile(quantile, GROUPS, limits)
    return value_metric(
        name, title, list_values, aggregate=aggregate, left_out=count_left_out, variant=variant, **fields
    )


def _first_byte(exchange: Exchange) -> float | None:
    return _subtract(exchange.first_audio_at, exchange.turn.end)


def _endpoint_delay(exchange: Exchange) -> float | None:
    return _subtract(exchange.endpoint_at, exchange.turn.end)


def _think_time(exchange: Exchange) -> float | None:
    return _subtract(exchange.first_audio_at, exchange.endpoint_at)


def _lead_silence(exchange: Exchange) -> float | None:
    return _subtract(exchange.answer.start if exchange.answer else None, exchange.playback_at)


def _subtract(end: float | None, start: float | None) -> float | None:
    return None if end is None or start is None else end - start


voice_to_voice = _latency_metric(
    "voice_to_voice",
    "Voice-to-voice latency",
    lambda exchange: exchange.voice_to_voice,
    VOICE_TO_VOICE,
    limits=NOTICEABLE_LATENCIES,
)
voice_to_voice_p95 = _latency_metric(
    "voice_to_voice_p95",
    "Voice-to-voice latency p95",
    lambda exchange: exchange.voice_to_voice,
    VOICE_TO_VOICE,
    quantile=0.95,
    limits=NOTICEABLE_LATENCIES,
)
first_byte_latency = _latency_metric(
    "first_byte_latency", "First-byte latency", _first_byte, "last-audible-sent.first-audio-received"
)
endpoint_delay = _latency_metric(
    "endpoint_delay", "Endpoint delay", _endpoint_delay, "last-audible-sent.speech-stopped-received"
)
think_time = _latency_metric("think_time", "Think time", _think_time, "speech-stopped-received.first-audio-received")
lead_silence = _latency_metric(
    "lead_silence", "Lead silence", _lead_silence, f"playback-start.first-audible-played.{PLAYED}"
)
