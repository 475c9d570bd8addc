"""Metrics of streaming recognition on a call whose words have known times."""

from typing import Any

import pytest

from auricle import Generation, Metric, Sample
from auricle.core.calls import CallRecording, Event, EventKind
from auricle.metrics.capabilities import Profiled
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.calls.metrics import streaming
from tests.tasks.calls.metrics.recordings import caller, happens, record

TEXT = "one two three four"
SAMPLE = Sample(
    id="1", inputs={}, target=TEXT, meta={"words": [[word, i, i + 1.0] for i, word in enumerate(TEXT.split())]}
)
START = happens(0.0, EventKind.STEP_STARTED, data={"step": 0})


def partial(at: float, text: str, kind: str = "partial") -> Event:
    return happens(at, EventKind.PARTIAL, item="a", text=text, type=kind)


def stream(*events: Event) -> CallRecording:
    return record(caller(0.0, 4.0), START, *events)


STEADY = stream(
    partial(1.3, "one"),
    partial(2.3, "one to"),  # revised at 3.3
    partial(3.3, "one two three"),
    happens(4.4, EventKind.FINAL, item="a", text="One two three four."),
)


def compute(metric: Metric, *recordings: CallRecording, sample: Sample = SAMPLE) -> float:
    stats: list[Any] = [metric.score(sample, recording) for recording in recordings]
    return metric.aggregate(stats)


def test_delays_have_their_anchors() -> None:
    assert compute(streaming.first_partial_delay, STEADY) == pytest.approx(1.3)
    assert compute(streaming.finalisation_delay, STEADY) == pytest.approx(0.4)


def test_words_have_the_delay_of_the_first_text_with_them() -> None:
    stat: Any = streaming.word_emission_delay.score(SAMPLE, STEADY)
    assert stat[0] == pytest.approx((0.3, 1.3, 0.3, 0.4))
    assert compute(streaming.word_emission_recall, STEADY) == 1.0


def test_missed_words_lower_the_recall_and_have_no_delay() -> None:
    recording = stream(happens(4.4, EventKind.FINAL, item="a", text="one three four"))
    stat: Any = streaming.word_emission_delay.score(SAMPLE, recording)
    assert len(stat[0]) == 3
    assert compute(streaming.word_emission_recall, recording) == 0.75


def test_without_word_times_there_is_no_emission_delay() -> None:
    sample = Sample(id="1", inputs={}, target=TEXT)
    assert streaming.word_emission_delay.score(sample, STEADY) is None
    assert streaming.word_emission_recall.score(sample, STEADY) is None


@pytest.mark.parametrize(
    ("events", "trigger"),
    [
        ([], "endpoint"),
        ([happens(4.0, EventKind.END_OF_AUDIO)], "end_of_audio"),
        ([happens(4.0, EventKind.END_OF_TURN), happens(4.1, EventKind.END_OF_AUDIO)], "end_of_turn"),
        ([happens(9.0, EventKind.END_OF_AUDIO)], "endpoint"),
    ],
)
def test_details_name_what_triggered_the_final_text(events: list[Event], trigger: str) -> None:
    recording = stream(happens(4.4, EventKind.FINAL, item="a", text="one"), *events)
    stat: Any = streaming.finalisation_delay.score(SAMPLE, recording)
    assert streaming.finalisation_delay.details([stat])[trigger]["values"] == 1


def test_the_empty_text_of_silence_is_no_finalisation() -> None:
    text = happens(4.4, EventKind.FINAL, item="a", text="one two three four")
    silence = happens(6.0, EventKind.FINAL, item="b", text="")
    assert compute(streaming.finalisation_delay, stream(text, silence)) == pytest.approx(0.4)
    assert streaming.finalisation_delay.score(SAMPLE, stream(silence)) is None


def test_one_revised_word_is_counted_once_by_each_measure_of_stability() -> None:
    assert compute(streaming.normalised_erasure, STEADY) == pytest.approx(1 / 4)
    assert compute(streaming.unstable_partial_words, STEADY) == pytest.approx(1 / 4)
    # Five edits: one, to, to → two, three, four. Four are necessary.
    assert compute(streaming.edit_overhead, STEADY) == pytest.approx(1 / 5)


def test_an_early_revision_erases_all_that_follows_but_changes_one_word() -> None:
    recording = stream(partial(1, "won two three"), happens(4.4, EventKind.FINAL, item="a", text="one two three"))
    assert compute(streaming.normalised_erasure, recording) == pytest.approx(3 / 3)
    assert compute(streaming.unstable_partial_words, recording) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "metric", [streaming.normalised_erasure, streaming.edit_overhead, streaming.unstable_partial_words]
)
def test_stability_of_texts_that_can_only_grow_is_unknown_rather_than_perfect(metric: Metric) -> None:
    grown = stream(partial(1, "one", "transcription.delta"), happens(4.4, EventKind.FINAL, item="a", text=TEXT))
    assert metric.score(SAMPLE, grown) is None
    assert metric.score(SAMPLE, stream(happens(4.4, EventKind.FINAL, item="a", text=TEXT))) is None


def test_word_error_rates_fall_with_the_budget_to_the_ordinary_one() -> None:
    budgets = (streaming.wer_at_0ms, streaming.wer_at_200ms, streaming.wer_at_500ms, streaming.wer_at_2000ms)
    rates = [compute(metric, STEADY) for metric in budgets]
    ordinary: Any = wer.score(SAMPLE, Generation(text=STEADY.understood))
    assert rates == [0.25, 0.25, 0.0, 0.0]
    assert rates[-1] == wer.aggregate([ordinary])


def test_nothing_that_arrives_in_time_is_an_empty_answer() -> None:
    late = stream(happens(9.0, EventKind.FINAL, item="a", text=TEXT))
    assert compute(streaming.wer_at_2000ms, late) == 1.0


def test_words_lag_from_when_they_stay() -> None:
    stat: Any = streaming.list_source_delays(STEADY, lambda text: text.lower().strip(".").split())
    assert stat == (pytest.approx([1.3, 3.3, 3.3, 4.0]), 4.0)
    assert compute(streaming.streaming_ap, STEADY) == pytest.approx((1.3 + 3.3 + 3.3 + 4.0) / 16)
    assert compute(streaming.streaming_al, STEADY) == pytest.approx((1.3 + 2.3 + 1.3 + 1.0) / 4)
    assert compute(streaming.streaming_laal, STEADY) == compute(streaming.streaming_al, STEADY)
    assert compute(streaming.streaming_dal, STEADY) == pytest.approx((1.3 + 2.3 + 2.3 + 2.3) / 4)


def test_nothing_understood_has_no_lag() -> None:
    assert streaming.streaming_al.score(SAMPLE, stream()) is None
    assert streaming.real_time_factor.score(SAMPLE, stream()) is None


def test_the_real_time_factor_is_that_of_the_last_text() -> None:
    assert compute(streaming.real_time_factor, STEADY) == pytest.approx(1.1)


def test_the_recording_may_belong_to_a_text() -> None:
    output = Generation(text=STEADY.understood, call=STEADY)
    stat: Any = streaming.first_partial_delay.score(SAMPLE, output)
    assert stat[0] == pytest.approx((1.3,))


def test_the_normaliser_is_part_of_the_signature_and_can_be_changed() -> None:
    metric = streaming.normalised_erasure
    assert isinstance(metric, Profiled)
    changed = metric.with_profile("none")
    assert changed.signature != metric.signature
    assert compute(changed, STEADY) > compute(metric, STEADY)  # `one` becomes `One`
