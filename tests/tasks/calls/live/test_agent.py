"""What the caller knows about the agent."""

from auricle.tasks.calls.live.agent import END_SILENCE, AgentState
from auricle.tasks.calls.live.player import Player
from tests.support.voice_agents import RATE, tone


def make_agent(*arrivals: float) -> tuple[AgentState, Player]:
    """An agent of which audio of 1 s arrived at each of these times."""
    player = Player(RATE)
    for at in arrivals:
        player.add("answer", tone(1.0), at)
    return AgentState(player), player


def test_speech_that_is_over_does_not_count() -> None:
    agent, _ = make_agent(1.0, 5.0)
    assert agent.find_start(since=0.0) == 1.0
    assert agent.find_start(since=1.5) == 1.0
    assert agent.find_start(since=2.0) == 5.0
    assert agent.find_start(since=6.0) is None


def test_an_announced_response_ends_with_its_last_audible_sample() -> None:
    agent, player = make_agent()
    agent.start_response()
    player.add("answer", tone(1.0, tail=0.5), 1.0)
    assert agent.find_end(since=0.5, now=2.4) is None
    agent.end_response()
    assert agent.find_end(since=0.5, now=1.9) is None
    assert agent.find_end(since=0.5, now=2.0) == 2.0
    assert agent.find_end(since=2.0, now=3.0) is None


def test_without_announcements_the_end_is_known_after_a_silence() -> None:
    agent, _ = make_agent(1.0)
    assert agent.find_end(since=0.5, now=2.0 + END_SILENCE - 0.1) is None
    assert agent.find_end(since=0.5, now=2.0 + END_SILENCE) == 2.0


def test_after_a_tool_result_a_response_is_due() -> None:
    agent, _ = make_agent(1.0)
    agent.end_response()
    agent.expect_response()
    assert agent.find_end(since=0.5, now=5.0) is None
    assert not agent.is_silent(5.0)
    agent.start_response()
    agent.end_response()
    assert agent.find_end(since=0.5, now=5.0) == 2.0
    assert agent.is_silent(5.0)


def test_silence_is_counted_from_the_last_audible_sample() -> None:
    agent, _ = make_agent(1.0)
    assert agent.silence(since=0.0, now=0.5) == 0.5
    assert agent.silence(since=0.0, now=1.5) == 0.0
    assert agent.silence(since=0.0, now=2.5) == 0.5
    assert agent.silence(since=2.25, now=2.5) == 0.25
