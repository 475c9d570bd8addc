"""Simulations of τ-voice as recordings of calls."""

from __future__ import annotations

import random
from typing import Any

import pytest

from auricle.core.calls import Span
from auricle.frameworks.tau_voice.recordings import make_recording
from auricle.tasks.calls.metrics.tau_voice import count_tau_events
from auricle.tasks.calls.metrics.ticks import make_ticks, parse_tau_ticks
from tests.frameworks.tau_voice.simulations import make_simulation


def _shape(span: Span) -> tuple[str, float, float]:
    return span.kind, round(span.start, 6), round(span.end, 6)


def test_speech_of_both_sides_becomes_spans() -> None:
    recording = make_recording(make_simulation(caller="xx......xx..", agent="...xxxxxxx.."))
    assert [_shape(span) for span in recording.caller] == [("say", 0.0, 0.4), ("interrupt", 1.6, 2.0)]
    assert [_shape(span) for span in recording.agent] == [("agent", 0.6, 2.0)]
    assert recording.seconds == pytest.approx(2.4)


def test_a_turn_that_begins_together_with_the_agent_is_no_interruption() -> None:
    recording = make_recording(make_simulation(caller="..xx..", agent="..xxxx"))
    assert [span.kind for span in recording.caller] == ["say"]


def test_backchannels_tics_and_speech_to_others_keep_their_kinds() -> None:
    recording = make_recording(make_simulation(caller=".b..t..n..", agent="xxxxxxxxxx"))
    assert [_shape(span) for span in recording.caller] == [
        ("backchannel", 0.2, 0.4),
        ("vocalise", 0.8, 1.0),
        ("aside", 1.4, 1.6),
    ]


def test_a_last_word_that_only_ends_the_simulation_is_left_out() -> None:
    recording = make_recording(make_simulation(caller="xx..x", agent="...x."))
    assert [_shape(span) for span in recording.caller] == [("say", 0.0, 0.4)]
    assert recording.seconds == pytest.approx(0.8)


@pytest.mark.parametrize("seed", range(20))
def test_the_events_of_the_ticks_can_be_derived_from_the_recording(seed: int) -> None:
    chance = random.Random(seed)
    caller = "".join(chance.choice("....xbtnT") * chance.randint(1, 6) for _ in range(60))
    agent = "".join(chance.choice(".x") * chance.randint(1, 9) for _ in range(80))[: len(caller)].ljust(
        len(caller), "."
    )
    simulation = make_simulation(caller, agent)
    assert count_tau_events(make_ticks(make_recording(simulation))) == count_tau_events(parse_tau_ticks(simulation))


def test_texts_and_tool_calls_are_kept_where_the_file_has_them() -> None:
    simulation = make_simulation(caller="xx....", agent="...xx.")
    ticks = simulation["ticks"]
    ticks[0]["user_chunk"]["content"], ticks[1]["user_chunk"]["content"] = "Book a ", "table."
    ticks[3]["agent_chunk"]["content"], ticks[4]["agent_chunk"]["content"] = "It is boo", "ked."
    ticks[2]["agent_tool_calls"] = [{"id": "c1", "name": "book", "arguments": {"people": 4}}]
    recording = make_recording(simulation)
    assert recording.caller[0].text == "Book a table."
    assert recording.agent[0].text == recording.text == "It is booked."
    assert recording.tool_calls == [{"call_id": "c1", "name": "book", "arguments": {"people": 4}}]


@pytest.mark.parametrize(
    ("reason", "finish"), [("user_stop", "completed"), ("max_steps", "limit"), ("agent_stop", "agent")]
)
def test_the_end_of_the_call_is_known(reason: str, finish: Any) -> None:
    simulation = make_simulation(caller="x..", agent=".x.") | {"termination_reason": reason}
    assert make_recording(simulation).finish == finish
