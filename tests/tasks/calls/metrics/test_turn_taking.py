"""Rates of turn taking of calls that are made by hand."""

from typing import Any

import pytest

from auricle import Metric, Sample
from auricle.core.calls import CallRecording, EventKind, StepKind
from auricle.metrics.capabilities import CountsLeftOut
from auricle.metrics.intervals import compute_interval
from auricle.tasks.calls.metrics import turn_taking
from tests.tasks.calls.metrics.recordings import agent, caller, cut_speech, happens, record, speak

SAMPLE = Sample(id="1", inputs={})


def score(metric: Metric, *recordings: CallRecording) -> list[Any]:
    stats = [metric.score(SAMPLE, recording) for recording in recordings]
    return [stat for stat in stats if stat is not None]


def compute(metric: Metric, *recordings: CallRecording) -> float:
    return metric.aggregate(score(metric, *recordings))


def make_barge_in(yields: bool, answered: bool = True) -> CallRecording:
    speech = cut_speech(2, 3.2, "a", planned=6) if yields else speak(2, 8, "a")
    return record(
        caller(0, 1, step=0),
        *speech,
        caller(3, 4, "interrupt", step=1),
        *(speak(9, 10, "b") if answered else []),
        seconds=20,
    )


def test_response_rate_counts_turns_that_ask() -> None:
    answered = record(caller(0, 1, step=0), agent(2, 3), caller(4, 4.3, "backchannel", step=1))
    missed = record(caller(0, 1))
    assert compute(turn_taking.response_rate, answered, missed) == 0.5
    only_noise = record(caller(0, 1, "noise"))
    assert turn_taking.response_rate.score(SAMPLE, only_noise) is None


def test_a_deaf_agent_lowers_the_yield_rate_and_leaves_the_latency_alone() -> None:
    calls = make_barge_in(yields=True), make_barge_in(yields=False)
    assert compute(turn_taking.barge_in_yield, *calls) == 0.5
    assert compute(turn_taking.yield_latency, *calls) == pytest.approx(0.2)
    assert turn_taking.yield_latency.score(SAMPLE, calls[1]) is None


@pytest.mark.parametrize(("has_audio_left", "stopped"), [(True, 1), (False, None)])
def test_a_silence_inside_speech_that_is_still_to_be_played_is_part_of_it(
    has_audio_left: bool, stopped: int | None
) -> None:
    dropped = 3.0 if has_audio_left else 0.0
    comma = record(
        agent(2, 3.0),
        happens(2, EventKind.PLAYBACK_STARTED, item="a"),
        happens(2, EventKind.AUDIO, item="a", seconds=5.0),
        caller(3.05, 3.4, "backchannel"),
        happens(3.12, EventKind.PLAYBACK_FLUSHED, item="a", seconds=1.12, data={"audible_dropped": dropped}),
    )
    metric = turn_taking.false_yield_backchannel
    stats = score(metric, comma)
    assert (metric.details(stats)["stopped"] if stats else None) == stopped
    assert isinstance(metric, CountsLeftOut)
    assert sum(metric.left_out(SAMPLE, comma).values()) == (0 if has_audio_left else 1)


def test_speech_goes_on_over_a_silence_that_was_sent_with_it() -> None:
    deaf = record(
        *(agent(2, 3), agent(3.5, 6), caller(3.2, 4, "interrupt")), happens(2, EventKind.AUDIO, item="a", seconds=4.0)
    )
    assert compute(turn_taking.barge_in_yield, deaf) == 0.0
    assert compute(turn_taking.agent_interruption, deaf) == 0.0


def test_a_barge_in_at_which_the_call_is_dropped_is_no_yield_and_no_success() -> None:
    dropped = record(
        *(caller(0, 1, step=0), *cut_speech(2, 3.2, "a", planned=6), caller(3, 3.2, "interrupt", step=1)),
        seconds=3.2,
        finish="dropped",
        unreached=("interrupt",),
    )
    assert turn_taking.barge_in_yield.score(SAMPLE, dropped) is None
    assert turn_taking.yield_latency.score(SAMPLE, dropped) is None
    assert compute(turn_taking.barge_in_success, dropped) == 0.0
    assert turn_taking.barge_in_success.details(score(turn_taking.barge_in_success, dropped))["call_dropped"] == 2


def test_success_takes_a_stop_and_an_answer() -> None:
    calls = make_barge_in(True), make_barge_in(True, answered=False), make_barge_in(False)
    assert compute(turn_taking.barge_in_success, *calls) == pytest.approx(1 / 3)


def test_barge_ins_that_show_nothing_are_counted_and_left_out() -> None:
    near_end = record(caller(3, 4, "interrupt"), *speak(2, 3.4, "a"))
    too_late = record(caller(3, 4, "interrupt", step=1), *speak(1, 2, "a"), *cut_speech(5, 6.2, "b", planned=9))
    stat = turn_taking.barge_in_yield.score(SAMPLE, near_end)
    assert stat is None
    both = record(
        *speak(2, 3.4, "a"),
        caller(3, 4, "interrupt", step=0),
        *cut_speech(5, 6.2, "b", planned=9),
        caller(6, 7, "interrupt", step=1),
        caller(12, 13, "interrupt", step=2),
    )
    details = turn_taking.barge_in_yield.details(score(turn_taking.barge_in_yield, both))
    assert (details["barge_ins"], details["near_own_end"], details["agent_was_silent"]) == (1, 1, 1)
    assert turn_taking.barge_in_yield.score(SAMPLE, too_late) is None


