"""The steps of a scripted caller, frame by frame."""

import pytest

from auricle.core.calls import FRAME_SECONDS, EventKind, Step
from auricle.tasks.calls.live.agent import AgentState
from auricle.tasks.calls.live.caller import ScriptedCaller
from auricle.tasks.calls.live.player import Player
from auricle.tasks.calls.live.rendered_steps import render_step
from tests.support.voice_agents import RATE, step, tone


def make_caller(*steps: Step) -> tuple[ScriptedCaller, Player]:
    player = Player(RATE)
    rendered = [render_step(item, RATE) for item in steps]
    return ScriptedCaller(rendered, RATE, AgentState(player)), player


def run(caller: ScriptedCaller, seconds: float, start: float = 0.0) -> list[bool]:
    """Take frames, and return which of them have sound."""
    first, count = round(start / FRAME_SECONDS), round(seconds / FRAME_SECONDS)
    return [bool(caller.next_frame(k * FRAME_SECONDS).audio.samples.any()) for k in range(first, first + count)]


def test_frames_are_silent_between_steps() -> None:
    caller, _ = make_caller(step("say", 0.04), step("say", 0.02, delay=0.06))
    assert run(caller, 0.16) == [True, True, False, False, False, True, False, False]
    assert caller.is_done


def test_a_step_starts_with_its_first_frame_and_ends_with_its_last() -> None:
    say = step("say", 0.05)
    caller, _ = make_caller(say)
    frames = [caller.next_frame(k * FRAME_SECONDS) for k in range(4)]
    assert [frame.started for frame in frames] == [say, None, None, None]
    assert [frame.ended for frame in frames] == [None, None, say, None]
    assert caller.previous_end == pytest.approx(0.05)


def test_a_delay_counts_from_the_last_sample_and_not_from_its_frame() -> None:
    caller, _ = make_caller(step("say", 0.05), step("say", 0.02, delay=0.05))
    run(caller, 0.2)
    assert caller.spans[1].start == pytest.approx(0.10)


def test_a_step_waits_for_the_start_of_the_agents_speech() -> None:
    caller, player = make_caller(step("backchannel", 0.02, start="agent_start", delay=0.05))
    assert not any(run(caller, 0.5))
    player.add("answer", tone(1.0, lead=0.1), at=0.5)
    run(caller, 1.0, start=0.5)
    assert caller.spans[0].start == pytest.approx(0.66)


def test_a_step_that_is_overdue_begins_at_once() -> None:
    caller, player = make_caller(step("say", 1.0), step("interrupt", 0.5, start="agent_start", delay=0.2))
    player.add("answer", tone(5.0), at=0.3)
    run(caller, 2.0)
    assert caller.spans[1].start == pytest.approx(1.0)


def test_the_limit_of_a_step_is_a_silence_of_the_agent() -> None:
    caller, player = make_caller(step("say", 0.5, start="agent_end", limit=2.0))
    player.add("answer", tone(3.0), at=1.0)
    caller._agent.start_response()  # which never ends
    run(caller, 7.0)
    assert caller.spans[0].start == pytest.approx(6.0)
    assert caller.events[0].data == {"step": 0, "lead": 0.0, "timed_out": True}


def test_steps_without_audio_take_no_time() -> None:
    caller, _ = make_caller(Step(kind="wait", delay=0.1), Step(kind="wait", audio=(0.1,)), step("say", 0.02))
    run(caller, 0.5)
    assert [round(event.at, 6) for event in caller.events if event.kind is EventKind.STEP_STARTED] == [0.1, 0.1, 0.2]
    assert [span.step for span in caller.spans] == [2]
