"""Turns, answers, overlaps, intrusions and pauses of recordings that are made by hand."""

import pytest

from auricle.core.calls import EventKind
from auricle.tasks.calls.metrics.turns import (
    intersect,
    list_exchanges,
    list_intrusions,
    list_overlaps,
    list_pause_results,
    list_turns,
    merge_intervals,
)
from tests.tasks.calls.metrics.recordings import agent, caller, cut_speech, happens, record, speak


def test_the_clips_of_a_step_are_one_turn_with_pauses() -> None:
    recording = record(caller(0, 1, step=0, text="And on"), caller(2.2, 3, step=0), caller(5, 6, step=1))
    first, second = list_turns(recording)
    assert (first.start, first.end, first.pauses, first.text) == (0, 3, ((1, 2.2),), "And on")
    assert second.pauses == ()


# --- answers --------------------------------------------------------------------------------------


def test_an_answer_has_the_times_of_all_that_leads_to_it() -> None:
    recording = record(
        caller(1, 3),
        happens(3.5, EventKind.SPEECH_STOPPED),
        happens(3.8, EventKind.AUDIO, item="a", seconds=2.0),
        happens(3.8, EventKind.PLAYBACK_STARTED, item="a"),
        agent(3.9, 5.8),
    )
    (exchange,) = list_exchanges(recording)
    assert exchange.voice_to_voice == pytest.approx(0.9)
    assert (exchange.endpoint_at, exchange.first_audio_at, exchange.playback_at) == (3.5, 3.8, 3.8)
    assert not exchange.has_tool_call


def test_a_turn_without_answer_has_no_latency() -> None:
    (exchange,) = list_exchanges(record(caller(1, 3), seconds=13))
    assert exchange.answer is None
    assert exchange.voice_to_voice is None


def test_an_answer_after_the_next_turn_began_is_not_an_answer_to_the_first() -> None:
    first, second = list_exchanges(record(caller(1, 2), caller(4, 5, step=1), agent(5.5, 7)))
    assert first.answer is None
    assert second.voice_to_voice == pytest.approx(0.5)


def test_an_agent_that_talks_over_the_caller_has_a_negative_latency() -> None:
    recording = record(caller(0, 3), agent(0.5, 4.5))
    (exchange,) = list_exchanges(recording)
    assert exchange.voice_to_voice == pytest.approx(-2.5)
    assert len(list_intrusions(recording)) == 1
    assert intersect([(0, 3)], [(0.5, 4.5)]) == pytest.approx(2.5)


def test_a_backchannel_of_the_agent_is_no_answer() -> None:
    (exchange,) = list_exchanges(record(caller(0, 5), agent(2, 2.4), agent(6, 8)))
    assert exchange.voice_to_voice == pytest.approx(1.0)


def test_speech_that_began_before_a_barge_in_is_not_its_answer() -> None:
    _, barge_in = list_exchanges(record(caller(0, 1), agent(2, 4.2), caller(4, 5, "interrupt", step=1), agent(6, 7)))
    assert barge_in.voice_to_voice == pytest.approx(1.0)


def test_reports_of_an_end_before_the_turn_ended_are_about_a_pause() -> None:
    stops = [happens(at, EventKind.SPEECH_STOPPED) for at in (1.5, 3.6)]
    (exchange,) = list_exchanges(record(caller(0, 1, step=0), caller(2, 3, step=0), *stops, agent(4, 5)))
    assert exchange.endpoint_at == 3.6


def test_audio_without_an_id_leaves_the_first_byte_unknown() -> None:
    recording = record(
        caller(0, 1),
        happens(1.5, EventKind.AUDIO, seconds=1.0),
        happens(1.5, EventKind.PLAYBACK_STARTED),
        agent(1.5, 2.5),
    )
    assert list_exchanges(recording)[0].first_audio_at is None


def test_a_tool_call_before_the_answer_marks_the_exchange() -> None:
    call = happens(2.0, EventKind.TOOL_CALL, data={"name": "book", "arguments": {}})
    recording = record(caller(0, 1), call, agent(3, 4), caller(5, 6, step=1), agent(7, 8))
    assert [exchange.has_tool_call for exchange in list_exchanges(recording)] == [True, False]


# --- overlaps -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent_at_once", [True, False])
def test_a_barge_in_that_stops_the_agent_has_the_latency_of_the_player(sent_at_once: bool) -> None:
    speech = cut_speech(2.0, 3.2, "a", planned=6.0, sent_at_once=sent_at_once)
    signal = happens(3.15, EventKind.SPEECH_STARTED)
    (overlap,) = list_overlaps(record(caller(3.0, 4.0, "interrupt"), *speech, signal))
    assert overlap.reaction == "stopped"
    assert overlap.stop_seconds == pytest.approx(0.2)
    assert overlap.signal_seconds == pytest.approx(0.15)


