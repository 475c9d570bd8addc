"""Metrics of hallucination, against counts by hand and second implementations."""

from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.core.types import Generation, Record, Sample
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Localized, Profiled
from auricle.metrics.intervals import compare_paired
from auricle.metrics.multi_answer import apply_aggregations
from auricle.scoring.score_table import ScoreTable
from auricle.tasks.asr.error_rates import count_errors
from auricle.tasks.asr.hallucination import (
    MAX_PERIOD,
    find_loops,
    hallucination,
    insertion_bursts,
    list_insertion_runs,
    nonspeech_output,
    nonspeech_words_per_minute,
    nothing_heard,
    other_script,
    repetition_loops,
)


def score(metric: Metric, target: str, *texts: str) -> list[Any]:
    sample = Sample(id="1", inputs={}, target=target)
    stats: list[Any] = [metric.score(sample, Generation(text=text)) for text in texts]
    return [stat[0] if isinstance(stat, tuple) else stat for stat in stats]


def make_record(target: str, text: str, audio_seconds: float | None = 30.0) -> Record:
    sample = Sample(id=text or "empty", inputs={}, target=target)
    return Record(sample=sample, row=0, outputs=(Generation(text=text),), audio_seconds=audio_seconds)


# --- loops ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("the first is the first is the first is the first is", [(3, 0, 12)]),
        ("no no no", []),
        ("no no no no", [(1, 0, 4)]),
        ("a b a b a b", []),
        ("no no no no no no no no", [(1, 0, 8)]),
        ("a b a b a b a b a b a b a b a b", [(2, 0, 16)]),
        ("so a b a b a b a b a c", [(2, 1, 10)]),
        ("x x x x y z y z y z y z", [(1, 0, 4), (2, 4, 12)]),
        (" ".join(f"w{index}" for index in range(MAX_PERIOD)) + " ", []),
        ("", []),
    ],
)
def test_words_repeated_four_times_in_a_row_are_a_loop(text: str, loops: list[tuple[int, int, int]]) -> None:
    assert [(len(loop.unit), loop.start, loop.end) for loop in find_loops(text.split())] == loops


@pytest.mark.parametrize(("period", "is_loop"), [(MAX_PERIOD, True), (MAX_PERIOD + 1, False)])
def test_a_loop_has_a_limited_period(period: int, is_loop: bool) -> None:
    words = [f"w{index}" for index in range(period)] * 4
    assert bool(find_loops(words)) is is_loop
    assert not find_loops(words[:-1])


def has_repeats(words: list[str]) -> bool:
    """Compare every n-gram with the following three, which is another algorithm."""
    return any(
        words[start : start + size] * 4 == words[start : start + 4 * size]
        for size in range(1, len(words) // 4 + 1)
        for start in range(len(words))
    )


@given(st.lists(st.sampled_from("ab"), max_size=24))
def test_loops_are_those_of_another_algorithm(words: list[str]) -> None:
    assert bool(find_loops(words)) is has_repeats(words)


def test_a_loop_that_was_spoken_does_not_count() -> None:
    assert score(repetition_loops, "bye bye bye bye", "bye bye bye bye bye", "no no no no") == [0.0, 1.0]
    assert score(repetition_loops, "a b a b a b a b", "b a b a b a b a") == [0.0]
    assert score(repetition_loops, "谢谢", "谢谢谢谢谢谢谢谢", "谢谢") == [1.0, 0.0]


def test_words_in_loops_are_counted_once() -> None:
    stat = repetition_loops.score(Sample(id="1", inputs={}, target=""), Generation(text="Well. No, no, no, no, no!"))
    assert stat == (1.0, 5, 6)
    assert repetition_loops.details([stat, (0.0, 0, 4)]) == {"with_loops": 1, "words_in_loops": 5, "words": 10}
    assert repetition_loops.aggregate([stat, (0.0, 0, 4)]) == 0.5


# --- bursts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "hypothesis", "runs"),
    [
        ("a b", "a b", []),
        ("a b", "a x y b z", [2, 1]),
        ("", "x y z", [3]),
        ("a b c", "a c", []),
        ("a b", "x x x x x a b y", [5, 1]),
    ],
)
def test_runs_of_inserted_words(reference: str, hypothesis: str, runs: list[int]) -> None:
    assert list_insertion_runs(reference.split(), hypothesis.split()) == runs


@given(*[st.lists(st.sampled_from("abc"), max_size=10)] * 2)
@pytest.mark.thorough
def test_runs_contain_all_insertions_of_the_word_error_rate(reference: list[str], hypothesis: list[str]) -> None:
    assert sum(list_insertion_runs(reference, hypothesis)) == count_errors(reference, hypothesis)[2]


def test_five_inserted_words_in_a_row_are_a_burst() -> None:
    texts = (
        "so it was and thank you very much",
        "so it was and thank you all",
        "please subscribe so it was to my channel",
    )
    assert score(insertion_bursts, "so it was", *texts) == [1.0, 0.0, 0.0]
    stats = [insertion_bursts.score(Sample(id="1", inputs={}, target="so it was"), Generation(text=t)) for t in texts]
    assert insertion_bursts.details(stats) == {"with_bursts": 1, "inserted_in_bursts": 5, "inserted": 14}


# --- non-speech ----------------------------------------------------------------------------------


