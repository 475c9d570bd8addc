"""Models that respond to turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from auricle.core.calls import CallRecording, EventKind, Step, Tool
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Call
from auricle.models.sessions.turn_taking import CallerTurn, Reply, TurnTakingModel
from auricle.tasks.calls.live.driver import hold_call
from tests.support.virtual_time import run_in_virtual_time
from tests.support.voice_agents import clip, step


class Butler(TurnTakingModel):
    """Thinks for half a second, and speaks for three."""

    def __init__(self, tool: str = "", error: Exception | None = None, **options: Any) -> None:
        super().__init__(vad="energy", **options)
        self.tool, self.error = tool, error
        self.histories: list[int] = []

    async def respond(self, turn: CallerTurn) -> AsyncIterator[Reply]:
        self.histories.append(len(turn.history))
        await asyncio.sleep(0.5)
        if self.error:
            raise self.error
        yield Reply(understood=await self.transcribe(turn))
        if self.tool:
            yield Reply(text=await turn.use_tool(self.tool, {"day": "Friday"}))
        yield Reply(text="Very good. ", audio=clip(1.0))
        yield Reply(text="Sir.", audio=clip(2.0))

    async def transcribe(self, turn: CallerTurn) -> str:
        await asyncio.sleep(0.1)
        return f"{turn.audio.seconds:.1f} s"


def hold(model: TurnTakingModel, *steps: Step, **options: Any) -> CallRecording:
    return run_in_virtual_time(hold_call(model, Call(steps=steps, **options)))


def test_a_response_follows_the_end_of_a_turn() -> None:
    recording = hold(Butler(stop_seconds=0.6), step("say", 1.0))
    assert recording.agent[0].start == pytest.approx(1.0 + 0.6 + 0.6, abs=0.03)
    assert recording.agent[0].seconds == pytest.approx(3.0)
    assert recording.text == "Very good. Sir."
    assert recording.understood == "1.6 s"
    kinds = [event.kind for event in recording.select(EventKind.RESPONSE_STARTED, EventKind.RESPONSE_DONE)]
    assert kinds == [EventKind.RESPONSE_STARTED, EventKind.RESPONSE_DONE]


def test_barge_in_stops_the_agent() -> None:
    model = Butler()
    recording = hold(model, step("say", 1.0), step("interrupt", 1.0, start="agent_start", delay=1.0))
    assert recording.agent[0].end - recording.caller[1].start == pytest.approx(0.1, abs=0.03)
    assert len(recording.agent) == 2
    assert recording.select(EventKind.TRUNCATED)[0].seconds == pytest.approx(1.1, abs=0.05)


def test_a_caller_who_starts_a_turn_cancels_the_response() -> None:
    recording = hold(Butler(), step("say", 1.0), step("say", 1.0, delay=0.3), turn_detection="caller")
    cancelled, completed = recording.select(EventKind.RESPONSE_DONE)
    assert (cancelled.data["status"], completed.data["status"]) == ("cancelled", "completed")
    assert cancelled.at == pytest.approx(1.3, abs=0.03)  # before the detector notices speech


def test_barge_in_cancels_a_response_that_is_not_complete() -> None:
    recording = hold(Butler(), step("say", 1.0), step("say", 1.0, delay=0.8))
    statuses = [event.data["status"] for event in recording.select(EventKind.RESPONSE_DONE)]
    assert statuses == ["cancelled", "completed"]
    assert len(recording.agent) == 1


def test_without_barge_in_the_agent_does_not_listen_while_it_speaks() -> None:
    model = Butler(barge_in=False)
    recording = hold(model, step("say", 1.0), step("interrupt", 0.5, start="agent_start", delay=1.0))
    assert recording.agent[0].seconds == pytest.approx(3.0)
    assert len(recording.select(EventKind.SPEECH_STARTED)) == 1


def test_the_history_grows_with_the_turns() -> None:
    model = Butler()
    hold(model, step("say", 1.0), step("say", 1.0, start="agent_end"), instructions="Be polite.")
    assert model.histories == [1, 3]


def test_a_tool_is_used_during_a_response() -> None:
    recording = hold(Butler(tool="book"), step("say", 1.0), tools=(Tool(name="book", result="done "),))
    (call,) = recording.tool_calls
    assert (call["name"], call["arguments"]) == ("book", {"day": "Friday"})
    assert recording.text == "done Very good. Sir."
    assert recording.seconds == pytest.approx(recording.agent[-1].end, abs=0.03)


def test_push_to_talk_needs_no_silence() -> None:
    recording = hold(Butler(), step("say", 1.0), turn_detection="caller")
    assert recording.agent[0].start == pytest.approx(1.6, abs=0.03)


def test_calls_can_be_transcribed_turn_by_turn() -> None:
    recording = hold(Butler(), Step(kind="say", audio=(clip(1.0), 1.0, clip(0.5))), mode="transcribe")
    assert [event.text for event in recording.select(EventKind.FINAL)] == ["1.6 s", "0.8 s"]
    assert recording.seconds == pytest.approx(2.6, abs=0.03)


def test_an_error_of_the_model_drops_the_call() -> None:
    recording = hold(Butler(error=SampleError("no speech")), step("say", 1.0))
    assert recording.is_dropped
    assert recording.select(EventKind.DROPPED)[0].text == "no speech"


def test_options_are_checked() -> None:
    with pytest.raises(SpecError, match="calls >= 1"):
        Butler(calls=0)