def test_a_deaf_agent_does_not_yield_and_has_no_yield_latency() -> None:
    (overlap,) = list_overlaps(record(caller(3, 4, "interrupt"), *speak(2, 8, "a")))
    assert (overlap.reaction, overlap.stop_seconds, overlap.signal_seconds) == ("went_on", None, None)


@pytest.mark.parametrize("reacts", [True, False])
def test_a_barge_in_near_the_agents_own_end_is_left_out_whatever_the_agent_does(reacts: bool) -> None:
    speech = cut_speech(2, 3.2, "a", planned=1.7) if reacts else speak(2, 3.7, "a")
    (overlap,) = list_overlaps(record(caller(3, 4, "interrupt"), *speech))
    assert (overlap.reaction, overlap.stop_seconds) == ("unknown", None)


def test_an_agent_that_reports_the_caller_and_finishes_its_sentence_did_not_yield() -> None:
    signal = happens(3.2, EventKind.SPEECH_STARTED)
    (overlap,) = list_overlaps(record(caller(3, 4, "interrupt"), *speak(2, 4.5, "a"), signal))
    assert overlap.reaction == "went_on"
    assert overlap.signal_seconds == pytest.approx(0.2)


def test_an_agent_that_cancels_its_response_yielded_without_a_flush() -> None:
    audio = happens(2, EventKind.AUDIO, item="a", seconds=1.3)
    started = happens(2, EventKind.PLAYBACK_STARTED, item="a")
    cancelled = happens(3.2, EventKind.RESPONSE_DONE, data={"status": "cancelled"})
    (overlap,) = list_overlaps(record(caller(3, 4, "interrupt"), agent(2, 3.3), audio, started, cancelled))
    assert overlap.reaction == "stopped"
    assert overlap.stop_seconds == pytest.approx(0.3)
    assert overlap.signal_seconds == pytest.approx(0.2)


def test_an_agent_that_stops_at_a_backchannel_and_goes_on_has_resumed() -> None:
    speech = cut_speech(2, 3.2, "a", planned=6)
    (overlap,) = list_overlaps(record(caller(3, 3.3, "backchannel"), *speech, *speak(4.2, 7, "b")))
    assert (overlap.reaction, overlap.resumed) == ("stopped", True)


def test_an_answer_to_a_question_in_between_is_no_resumption() -> None:
    speech = cut_speech(2, 3.2, "a", planned=6)
    question = caller(3.5, 4, "say", step=1)
    overlaps = list_overlaps(record(caller(3, 3.3, "backchannel", step=0), question, *speech, *speak(4.5, 7, "b")))
    assert [overlap.resumed for overlap in overlaps] == [False]


def test_a_backchannel_that_the_agent_speaks_through_is_handled() -> None:
    (overlap,) = list_overlaps(record(caller(3, 3.3, "backchannel"), *speak(2, 8, "a")))
    assert (overlap.reaction, overlap.resumed) == ("went_on", False)


@pytest.mark.parametrize("reacts", [True, False])
def test_a_backchannel_near_the_agents_own_end_is_left_out_whatever_the_agent_does(reacts: bool) -> None:
    speech = cut_speech(2, 3.1, "a", planned=1.4) if reacts else speak(2, 3.4, "a")
    (overlap,) = list_overlaps(record(caller(3, 3.3, "backchannel"), *speech))
    assert overlap.reaction == "unknown"


def test_a_sound_while_the_agent_is_silent_is_no_overlap() -> None:
    assert list_overlaps(record(caller(3, 4, "interrupt"), *speak(0, 2, "a"))) == []


def test_an_agent_that_reports_no_ends_and_falls_silent_has_yielded() -> None:
    (overlap,) = list_overlaps(record(caller(3, 4, "interrupt"), agent(2, 3.4)))
    assert overlap.reaction == "stopped"


# --- speech of the agent during turns ---------------------------------------------------------------


def test_pauses_in_which_the_agent_begins_are_separated_from_those_it_waits_through() -> None:
    clips = [caller(0, 1, step=0), caller(2.2, 3, step=0), caller(4, 5, step=0)]
    assert [silent for _, silent in list_pause_results(record(*clips, agent(1.6, 2.0)))] == [False, True]


def test_a_pause_that_begins_while_the_agent_speaks_shows_nothing() -> None:
    clips = [caller(0, 1, step=0), caller(2.2, 3, step=0)]
    assert list_pause_results(record(*clips, agent(0.5, 4))) == [((1, 2.2), None)]


def test_intrusions_include_those_in_pauses_and_may_be_several_in_a_turn() -> None:
    recording = record(caller(0, 1, step=0), caller(3, 4, step=0), agent(0.5, 0.9), agent(1.5, 2), agent(4.5, 6))
    assert [span.start for _, span in list_intrusions(recording)] == [0.5, 1.5]


def test_intervals_that_touch_are_joined() -> None:
    assert merge_intervals([(3, 4), (0, 1), (1, 2)]) == [(0, 2), (3, 4)]