def test_words_per_minute_are_pooled_over_sounds_without_speech() -> None:
    records = [
        make_record("", "you", 10.0),
        make_record("", "♪♪", 20.0),
        make_record("", "thank you for watching", 60.0),
        make_record("", "There is no speech in the audio.", 30.0),
        make_record("hello", "hello world", 30.0),
    ]
    table = ScoreTable([nonspeech_words_per_minute, nonspeech_output])
    table.add_all(records)
    rate, output = table.columns
    stats = [(1, 10 / 60, 1, 0), (0, 20 / 60, 1, 0), (4, 1, 4, 0), (0, 0.5, 7, 1)]
    assert rate.stats[[0, 1, 2, 3]].tolist() == [pytest.approx(stat) for stat in stats]  # type: ignore[index]
    assert nonspeech_words_per_minute.aggregate(stats) == pytest.approx(5 / 2)
    assert nonspeech_words_per_minute.details(stats) == {
        "words": 5, "minutes": 2.0, "words_before_normalising": 13, "statements_of_no_speech": 1,
    }  # fmt: skip
    assert output.stats[[0, 1, 2, 3]].tolist() == [[1, 1], [0, 1], [1, 1], [0, 1]]  # type: ignore[index]
    assert [list(column.not_applicable) for column in (rate, output)] == [[4], [4]]


def test_a_sound_of_unknown_length_has_no_rate() -> None:
    table = ScoreTable([nonspeech_words_per_minute])
    table.add(make_record("", "you", None))
    assert list(table.columns[0].reasons) == ["SampleError: the duration of its audio is unknown"]


def test_characters_are_words_where_a_script_has_no_spaces() -> None:
    sample = Sample(id="1", inputs={}, target="")
    stat = nonspeech_words_per_minute.score(sample, Generation(text="请不吝点赞 订阅"), audio_seconds=60)
    assert stat == (7, 1, 2, 0)


def test_a_rate_of_several_answers_knows_the_duration() -> None:
    (metric,) = apply_aggregations([nonspeech_words_per_minute], ["mean"])
    record = make_record("", "you")
    table = ScoreTable([metric])
    line = table.add(replace(record, outputs=(Generation(text="you"), Generation(text=""))))
    assert metric.sample_value(line.stats[metric.name]) == pytest.approx(1.0)


def test_the_normaliser_decides_what_a_word_is() -> None:
    sample = Sample(id="1", inputs={}, target="")
    assert isinstance(nonspeech_output, Profiled)
    english = nonspeech_output.with_profile("whisper-en")
    assert english.score(sample, Generation(text="(upbeat music)")) == (0.0, 1.0)
    assert nonspeech_output.score(sample, Generation(text="(upbeat music)")) == (1.0, 1.0)
    assert english.profile == "whisper-en"
    for metric in (repetition_loops, insertion_bursts):
        assert isinstance(metric, Profiled)
        changed = metric.with_profile("whisper-en")
        assert (changed.title, changed.profile) == (metric.title, "whisper-en")
        assert score(changed, "", "(a b c d e f) 1 1 1 1 1", "(a a a a a)") == [1.0, 0.0]
        assert score(metric, "", "a a a a a") == [1.0]
    assert english.signature != nonspeech_output.signature


# --- scripts and statements ----------------------------------------------------------------------


def test_an_answer_mostly_in_another_script_than_the_reference_counts() -> None:
    assert score(other_script, "good morning", "доброе утро", "good утро", "Dobroye", "", "123") == [1, 0, 0, 0, 0]
    assert score(other_script, "我想要 coffee", "I want coffee", "コーヒー", "나는 커피") == [0, 0, 1]


def test_without_letters_in_the_reference_the_language_decides_or_nothing() -> None:
    sample, russian = Sample(id="1", inputs={}, target=""), Generation(text="Продолжение следует")
    assert other_script.score(sample, russian) is None
    assert isinstance(other_script, Localized)
    english = other_script.with_language("en")
    assert (english.score(sample, russian), english.score(sample, Generation(text="you"))) == (1.0, 0.0)
    assert (other_script.signature, english.signature) == (
        "other_script:1.majority.reference",
        "other_script:1.majority.latin",
    )


def test_a_reply_that_nothing_can_be_heard_counts_unless_it_was_spoken() -> None:
    statement = "I can't hear the audio."
    assert score(nothing_heard, "hello", statement, "hello") == [1.0, 0.0]
    assert score(nothing_heard, statement, statement) == [0.0]


def test_all_are_better_if_lower_and_named_in_the_set() -> None:
    assert not any(metric.higher_is_better for metric in hallucination)
    assert [metric.title for metric in hallucination] == [
        *("Non-speech with output", "Words per minute of non-speech", "Repetition loops", "Insertion bursts"),
        *("Other script", "Nothing heard"),
    ]
    shares = [metric for metric in hallucination if metric.unit == "share"]
    bounds: list[Any] = [metric.bound(Sample(id="1", inputs={}, target="a")) for metric in shares]
    for metric, (worst, best) in zip(shares, bounds, strict=True):
        assert (metric.badness(worst), metric.badness(best)) == (1.0, 0.0)
        assert (metric.aggregate([worst, best]), metric.is_hit(worst), metric.is_hit(best)) == (0.5, False, True)
        assert compare_paired([worst] * 9, [best] * 9, metric.aggregate).difference == -1.0


def test_statistics_are_what_a_score_table_returns() -> None:
    table = ScoreTable(hallucination)
    table.add_all([make_record("", "you", 2.0), make_record("", "no no no no no", 2.0)])
    for column in table.columns:
        stats = column.stats[np.arange(len(column.indices))]
        assert [column.metric.badness(stat) for stat in stats] == sorted(map(column.metric.badness, stats))
    assert [key for key, _ in groupby(metric.unit for metric in hallucination)] == ["share", "points", "share"]