def test_detection_separates_deaf_agents_from_those_that_go_on() -> None:
    detected = record(*speak(2, 8, "a"), caller(3, 4, "interrupt"), happens(3.3, EventKind.SPEECH_STARTED))
    details = turn_taking.barge_in_yield.details(score(turn_taking.barge_in_yield, detected))
    assert (details["yielded"], details["detected"]) == (0, 1)
    assert compute(turn_taking.stop_signal_delay, detected) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        (turn_taking.false_yield_backchannel, "backchannel"),
        (turn_taking.false_yield_vocalisation, "vocalise"),
        (turn_taking.false_yield_aside, "aside"),
        (turn_taking.false_yield_noise, "noise"),
    ],
)
def test_each_kind_of_sound_has_a_rate_of_its_own(metric: Metric, kind: StepKind) -> None:
    stops = record(caller(3, 3.3, kind), *cut_speech(2, 3.2, "a", planned=6), *speak(4, 6, "b"))
    goes_on = record(caller(3, 3.3, kind), *speak(2, 8, "a"))
    barge_in = make_barge_in(yields=True)
    assert compute(metric, stops, goes_on, barge_in) == 0.5
    details = metric.details(score(metric, stops, goes_on))
    assert (details["stopped"], details["sounds"], details["resumed"]) == (1, 2, 1)
    assert not metric.higher_is_better


def test_a_slow_stop_after_a_backchannel_is_no_reaction_to_it() -> None:
    later = record(caller(3, 3.3, "backchannel"), *cut_speech(2, 4.5, "a", planned=9))
    assert compute(turn_taking.false_yield_backchannel, later) == 0.0


def test_pauses_are_reported_by_length() -> None:
    def pause(length: float, *speech: Any) -> CallRecording:
        return record(caller(0, 1, step=0), caller(1 + length, 4, step=0), *speech)

    stats = score(
        turn_taking.pause_handling, pause(0.5), pause(1.0), pause(2.0, agent(1.7, 2)), pause(1.0, agent(0, 3))
    )
    assert turn_taking.pause_handling.aggregate(stats) == pytest.approx(2 / 3)
    details = turn_taking.pause_handling.details(stats)
    assert details["pauses"] == 3
    assert details["by_length"]["above_1.5s"] == {"silent": 0, "pauses": 1, "share": 0.0}
    assert details["by_length"]["0.75s_to_1.5s"]["share"] == 1.0


def test_interruptions_of_the_agent_may_exceed_one_per_turn() -> None:
    often = record(caller(0, 10), agent(2, 2.5), agent(4, 4.5), agent(6, 12))
    assert compute(turn_taking.agent_interruption, often) == 3.0
    details = turn_taking.agent_interruption.details(score(turn_taking.agent_interruption, often))
    assert (details["shorter_than_1s"], details["interrupted_turns"]) == (2, 1)


def test_shares_of_time_are_of_the_intervals_not_of_what_is_between_them() -> None:
    recording = record(caller(0, 2, step=0), caller(6, 8, step=1), agent(1, 3), agent(4, 5), seconds=10)
    assert compute(turn_taking.overlap_share, recording) == pytest.approx(1 / 6)
    assert compute(turn_taking.talk_ratio, recording) == pytest.approx(3 / 7)
    assert compute(turn_taking.silence_share, recording) == pytest.approx(0.4)


def test_noise_is_no_speech() -> None:
    recording = record(caller(0, 2, "noise"), agent(0, 2), seconds=4)
    assert compute(turn_taking.overlap_share, recording) == 0.0
    assert compute(turn_taking.talk_ratio, recording) == 1.0


@pytest.mark.parametrize("metric", [turn_taking.barge_in_yield, turn_taking.yield_latency])
def test_intervals_are_over_calls_not_over_events(metric: Metric) -> None:
    def make_call(count: int, stop: float) -> CallRecording:
        speech = [cut_speech(10 * index, 10 * index + stop, f"a{index}", planned=9) for index in range(count)]
        turns = [caller(10 * index + 3, 10 * index + 4, "interrupt", step=index) for index in range(count)]
        return record(*(part for parts in speech for part in parts), *turns, seconds=10 * count)

    few = score(metric, *(make_call(1, 3.2 + index / 10) for index in range(5)))
    many = score(metric, *(make_call(10, 3.2 + index / 10) for index in range(5)))
    few_interval, many_interval = (compute_interval(stats, metric.aggregate) for stats in (few, many))
    assert few_interval.units == many_interval.units == 5
    # Ten equal barge-ins per call instead of one make the number no more certain.
    assert (many_interval.low, many_interval.high) == pytest.approx((few_interval.low, few_interval.high), rel=0.1)
