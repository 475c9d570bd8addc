"""Holding a call, against agents with known timing on a virtual clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import numpy as np
import pytest

from auricle.core.calls import (
    AudioFrame,
    CallerInput,
    CallRecording,
    EndOfTurn,
    EventKind,
    SessionEvent,
    StartOfTurn,
    Step,
    Tool,
    ToolResult,
    Truncate,
    Utterance,
    get_recording,
)
from auricle.core.errors import InvalidEvent, Rejected, SampleError, SpecError, Transient
from auricle.core.types import Call
from auricle.media import Audio
from auricle.models.base import SessionModel, abilities
from auricle.models.sessions.pcm import to_int16
from auricle.tasks.calls.live.driver import READY_SECONDS, hold_call
from tests.support.virtual_time import VirtualTimeLoop, run_in_virtual_time
from tests.support.voice_agents import RATE, Script, TimedAgent, clip, step, tone

FRAME = 0.02


def hold(model: SessionModel, *steps: Step, **options: Any) -> CallRecording:
    return run_in_virtual_time(hold_call(model, Call(steps=steps, **options)))


def times(recording: CallRecording, kind: EventKind) -> list[float]:
    return [round(event.at, 6) for event in recording.select(kind)]


def spans(recording: CallRecording) -> list[tuple[float, float]]:
    return [(round(span.start, 6), round(span.end, 6)) for span in recording.agent]


# --- turns ----------------------------------------------------------------------


def test_an_answer_is_placed_where_it_was_played() -> None:
    script = Script(stop_after=0.5, answer_after=0.3, answer_seconds=2.0, lead=0.1)
    recording = hold(TimedAgent(script), step("say", 1.0, text="Hello?"))
    (turn,) = recording.caller
    assert (turn.start, turn.end, turn.text) == (0.0, 1.0, "Hello?")
    assert times(recording, EventKind.SPEECH_STOPPED) == [pytest.approx(1.5)]
    assert spans(recording) == [(1.9, 3.8)]
    assert recording.finish == "completed"
    assert recording.seconds == pytest.approx(3.8)


def test_silence_around_a_clip_does_not_change_the_times() -> None:
    plain = hold(TimedAgent(), step("say", 1.0))
    padded = hold(TimedAgent(), step("say", clip(1.0, lead=0.3, tail=0.5)))
    assert spans(padded) == spans(plain)
    assert padded.caller == plain.caller


def test_pauses_separate_the_spans_of_a_step() -> None:
    audio = (clip(0.5), 1.2, clip(0.3))
    recording = hold(TimedAgent(Script(stop_after=1.5)), Step(kind="say", audio=audio, text="And on Sunday?"))
    assert [(span.start, span.end, span.step, span.text) for span in recording.caller] == [
        (0.0, 0.5, 0, "And on Sunday?"),
        (1.7, 2.0, 0, ""),
    ]
    assert times(recording, EventKind.STEP_STARTED) == [0.0]
    assert times(recording, EventKind.STEP_ENDED) == [2.0]


def test_the_next_step_follows_the_end_of_the_answer_as_played() -> None:
    script = Script(answer_seconds=2.0, pace=0)
    recording = hold(TimedAgent(script), step("say", 1.0), step("say", 1.0, start="agent_end", delay=0.5))
    first_answer, _ = recording.agent
    assert recording.caller[1].start == pytest.approx(first_answer.end + 0.5, abs=FRAME)
    assert recording.caller[1].start >= first_answer.end + 0.5


def test_an_agent_that_does_not_announce_its_responses_has_ended_after_a_silence() -> None:
    script = Script(announces=False)
    recording = hold(TimedAgent(script), step("say", 1.0), step("say", 1.0, start="agent_end"))
    assert recording.caller[1].start == pytest.approx(recording.agent[0].end + 0.8, abs=FRAME)
    assert len(recording.agent) == 2


def test_steps_start_on_the_grid_of_frames() -> None:
    recording = hold(TimedAgent(), step("wait", delay=0.333), step("say", 0.5))
    assert recording.caller[0].start == pytest.approx(0.34)


def test_the_caller_goes_on_when_the_agent_stays_silent() -> None:
    class Mute(TimedAgent):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            async for _ in inputs:
                pass

    steps = step("say", 1.0), step("say", 1.0, start="agent_end", limit=3.0)
    recording = hold(Mute(), *steps, response_timeout=4.0)
    assert recording.caller[1].start == pytest.approx(4.0)
    assert [event.data.get("timed_out") for event in recording.select(EventKind.STEP_STARTED)] == [None, True]
    assert recording.seconds == pytest.approx(9.0)
    assert recording.agent == ()


def test_a_call_ends_at_its_time_limit() -> None:
    recording = hold(TimedAgent(Script(answer_seconds=60.0)), step("say", 1.0), max_seconds=5.0)
    assert recording.finish == "limit"
    assert recording.seconds == pytest.approx(5.0)
    assert recording.agent[-1].end == pytest.approx(5.0)


def test_a_step_that_the_limit_cuts_has_no_end() -> None:
    recording = hold(TimedAgent(), step("say", 3.0), max_seconds=1.0)
    assert recording.caller[0].end == pytest.approx(1.0)
    assert not recording.select(EventKind.STEP_ENDED)


def test_push_to_talk_ends_turns_with_the_utterance() -> None:
    agent = TimedAgent(Script(stop_after=99.0))
    recording = hold(agent, step("say", 1.0), step("backchannel", 0.3, delay=0.2), turn_detection="caller")
    assert times(recording, EventKind.END_OF_TURN) == [1.0]
    assert sum(isinstance(item, EndOfTurn) for item in agent.inputs) == 1
    assert spans(recording)[0][0] == pytest.approx(1.3)


def test_an_agent_may_greet_before_it_takes_any_input() -> None:
    class Greeter(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            await asyncio.sleep(2.0)
            yield SessionEvent(kind=EventKind.AUDIO, audio=tone(1.0))
            async for _ in inputs:
                pass

    recording = hold(Greeter(), step("say", 1.0, start="agent_end"), response_timeout=1.0)
    assert spans(recording) == [(0.0, 1.0)]
    assert recording.caller[0].start == pytest.approx(1.8)


# --- barge-in -------------------------------------------------------------------

BARGE_IN = (step("say", 1.0), step("interrupt", 1.0, start="agent_start", delay=1.0))


def yield_time(recording: CallRecording) -> float:
    return recording.agent[0].end - recording.caller[1].start


@pytest.mark.parametrize("pace", [1.0, 0.0, 5.0])
def test_barge_in_yields_at_the_same_time_however_fast_audio_is_sent(pace: float) -> None:
    agent = TimedAgent(Script(answer_seconds=6.0, pace=pace, yield_after=0.2))
    recording = hold(agent, *BARGE_IN)
    assert recording.caller[1].start == pytest.approx(recording.agent[0].start + 1.0, abs=FRAME)
    assert yield_time(recording) == pytest.approx(0.2)
    truncate = next(item for item in agent.inputs if isinstance(item, Truncate))
    assert truncate.item == "r1"
    assert truncate.seconds == pytest.approx(1.2)
    assert truncate.seconds == pytest.approx(recording.agent[0].end - recording.agent[0].start)
    (flushed,) = recording.select(EventKind.PLAYBACK_FLUSHED)
    assert (flushed.item, flushed.seconds) == ("r1", truncate.seconds)
    (truncated,) = recording.select(EventKind.TRUNCATED)
    assert truncated.seconds == truncate.seconds


def test_push_to_talk_stops_playback_when_the_caller_starts_a_turn() -> None:
    agent = TimedAgent(Script(answer_seconds=6.0, pace=0, yield_after=None, stop_after=99.0))
    recording = hold(agent, *BARGE_IN, turn_detection="caller")
    assert yield_time(recording) == pytest.approx(FRAME)
    marks = [item for item in agent.inputs if not isinstance(item, AudioFrame)]
    first_start, first_end, start_of_turn, truncate, end_of_turn = marks
    assert (first_start, first_end) == (start_of_turn, end_of_turn) == (StartOfTurn(), EndOfTurn())
    assert isinstance(truncate, Truncate)
    assert truncate.item == "r1"
    assert truncate.seconds == pytest.approx(1.0 + FRAME)
    start = recording.caller[1].start + FRAME
    assert times(recording, EventKind.START_OF_TURN) == [FRAME, pytest.approx(start)]
    assert len(recording.agent) == 2


def test_push_to_talk_plays_on_while_the_caller_makes_other_sounds() -> None:
    agent = TimedAgent(Script(answer_seconds=6.0, pace=0, yield_after=None, stop_after=99.0))
    steps = step("say", 1.0), step("backchannel", 0.3, start="agent_start", delay=1.0)
    recording = hold(agent, *steps, turn_detection="caller")
    assert recording.agent[0].seconds == pytest.approx(6.0)
    assert len(recording.select(EventKind.START_OF_TURN)) == 1


def test_a_deaf_agent_does_not_yield() -> None:
    recording = hold(TimedAgent(Script(answer_seconds=6.0, yield_after=None)), *BARGE_IN)
    assert recording.agent[0].seconds == pytest.approx(6.0)
    assert not recording.select(EventKind.PLAYBACK_FLUSHED, EventKind.TRUNCATE)


def test_an_agent_that_resumes_has_two_spans() -> None:
    script = Script(answer_seconds=6.0, yield_after=0.2, resume_after=1.0)
    recording = hold(TimedAgent(script), *BARGE_IN)
    assert yield_time(recording) == pytest.approx(0.2)
    assert recording.agent[1].start - recording.agent[0].end == pytest.approx(1.0, abs=FRAME)


def test_without_flushing_the_player_plays_what_it_has() -> None:
    at_once = hold(TimedAgent(Script(answer_seconds=6.0, pace=0)), *BARGE_IN, flush="never")
    assert at_once.agent[0].seconds == pytest.approx(12.0)  # the second answer follows the first
    in_time = hold(TimedAgent(Script(answer_seconds=6.0, pace=1)), *BARGE_IN, flush="never")
    assert yield_time(in_time) == pytest.approx(0.4)  # the chunk of 0.2 s that was sent last is played


# --- playback -------------------------------------------------------------------


def test_a_slow_agent_causes_underruns() -> None:
    script = Script(answer_seconds=5.0, pace=0.8, chunk=0.2)
    recording = hold(TimedAgent(script), step("say", 1.0))
    underruns = recording.select(EventKind.UNDERRUN)
    assert sum(event.seconds or 0.0 for event in underruns) == pytest.approx(1.2)
    assert len(underruns) == 24
    assert len(recording.agent) == 1
    assert len(recording.agent_pauses) == 24


def test_a_prebuffer_prevents_underruns() -> None:
    script = Script(answer_seconds=5.0, pace=0.8, chunk=0.2)
    recording = hold(TimedAgent(script), step("say", 1.0), prebuffer=1.2)
    assert not recording.select(EventKind.UNDERRUN)
    assert recording.agent[0].start == pytest.approx(1.8 + 1.2)


def test_the_recording_has_the_caller_left_and_the_agent_right() -> None:
    recording = hold(TimedAgent(Script(answer_seconds=2.0)), step("say", 1.0))
    assert recording.audio is not None
    tracks = recording.audio.decode(mono=False)
    assert tracks.shape == (round(recording.seconds * RATE), 2)
    for channel, span in enumerate((recording.caller[0], recording.agent[0])):
        loud = np.flatnonzero(np.abs(tracks[:, channel]) > 0.01) / RATE
        assert (loud[0], loud[-1]) == (pytest.approx(span.start, abs=1e-4), pytest.approx(span.end, abs=1e-4))


def test_models_with_other_rates_are_recorded_at_one_rate() -> None:
    class Narrow(SessionModel):
        input_rate, output_rate = 8_000, 16_000

        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            yield SessionEvent(kind=EventKind.AUDIO, audio=tone(1.0, rate=16_000))
            async for item in inputs:
                assert not isinstance(item, AudioFrame) or len(item.samples) == 160

    recording = hold(Narrow(), step("say", 1.5))
    assert recording.audio is not None
    assert recording.audio.info().rate == 24_000
    assert recording.audio.seconds == pytest.approx(recording.seconds)
    assert recording.agent[0].seconds == pytest.approx(1.0, abs=1e-3)
    assert recording.caller[0].seconds == pytest.approx(1.5, abs=1e-2)


def test_the_audio_can_be_left_out() -> None:
    recording = hold(TimedAgent(), step("say", 1.0), keep_audio=False)
    assert recording.audio is None
    assert recording.agent[0].seconds == pytest.approx(2.0)


# --- tools ----------------------------------------------------------------------

HOURS = Tool(name="opening_hours", result='{"open": "9:00"}')


@pytest.mark.parametrize(
    ("name", "result"), [("opening_hours", {"open": "9:00"}), ("weather", {"error": "Unknown tool: weather"})]
)
def test_tool_calls_are_answered(name: str, result: object) -> None:
    call = {"call_id": "c1", "name": name, "arguments": {"day": "Friday"}}
    agent = TimedAgent(Script(tool=call))
    recording = hold(agent, step("say", 1.0), tools=(HOURS,))
    (answer,) = [item for item in agent.inputs if isinstance(item, ToolResult)]
    assert (answer.call_id, answer.name, json.loads(answer.result)) == ("c1", name, result)
    assert recording.tool_calls == [call]
    assert len(recording.agent) == 1


# --- pacing ---------------------------------------------------------------------


def test_frames_are_sent_when_they_are_due() -> None:
    agent = TimedAgent()
    recording = hold(agent, step("say", 1.0))
    assert recording.pacing is not None
    assert recording.pacing.frames == round(recording.seconds / FRAME)
    assert recording.pacing.max == pytest.approx(0.0, abs=1e-6)
    assert recording.pacing.bursts == 0


def test_a_stalled_loop_makes_frames_late_but_none_is_lost() -> None:
    class Stalling(TimedAgent):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            loop = cast(VirtualTimeLoop, asyncio.get_running_loop())
            loop.call_later(0.505, loop.stall, 0.5)
            async for event in super().session(call, inputs):
                yield event

    agent = Stalling()
    recording = hold(agent, step("say", 2.0))
    assert recording.pacing is not None
    assert recording.pacing.max == pytest.approx(0.5 - 0.015, abs=1e-6)
    assert recording.pacing.bursts == 1
    frames = [item.samples for item in agent.inputs if isinstance(item, AudioFrame)]
    assert np.array_equal(np.concatenate(frames[:100]), tone(2.0))
    assert recording.pacing.frames == round(recording.seconds / FRAME)


def test_frames_that_a_model_never_takes_are_late() -> None:
    class Inattentive(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            await asyncio.sleep(60)

    recording = hold(Inattentive(), step("say", 1.0), max_seconds=2.0)
    assert recording.pacing is not None
    assert recording.pacing.frames == 100
    assert recording.pacing.max == pytest.approx(1.98)


# --- callers that decide during the call ----------------------------------------


class Inquirer:
    """Asks once more after every answer, then hangs up."""

    def __init__(self, questions: int, thinking: float = 0.0) -> None:
        self._remaining = questions
        self._thinking = thinking
        self.dialogues: list[list[Utterance]] = []

    async def next_step(self, dialogue: Sequence[Utterance]) -> Step | None:
        self.dialogues.append(list(dialogue))
        await asyncio.sleep(self._thinking)
        self._remaining -= 1
        return step("say", 0.5, text=f"Question {self._remaining}?") if self._remaining >= 0 else None


@pytest.mark.parametrize(("first_speaker", "start"), [("caller", 0.02), ("agent", 10.0)])
def test_a_caller_who_speaks_first_does_not_wait_for_a_greeting(first_speaker: Any, start: float) -> None:
    recording = hold(TimedAgent(), caller=Inquirer(1), first_speaker=first_speaker, max_seconds=20.0)
    assert recording.caller[0].start == pytest.approx(start, abs=0.05)


def test_a_caller_is_asked_for_steps_until_it_hangs_up() -> None:
    caller = Inquirer(2, thinking=0.5)
    recording = hold(TimedAgent(Script(answer_seconds=1.0)), step("say", 1.0, text="Hello?"), caller=caller)
    assert len(recording.agent) == 3
    assert recording.caller[1].start == pytest.approx(recording.agent[0].end + 0.5, abs=FRAME)
    assert [(utterance.speaker, utterance.text) for utterance in caller.dialogues[-1]] == [
        ("caller", "Hello?"),
        ("agent", "An answer."),
        ("caller", "Question 1?"),
        ("agent", "An answer."),
        ("caller", "Question 0?"),
        ("agent", "An answer."),
    ]
    assert recording.finish == "completed"
    assert recording.seconds == pytest.approx(recording.agent[-1].end + 0.5, abs=FRAME)


def test_the_time_limit_ends_a_call_whose_caller_thinks_too_long() -> None:
    recording = hold(TimedAgent(), step("say", 1.0), caller=Inquirer(1, thinking=99.0), max_seconds=6.0)
    assert (recording.finish, len(recording.caller)) == ("limit", 1)


def test_an_error_of_the_caller_ends_the_call() -> None:
    class Broken(Inquirer):
        async def next_step(self, dialogue: Sequence[Utterance]) -> Step | None:
            raise Transient("no model")

    with pytest.raises(Transient, match="no model") as raised:
        hold(TimedAgent(), step("say", 1.0), caller=Broken(1))
    assert get_recording(raised.value) is not None


# --- recognition ----------------------------------------------------------------


def test_a_recogniser_gets_the_end_of_the_audio_and_is_waited_for() -> None:
    class Slow(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            async for item in inputs:
                if not isinstance(item, AudioFrame):
                    break
            yield SessionEvent(kind=EventKind.PARTIAL, item="1", text="what")
            await asyncio.sleep(3.0)
            yield SessionEvent(kind=EventKind.FINAL, item="1", text="what time")

    recording = hold(Slow(), step("say", 1.0), mode="transcribe")
    assert times(recording, EventKind.END_OF_AUDIO) == [1.0]
    assert times(recording, EventKind.FINAL) == [4.0]
    assert recording.understood == "what time"
    assert recording.finish == "completed"
    assert recording.seconds == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("recording", "speech"), [(clip(1.0, lead=0.4, tail=0.6), [(0.4, 1.4)]), (clip(0.0, lead=2.0), [])]
)
def test_a_recording_that_is_not_trimmed_is_sent_from_its_first_to_its_last_sample(
    recording: Audio, speech: list[tuple[float, float]]
) -> None:
    agent = TimedAgent()
    heard = hold(agent, Step(kind="say", audio=(recording,), trim=False), mode="transcribe")
    frames = [item.samples for item in agent.inputs if isinstance(item, AudioFrame)]
    assert np.array_equal(np.concatenate(frames), to_int16(recording.decode(RATE)))
    assert [(span.start, span.end) for span in heard.caller] == [pytest.approx(span) for span in speech]
    assert times(heard, EventKind.END_OF_AUDIO) == [2.0]
    (started,) = heard.select(EventKind.STEP_STARTED)
    assert started.at - started.data["lead"] == pytest.approx(0.0)


def test_a_recogniser_without_a_final_is_left_after_the_timeout() -> None:
    class Silent(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            async for _ in inputs:
                pass

    recording = hold(Silent(), step("say", 1.0), mode="transcribe", response_timeout=2.0)
    assert recording.seconds == pytest.approx(3.0)
    assert recording.understood == ""


# --- failures -------------------------------------------------------------------


@pytest.mark.parametrize("error", [Transient("reset"), Rejected("no"), OSError("broken")])
def test_a_call_that_the_agent_loses_is_kept_with_what_the_caller_had_left_to_do(error: Exception) -> None:
    agent = TimedAgent(Script(answer_seconds=6.0, fail_after=2.91, error=error))
    recording = hold(agent, step("say", 1.0), step("interrupt", 1.0, start="agent_start", delay=4.0))
    assert recording.is_dropped
    assert recording.unreached == ("interrupt",)
    assert recording.agent[0].start == pytest.approx(1.8)
    assert recording.seconds == pytest.approx(2.92)
    assert recording.events[-1].kind is EventKind.DROPPED
    assert recording.audio is not None


@pytest.mark.parametrize(
    ("error", "options"),
    [(SpecError("no key"), {}), (InvalidEvent("no event"), {}), (Transient("reset"), {"mode": "transcribe"})],
)
def test_mistakes_and_transcriptions_fail_and_keep_what_was_recorded(error: Exception, options: Any) -> None:
    with pytest.raises(type(error)) as raised:
        hold(TimedAgent(Script(fail_after=0.5, error=error)), step("say", 1.0), **options)
    recording = get_recording(raised.value)
    assert recording is not None
    assert recording.events[-1].kind is EventKind.DROPPED


class Flood(SessionModel):
    """Sends without a pause, after it heard something."""

    output_rate = RATE

    def __init__(self, event: SessionEvent) -> None:
        self.event, self.sent = event, 0

    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        await anext(inputs)
        while True:
            self.sent += 1
            yield self.event
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (
            SessionEvent(kind=EventKind.AUDIO, audio=tone(1.0)),
            "s of audio that wait to be played, in a call of at most 5 s",
        ),
        (SessionEvent(kind=EventKind.TRANSCRIPT, text="word "), "2,501 events, in a call of at most 5 s"),
        (SessionEvent(kind=EventKind.TRANSCRIPT, text="word" * 10**6), "events of 4,000,008 characters, in a call of"),
        (SessionEvent(kind=EventKind.OTHER, data={"is": "x" * 10**6}), "events of 3,000,030 characters, in a call of"),
    ],
    ids=["audio", "events", "text", "data"],
)
def test_an_agent_that_sends_much_more_than_can_be_played_drops_the_call(event: SessionEvent, reason: str) -> None:
    agent = Flood(event)
    recording = hold(agent, step("say", 1.0), max_seconds=5.0)
    assert recording.is_dropped
    assert reason in recording.select(EventKind.DROPPED)[0].text
    assert agent.sent < 2600


def test_an_agent_may_end_the_call() -> None:
    class Brief(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            yield SessionEvent(kind=EventKind.AUDIO, audio=tone(3.0))

    recording = hold(Brief(), step("say", 1.0))
    assert recording.finish == "agent"
    assert spans(recording) == [(0.0, 3.0)]


class NeverReady(SessionModel):
    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        await asyncio.sleep(100)
        yield SessionEvent(kind=EventKind.READY)


def test_a_session_that_is_never_ready_is_given_up() -> None:
    with pytest.raises(Transient, match=f"not ready after {READY_SECONDS:g} s"):
        hold(NeverReady(), step("say", 1.0))


def test_errors_before_the_call_begins_are_raised_unchanged() -> None:
    class Misconfigured(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            raise SpecError("no key")
            yield

    with pytest.raises(SpecError, match="no key"):
        hold(Misconfigured(), step("say", 1.0))


@pytest.mark.parametrize("audio", [np.zeros(10, np.float32), np.zeros((10, 2), np.int16), None])
def test_audio_of_another_type_is_refused(audio: Any) -> None:
    class Float(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            yield SessionEvent(kind=EventKind.AUDIO, audio=audio)

    with pytest.raises(SampleError, match="one-dimensional array of int16"):
        hold(Float(), step("say", 1.0))


def test_a_session_that_fails_while_it_closes_does_not_fail_the_call() -> None:
    class Clumsy(TimedAgent):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            async for event in super().session(call, inputs):
                yield event
            raise OSError("already closed")

    recording = hold(Clumsy(), step("say", 1.0))
    assert recording.finish == "completed"
    assert "already closed" in recording.select(EventKind.ERROR)[0].text


def test_usage_is_summed() -> None:
    class Metered(SessionModel):
        async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
            yield SessionEvent(kind=EventKind.READY)
            for tokens in (5, 7):
                yield SessionEvent(kind=EventKind.USAGE, data={"input_tokens": tokens, "note": "x"})
            async for _ in inputs:
                pass

    assert hold(Metered(), step("say", 1.0), response_timeout=1.0).usage == {"input_tokens": 12}


def test_a_class_with_sessions_holds_calls() -> None:
    assert abilities(TimedAgent) == ["call"]
