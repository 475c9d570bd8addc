"""EVA's turn-taking score."""

import pytest

from auricle import Sample
from auricle.core.calls import CallRecording, EventKind
from auricle.tasks.calls.metrics.eva import eva_turn_taking, score_latency
from tests.tasks.calls.metrics.recordings import agent, caller, happens, record


def score(recording: CallRecording) -> float:
    stat = eva_turn_taking.score(Sample(id="1", inputs={}), recording)
    assert isinstance(stat, float)
    return stat


@pytest.mark.parametrize(
    ("latency", "plain", "with_tool"),
    [(-1, 0, 0), (-0.5, 0, 0), (0, 0.5, 0.5), (0.5, 1, 1), (2, 1, 1), (2.75, 0.5, 1), (3.5, 0, 0.75), (5, 0, 0)],
)
def test_the_curve_of_latencies(latency: float, plain: float, with_tool: float) -> None:
    assert score_latency(latency) == pytest.approx(plain)
    assert score_latency(latency, has_tool_call=True) == pytest.approx(with_tool)


def test_turns_have_equal_weight() -> None:
    assert score(record(caller(0, 1, step=0), agent(2, 3), caller(4, 5, step=1), agent(7.75, 9))) == pytest.approx(0.75)


def test_a_tool_call_allows_more_time() -> None:
    call = happens(1.5, EventKind.TOOL_CALL, data={"name": "look_up"})
    assert score(record(caller(0, 1), call, agent(4, 5))) == 1.0


def test_an_agent_that_interrupts_gets_half_at_most() -> None:
    # 0.5 s of overlap: 0.375; one start: 0.5; a gap of 1 s: 1.
    assert score(record(caller(0, 4), agent(2, 2.5), agent(5, 6))) == pytest.approx(0.375)
    # Three starts have the score 0.
    assert score(record(caller(0, 4), agent(1, 1.1), agent(2, 2.1), agent(3, 3.1), agent(5, 6))) == 0.0


def test_a_barge_in_has_the_score_of_the_yield() -> None:
    recording = record(caller(0, 1, step=0), agent(2, 5.5), caller(5, 6, "interrupt", step=1), agent(6.1, 8))
    assert score(recording) == pytest.approx((1.0 + 0.75) / 2)


def test_a_last_turn_without_answer_makes_the_conversation_worthless() -> None:
    assert score(record(caller(0, 1, step=0), agent(2, 3), caller(4, 5, step=1))) == 0.0


def test_the_greeting_and_unanswered_turns_in_between_are_left_out() -> None:
    recording = record(agent(0, 1), caller(2, 3, step=0), caller(8, 9, step=1), agent(10, 11))
    assert score(recording) == 1.0
    assert eva_turn_taking.score(Sample(id="1", inputs={}), record(agent(0, 1))) is None
