"""Latencies of calls whose times are known."""

import pytest

from auricle import Generation, Metric, Sample
from auricle.core.calls import CallRecording, Event, EventKind, Span
from auricle.core.errors import Unsuited
from auricle.tasks.calls.metrics import latency
from tests.tasks.calls.metrics.recordings import agent, caller, happens, record

SAMPLE = Sample(id="1", inputs={})


def make_call(*delays: float, tool: bool = False) -> CallRecording:
    """Record a turn per voice-to-voice latency; the endpoint takes 0.5 s, and answers begin with 0.1 s of silence."""
    parts: list[Span | Event] = []
    for index, delay in enumerate(delays):
        end, item = 10.0 * index + 2.0, f"answer-{index}"
        parts += [
            caller(end - 1.0, end, step=index),
            happens(end + 0.5, EventKind.SPEECH_STOPPED),
            *([happens(end + 0.55, EventKind.TOOL_CALL, data={"name": "look_up"})] if tool else []),
            happens(end + delay - 0.1, EventKind.AUDIO, item=item, seconds=1.1),
            happens(end + delay - 0.1, EventKind.PLAYBACK_STARTED, item=item),
            agent(end + delay, end + delay + 1.0),
        ]
    return record(*parts, seconds=10.0 * len(delays))


def compute(metric: Metric, *recordings: CallRecording) -> float:
    return metric.aggregate([metric.score(SAMPLE, recording) for recording in recordings])


def test_each_metric_measures_between_its_two_anchors() -> None:
    recording = make_call(0.9)
    numbers = {
        metric.name: compute(metric, recording)
        for metric in (
            latency.voice_to_voice,
            latency.first_byte_latency,
            latency.endpoint_delay,
            latency.think_time,
            latency.lead_silence,
        )
    }
    assert numbers == pytest.approx(
        {
            "voice_to_voice": 0.9,
            "first_byte_latency": 0.8,
            "endpoint_delay": 0.5,
            "think_time": 0.3,
            "lead_silence": 0.1,
        }
    )


def test_anchors_are_part_of_the_signature() -> None:
    assert "last-audible-sent.first-audible-played" in latency.voice_to_voice.signature
    assert "last-audible-sent.first-audio-received" in latency.first_byte_latency.signature


def test_quantiles_are_over_the_turns_of_all_calls() -> None:
    calls = make_call(0.7, 0.9, 1.1), make_call(5.0)
    assert compute(latency.voice_to_voice, *calls) == pytest.approx(1.0)
    assert compute(latency.voice_to_voice_p95, *calls) == pytest.approx(1.1 + 0.85 * 3.9)


def test_details_have_the_shares_above_noticeable_latencies_and_turns_with_tools_apart() -> None:
    metric = latency.voice_to_voice
    stats = [metric.score(SAMPLE, make_call(0.7, 0.9)), metric.score(SAMPLE, make_call(2.0, tool=True))]
    details = metric.details(stats)
    assert (details["above_0.8"], details["above_1.5"], details["above_3"]) == (0.6667, 0.3333, 0.0)
    assert details["without_tool_call"]["p50"] == pytest.approx(0.8)
    assert details["with_tool_call"]["values"] == 1


def test_negative_latencies_are_kept() -> None:
    recording = record(caller(0, 3), agent(0.5, 4.5))
    assert compute(latency.voice_to_voice, recording) == pytest.approx(-2.5)


def test_turns_without_answer_have_no_latency_rather_than_zero() -> None:
    assert latency.voice_to_voice.score(SAMPLE, record(caller(0, 1))) is None
    both = record(caller(0, 1, step=0), agent(2, 3), caller(10, 11, step=1))
    assert compute(latency.voice_to_voice, both) == pytest.approx(1.0)


def test_a_model_without_stop_events_has_no_endpoint_delay() -> None:
    recording = record(caller(0, 1), agent(2, 3))
    assert latency.endpoint_delay.score(SAMPLE, recording) is None
    assert latency.think_time.score(SAMPLE, recording) is None


def test_text_outputs_are_unsuited() -> None:
    with pytest.raises(Unsuited, match="recording of a call"):
        latency.voice_to_voice.score(SAMPLE, Generation(text="hello"))


def test_recordings_with_speech_joined_in_another_way_are_unsuited() -> None:
    with pytest.raises(Unsuited, match=r"below 0\.3 s, not 0\.6 s"):
        latency.voice_to_voice.score(SAMPLE, record(caller(0, 1), agent(2, 3), merge_seconds=0.6))
