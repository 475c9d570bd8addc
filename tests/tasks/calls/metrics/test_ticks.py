"""Calls as ticks."""

from auricle.tasks.calls.metrics.ticks import (
    Effect,
    Tick,
    drop_last_word,
    list_agent_segments,
    list_caller_segments,
    list_effects_outside_speech,
    make_ticks,
    parse_tau_ticks,
)
from tests.tasks.calls.metrics.recordings import agent, caller, record


def test_a_side_speaks_in_every_tick_that_has_any_of_its_speech() -> None:
    ticks = make_ticks(record(caller(0.4, 0.8), agent(0.7, 1.01), seconds=1.4))
    assert "".join("x" if tick.caller else "." for tick in ticks) == "..xx..."
    assert "".join("x" if tick.agent else "." for tick in ticks) == "...xxx."


def test_backchannels_are_speech_and_other_sounds_are_effects_or_left_out() -> None:
    recording = record(
        caller(0, 0.2, "backchannel", step=0),
        caller(0.4, 0.6, "vocalise", step=1, text="ahem"),
        caller(0.8, 1.0, "aside", step=2),
        caller(1.2, 1.4, "noise", step=3),
        seconds=1.4,
    )
    ticks = make_ticks(recording)
    assert ticks[0] == Tick(caller=True, is_backchannel=True)
    assert ticks[2] == Tick(effects=frozenset({Effect("vocal_tic", "ahem")}))
    assert ticks[4] == Tick(effects=frozenset({Effect("non_directed_speech")}))
    assert ticks[6] == Tick()


def test_a_tick_has_all_effects_in_it() -> None:
    sounds = caller(0, 0.2, "vocalise", step=0, text="ahem"), caller(0, 0.2, "aside", step=1, text="hold on")
    [tick] = make_ticks(record(*sounds, seconds=0.2))
    assert tick.effects == {Effect("vocal_tic", "ahem"), Effect("non_directed_speech", "hold on")}


def test_files_of_tau_voice_are_read() -> None:
    speaking = {"contains_speech": True, "turn_taking_action": {"action": "backchannel"}, "speech_effects": None}
    insert = {"type": "non_directed", "text": "hold on"}
    coughing = {
        "contains_speech": False,
        "source_effects": {"speech_insert": insert},
        "speech_effects": {"speech_insert": None},
    }
    simulation = {
        "ticks": [
            {"user_chunk": speaking, "agent_chunk": {"contains_speech": True}},
            {"user_chunk": coughing, "agent_chunk": None},
            {"user_chunk": None, "agent_chunk": {"contains_speech": None}},
        ]
    }
    assert parse_tau_ticks(simulation) == [
        Tick(caller=True, agent=True, is_backchannel=True),
        Tick(effects=frozenset({Effect("non_directed_speech", "hold on")})),
        Tick(),
    ]


def test_segments_have_what_the_other_side_does_at_their_ends() -> None:
    ticks = [Tick(False, True), Tick(True, True), Tick(True, False), Tick(False, True), Tick(True, False)]
    first, second = list_caller_segments(ticks)
    assert (first.start, first.end, first.overlaps_at_start, first.overlaps_at_end) == (1, 3, True, True)
    assert (second.start, second.end, second.overlaps_at_end) == (4, 5, False)
    assert [(segment.start, segment.end) for segment in list_agent_segments(ticks)] == [(0, 2), (3, 4)]


def test_the_last_tick_is_dropped_only_if_the_caller_begins_in_it() -> None:
    assert len(drop_last_word([Tick(), Tick(True)])) == 1
    assert len(drop_last_word([Tick(True), Tick(True)])) == 2
    assert len(drop_last_word([Tick(True)])) == 1


def test_effects_outside_speech_are_joined_while_they_last() -> None:
    cough, remark = (frozenset({Effect(kind)}) for kind in ("vocal_tic", "non_directed_speech"))
    ticks = [Tick(effects=cough), Tick(effects=cough), Tick(True, effects=cough), Tick(effects=remark)]
    assert list_effects_outside_speech(ticks) == [("vocal_tic", 0, 2), ("non_directed_speech", 3, 4)]
