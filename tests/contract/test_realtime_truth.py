"""What is measured of a call equals what the server did, whose script is known; all calls take place at the same time.

Times may differ by 20 ms, by what both event loops were late, and by one frame where the server waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from auricle.core.calls import FRAME_SECONDS, EventKind, Step, Tool
from auricle.core.errors import Rejected, Transient
from auricle.core.types import Call
from auricle.tasks.calls.metrics.latency import (
    endpoint_delay,
    first_byte_latency,
    lead_silence,
    think_time,
    voice_to_voice,
)
from auricle.tasks.calls.metrics.playback import truncation_error, underruns
from auricle.tasks.calls.metrics.streaming import (
    finalisation_delay,
    first_partial_delay,
    normalised_erasure,
    unstable_partial_words,
    wer_at_0ms,
    wer_at_500ms,
    word_emission_delay,
    word_emission_recall,
)
from auricle.tasks.calls.metrics.turn_taking import (
    agent_interruption,
    barge_in_success,
    barge_in_yield,
    false_yield_backchannel,
    overlap_share,
    pause_handling,
    response_rate,
    stop_signal_delay,
    yield_latency,
)
from auricle.testing.fake_server.realtime.script import SESSION_FAULTS, RealtimeScript, ScriptedToolCall, TurnScript
from tests.support.scripted_calls import KEY, TOLERANCE, HeldCall, ScriptedCall, count, hold_calls, measure, say

pytestmark = pytest.mark.slow

BASE = TurnScript(
    stop_after=0.5,
    answer_after=0.3,
    lead_silence=0.1,
    answer="Good morning to you.",
    answer_seconds=0.6,
    transcript="hi",
)
LONG = replace(BASE, answer_seconds=3.4, yield_after=0.2)
SPOKEN = say(0.4)
INTERRUPT = say(0.3, kind="interrupt", start="agent_start", delay=0.8)
BACKCHANNEL = say(0.3, kind="backchannel", start="agent_start", delay=0.8)
WRONG = ("unknown_event", "missing_ids", "unknown_response", "odd_bytes", "invalid_json", "binary", "huge")
WORDS = (("please", 0.0, 0.3), ("call", 0.3, 0.5), ("me", 0.5, 0.8))
RECOGNISER = TurnScript(
    transcript="please call me",
    word_ends=(0.3, 0.5, 0.8),
    word_delay=0.3,
    stop_after=0.5,
    transcript_after=0.2,
    answer=None,
)


def converse(*steps: Step, turns: tuple[TurnScript, ...], protocol: str = "openai", **call: Any) -> ScriptedCall:
    options = {"keep_audio": False, "response_timeout": 1.5, **call}
    return ScriptedCall(RealtimeScript(turns=turns), Call(steps=steps, **options), protocol)


def transcribe(turn: TurnScript, protocol: str, *silence: float) -> ScriptedCall:
    return converse(say(0.8, *silence), turns=(turn,), protocol=protocol, mode="transcribe")


CALLS: Mapping[str, ScriptedCall] = {
    **{
        f"fixed {number}": converse(say(0.3 + 0.037 * number, delay=0.013 * number), turns=(BASE,))
        for number in range(8)
    },
    "silent tail": converse(say(0.4, silence=0.5), turns=(BASE,)),
    "beta": converse(SPOKEN, turns=(BASE,), protocol="openai-beta"),
    "gemini": converse(SPOKEN, turns=(BASE,), protocol="gemini"),
    "push to talk": converse(SPOKEN, turns=(BASE,), turn_detection="caller"),
    "barge-in": converse(SPOKEN, INTERRUPT, turns=(LONG, BASE)),
    **{
        f"barge-in, push to talk, {protocol}": converse(
            SPOKEN, INTERRUPT, turns=(LONG, BASE), protocol=protocol, turn_detection="caller"
        )
        for protocol in ("openai", "gemini")
    },
    "barge-in, sent at once": converse(SPOKEN, INTERRUPT, turns=(replace(LONG, audio_pace=0.0), BASE)),
    "barge-in, gemini": converse(SPOKEN, INTERRUPT, turns=(LONG, BASE), protocol="gemini"),
    "barge-in, late audio": converse(SPOKEN, INTERRUPT, turns=(replace(LONG, faults=("late_audio",)), BASE)),
    "deaf": converse(SPOKEN, INTERRUPT, turns=(replace(LONG, yield_after=None), BASE)),
    "backchannel, filtered": converse(SPOKEN, BACKCHANNEL, turns=(replace(LONG, ignore_below=0.5),)),
    "backchannel, not filtered": converse(SPOKEN, BACKCHANNEL, turns=(LONG, replace(BASE, answer=None))),
    "backchannel, resumed": converse(SPOKEN, BACKCHANNEL, turns=(replace(LONG, resume_after=0.8),)),
    "backchannel, near the end": converse(
        SPOKEN, BACKCHANNEL, turns=(replace(LONG, answer_seconds=1.2, audio_pace=0.0, ignore_below=0.5),)
    ),
    "pause, taken for the end": converse(say(0.4, 1.1, 0.4), turns=(BASE,)),
    "pause, waited for": converse(say(0.4, 1.1, 0.4), turns=(replace(BASE, stop_after=1.3),)),
    "talked over": converse(
        say(1.5), turns=(replace(BASE, talk_at=0.5, answer_after=0.0, lead_silence=0.0, answer_seconds=2.0),)
    ),
    "no answer": converse(SPOKEN, turns=(replace(BASE, answer=None),)),
    "slow": converse(SPOKEN, turns=(replace(BASE, lead_silence=0.0, answer_seconds=2.0, audio_pace=0.8),)),
    "jittery": converse(SPOKEN, turns=(replace(BASE, lead_silence=0.0, answer_seconds=1.2, audio_gaps=(0.0, 0.1)),)),
    **{
        f"lost by {fault}": converse(SPOKEN, turns=(replace(LONG, faults=(fault,)),))
        for fault in ("close", "reset", "eof")
    },
    "wrong events": converse(SPOKEN, turns=(replace(BASE, answer_seconds=1.5, faults=WRONG),)),
    "order": converse(SPOKEN, INTERRUPT, turns=(replace(LONG, faults=("out_of_order",), transcript="first"), BASE)),
    "tool": converse(
        SPOKEN,
        turns=(replace(BASE, tool=ScriptedToolCall(name="look_up", arguments={"day": "Friday"})),),
        tools=(Tool(name="look_up", result='{"open": true}'),),
    ),
    "recogniser, openai": transcribe(RECOGNISER, "openai"),
    "recogniser, by silence": transcribe(RECOGNISER, "openai", 1.0),
    "recogniser, vllm": transcribe(RECOGNISER, "vllm"),
    "recogniser, gemini": transcribe(replace(RECOGNISER, revisions={1: "cold"}), "gemini"),
    **{
        f"refused with {refusal}": ScriptedCall(RealtimeScript(refuse=refusal), Call(steps=(SPOKEN,)))
        for refusal in ("401", "404", "error", "503")
    },
}


@pytest.fixture(scope="module")
def outcomes() -> tuple[dict[str, HeldCall], float]:
    return hold_calls(CALLS)


@pytest.fixture(scope="module")
def calls(outcomes: tuple[dict[str, HeldCall], float]) -> dict[str, HeldCall]:
    return outcomes[0]


@pytest.fixture(scope="module")
def tolerance(outcomes: tuple[dict[str, HeldCall], float]) -> float:
    return TOLERANCE + outcomes[1]


ANSWERED = [*(name for name in CALLS if name.startswith("fixed")), "silent tail", "beta", "gemini"]


@pytest.mark.parametrize("name", ANSWERED)
def test_latencies_equal_the_delays_of_the_server(calls: Any, tolerance: float, name: str) -> None:
    recording = calls[name].recorded
    assert measure(voice_to_voice, recording) == pytest.approx(0.9, abs=tolerance)
    assert measure(first_byte_latency, recording) == pytest.approx(0.8, abs=tolerance)
    assert measure(lead_silence, recording) == pytest.approx(0.1, abs=TOLERANCE)
    if name != "gemini":  # which does not report the end of speech
        assert measure(endpoint_delay, recording) == pytest.approx(0.5, abs=tolerance + FRAME_SECONDS)
        assert measure(think_time, recording) == pytest.approx(0.3, abs=tolerance + FRAME_SECONDS)


def test_without_turn_detection_the_caller_waits_only_for_the_answer(calls: Any, tolerance: float) -> None:
    recording = calls["push to talk"].recorded
    assert measure(voice_to_voice, recording) == pytest.approx(0.4, abs=tolerance + FRAME_SECONDS)
    assert measure(endpoint_delay, recording) is None


@pytest.mark.parametrize("protocol", ["openai", "gemini"])
def test_a_caller_who_states_turns_stops_the_agent_with_the_first_frame(
    calls: Any, tolerance: float, protocol: str
) -> None:
    recording = calls[f"barge-in, push to talk, {protocol}"].recorded
    assert measure(yield_latency, recording) == pytest.approx(FRAME_SECONDS, abs=tolerance + FRAME_SECONDS)
    assert measure(barge_in_success, recording) == 1
    assert measure(response_rate, recording) == 1
    if protocol == "openai":
        cancelled, _ = recording.select(EventKind.RESPONSE_DONE)
        assert cancelled.data["status"] == "cancelled"
        assert measure(truncation_error, recording) == pytest.approx(0, abs=0.002)


@pytest.mark.parametrize(
    "name", ["barge-in", "barge-in, sent at once", "barge-in, gemini", "barge-in, late audio", "order"]
)
def test_an_interrupted_agent_is_silent_after_the_time_that_the_server_needs(
    calls: Any, tolerance: float, name: str
) -> None:
    recording = calls[name].recorded
    assert measure(yield_latency, recording) == pytest.approx(0.2, abs=tolerance)
    assert measure(stop_signal_delay, recording) == pytest.approx(0.2, abs=tolerance)
    assert measure(barge_in_success, recording) == 1
    assert measure(response_rate, recording) == 1
    if name != "barge-in, gemini":  # which cannot be informed of what was played
        assert measure(truncation_error, recording) == pytest.approx(0, abs=0.002)
        played = [seconds for _, seconds in calls[name].session["truncations"]]
        assert played[0] == pytest.approx(0.1 + 0.8 + 0.2, abs=tolerance + FRAME_SECONDS)


def test_an_answer_that_was_sent_at_once_is_not_cancelled(calls: Any) -> None:
    done = calls["barge-in, sent at once"].recorded.select(EventKind.RESPONSE_DONE)
    assert [event.data["status"] for event in done] == ["completed", "completed"]
    done = calls["barge-in"].recorded.select(EventKind.RESPONSE_DONE)
    assert [event.data["status"] for event in done] == ["cancelled", "completed"]


def test_a_deaf_server_does_not_yield_and_has_no_yield_latency(calls: Any) -> None:
    recording = calls["deaf"].recorded
    assert measure(barge_in_yield, recording) == 0
    assert measure(barge_in_success, recording) == 0
    assert measure(yield_latency, recording) is None
    assert len(calls["deaf"].session["ignored"]) == 1


@pytest.mark.parametrize(
    ("name", "stopped", "resumed"),
    [("backchannel, filtered", 0, 0), ("backchannel, not filtered", 1, 0), ("backchannel, resumed", 1, 1)],
)
def test_backchannels_stop_only_agents_without_a_filter(calls: Any, name: str, stopped: int, resumed: int) -> None:
    recording = calls[name].recorded
    assert measure(false_yield_backchannel, recording) == stopped
    assert count(false_yield_backchannel, recording)["resumed"] == resumed


def test_a_backchannel_shortly_before_the_end_shows_nothing(calls: Any) -> None:
    recording = calls["backchannel, near the end"].recorded
    assert measure(false_yield_backchannel, recording) is None


@pytest.mark.parametrize(("name", "expected"), [("pause, taken for the end", 0), ("pause, waited for", 1)])
def test_an_agent_that_waits_longer_than_the_pause_handles_it(calls: Any, name: str, expected: int) -> None:
    assert measure(pause_handling, calls[name].recorded) == expected


def test_an_agent_that_talks_over_the_caller_has_a_negative_latency(calls: Any, tolerance: float) -> None:
    recording = calls["talked over"].recorded
    assert measure(agent_interruption, recording) == 1
    assert measure(voice_to_voice, recording) == pytest.approx(-1.0, abs=tolerance)
    assert measure(overlap_share, recording) == pytest.approx(1.0 / 2.5, abs=tolerance)


def test_without_an_answer_there_is_no_latency(calls: Any) -> None:
    recording = calls["no answer"].recorded
    assert measure(response_rate, recording) == 0
    assert measure(voice_to_voice, recording) is None


@pytest.mark.parametrize(("name", "seconds"), [("slow", 2.0 / 0.8 - 2.0 - 0.05), ("jittery", 0.1)])
def test_the_player_runs_dry_when_the_server_is_slow(calls: Any, tolerance: float, name: str, seconds: float) -> None:
    details = count(underruns, calls[name].recorded)
    assert details["seconds"] == pytest.approx(seconds, abs=2 * tolerance)


@pytest.mark.parametrize("fault", ["close", "reset", "eof"])
def test_a_lost_connection_is_what_became_of_the_call(calls: Any, tolerance: float, fault: str) -> None:
    recording = calls[f"lost by {fault}"].recorded
    assert recording.is_dropped
    assert recording.events[-1].kind is EventKind.DROPPED
    assert measure(voice_to_voice, recording) == pytest.approx(0.9, abs=tolerance)
    received = sum(event.seconds for event in recording.select(EventKind.AUDIO))
    assert received == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("refusal", "kind"), [("401", Rejected), ("404", Rejected), ("error", Rejected), ("503", Transient)]
)
def test_a_refusal_quotes_the_server_and_never_the_key(calls: Any, refusal: str, kind: type[Exception]) -> None:
    outcome = calls[f"refused with {refusal}"]
    assert isinstance(outcome.error, kind)
    assert KEY not in str(outcome.error)
    assert (refusal if refusal != "error" else "quota") in str(outcome.error)


def test_wrong_events_change_no_number(calls: Any, tolerance: float) -> None:
    assert set(WRONG) < set(SESSION_FAULTS)
    recording = calls["wrong events"].recorded
    assert measure(voice_to_voice, recording) == pytest.approx(0.9, abs=tolerance)
    (span,) = recording.agent
    assert span.seconds == pytest.approx(1.5, abs=0.1 + tolerance)
    assert recording.select(EventKind.RESPONSE_DONE)[0].data["status"] == "completed"
    assert recording.text == "Good morning to you."


def test_texts_are_joined_by_item_whatever_their_order(calls: Any) -> None:
    assert sorted(calls["order"].recorded.understood.split()) == ["first", "hi"]
    assert calls["barge-in"].recorded.understood == "hi hi"


def test_a_tool_is_called_once_and_its_turn_is_longer_by_its_delay(calls: Any, tolerance: float) -> None:
    outcome = calls["tool"]
    recording = outcome.recorded
    assert [(call["name"], call["arguments"]) for call in recording.tool_calls] == [("look_up", {"day": "Friday"})]
    assert len(recording.select(EventKind.TOOL_RESULT)) == 1
    assert measure(voice_to_voice, recording) == pytest.approx(0.9 + 0.3, abs=tolerance)
    received = [name for _, side, name, _ in outcome.session["events"] if side == "received"]
    assert received.count("ReturnToolResult") == received.count("CreateResponse") == 1


@pytest.mark.parametrize("name", ["recogniser, openai", "recogniser, vllm", "recogniser, gemini"])
def test_words_are_received_as_late_as_the_recogniser_sends_them(calls: Any, tolerance: float, name: str) -> None:
    recording = calls[name].recorded
    meta = {"words": [list(word) for word in WORDS], "target": "please call me"}
    assert recording.understood == "please call me"
    assert measure(first_partial_delay, recording) == pytest.approx(0.6, abs=tolerance)
    assert measure(word_emission_recall, recording, **meta) == 1
    assert measure(word_emission_delay, recording, **meta) == pytest.approx(0.3, abs=tolerance)
    assert measure(wer_at_0ms, recording, **meta) > 0


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("recogniser, openai", 0.2),
        ("recogniser, vllm", 0.2),
        ("recogniser, gemini", 0.2),
        ("recogniser, by silence", 0.7),
    ],
)
def test_a_final_text_follows_the_end_of_the_audio_or_of_speech(
    calls: Any, tolerance: float, name: str, seconds: float
) -> None:
    assert measure(finalisation_delay, calls[name].recorded) == pytest.approx(seconds, abs=tolerance + FRAME_SECONDS)


def test_revisions_are_counted_where_the_protocol_shows_them(calls: Any) -> None:
    assert measure(normalised_erasure, calls["recogniser, gemini"].recorded) == pytest.approx(1 / 3)
    for name in ("recogniser, openai", "recogniser, vllm"):
        assert measure(unstable_partial_words, calls[name].recorded) is None
    recording = calls["recogniser, gemini"].recorded
    assert measure(wer_at_500ms, recording, target="please call me") == 0
