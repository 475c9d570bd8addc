"""Word error rates of recordings with several speakers."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest

from auricle.core.errors import AnswerMismatch, MissingExtra, Unreadable
from auricle.core.types import Generation, Sample
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Localized, Profiled, Restricted
from auricle.tasks.asr.words.segments import count_segment_errors
from auricle.tasks.meetings.metrics.catalogue import WORD_METRICS
from auricle.tasks.meetings.metrics.words import (
    FACTORIES,
    WordScoring,
    count_wrong_speakers,
    cpwer,
    dicpwer,
    orcwer,
    segment_errors,
    tcpwer,
    wder,
)
from auricle.tasks.meetings.segment_files import Region
from tests.support.extras import require_extra
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _meeteval() -> None:
    require_extra("meetings")


SAMPLE = make_sample("A 0 4 a b c d\nB 4 7 e f g")
ANSWER = make_answer("1 4 7 e f x\n2 0 4 a b d\n3 8 9 z")


def count(metric: Metric, sample: Sample, answer: Generation) -> tuple[Any, ...]:
    """Return substitutions, deletions, insertions and words of the reference."""
    stat = metric.score(sample, answer)
    assert isinstance(stat, tuple)
    return stat[:4]


def test_speakers_are_mapped_at_the_lowest_cost_and_others_are_insertions() -> None:
    assert count(cpwer, SAMPLE, ANSWER) == (1, 1, 1, 7)
    assert cpwer.aggregate([cpwer.score(SAMPLE, ANSWER)]) == pytest.approx(3 / 7)


def test_words_match_only_within_the_collar() -> None:
    late = make_answer("1 100 104 a b c d\n2 4 7 e f g")
    assert cpwer.aggregate([cpwer.score(SAMPLE, late)]) == 0.0
    assert tcpwer.aggregate([tcpwer.score(SAMPLE, late)]) == pytest.approx(8 / 7)
    wide = FACTORIES["tcpwer"](WordScoring(time_collar=1000))
    assert wide.aggregate([wide.score(SAMPLE, late)]) == 0.0
    assert wide.signature == "tcpwer:1.pooled.collar-1000.basic:2"


def test_confused_speakers_cost_nothing_if_speakers_are_free() -> None:
    sample = make_sample("A 0 2 a b\nA 2 4 c d\nB 4 6 e f")
    answer = make_answer("x 0 2 a b\nx 4 6 e f\ny 2 4 c x")
    assert orcwer.aggregate([orcwer.score(sample, answer)]) == pytest.approx(1 / 6)
    assert dicpwer.aggregate([dicpwer.score(sample, answer)]) == pytest.approx(1 / 6)
    assert cpwer.aggregate([cpwer.score(sample, answer)]) == pytest.approx(4 / 6)
    assert wder.aggregate([wder.score(sample, answer)]) == pytest.approx(2 / 6)


def test_words_inserted_where_nothing_is_spoken_count_in_the_pooled_rate() -> None:
    silent, answer = make_sample("A 0 1"), make_answer("1 0 1 x y")
    stat = cpwer.score(silent, answer)
    assert count(cpwer, silent, answer) == (0, 0, 2, 0)
    assert math.isnan(cpwer.aggregate([stat]))
    assert cpwer.aggregate([stat, cpwer.score(SAMPLE, ANSWER)]) == pytest.approx(5 / 7)


def test_the_profile_normalises_both_sides() -> None:
    sample = make_sample("A 0 1 Colour, please!")
    answer = make_answer("x 0 1 color please")
    assert cpwer.aggregate([cpwer.score(sample, answer)]) == 0.5
    assert isinstance(cpwer, Profiled)
    english = cpwer.with_profile("whisper-en")
    assert english.aggregate([english.score(sample, answer)]) == 0.0
    assert "whisper-en" in english.signature


def test_characters_are_counted_in_languages_without_spaces() -> None:
    assert isinstance(cpwer, Localized)
    chinese = cpwer.with_language("zh")
    assert count(chinese, make_sample("A 0 1 你好吗"), make_answer("x 0 1 你好")) == (0, 1, 0, 3)
    assert chinese.signature == "cpwer:1.pooled.mixed.basic:2"


def test_times_that_are_not_scored_have_no_errors() -> None:
    sample = make_sample("A 0 1 a\nA 20 21 b", [Region(0, 10)], (Region(4, 6),))
    answer = make_answer("x 0 1 a\nx 4 5 noise\nx 30 31 c")
    assert count(cpwer, sample, answer) == (0, 0, 0, 1)


def test_metrics_apply_to_references_that_have_what_they_need() -> None:
    plain, speakers_only = Sample(id="m", inputs={}, target="a"), make_sample("A 0 1")
    words_only = make_sample("<NA> 0 1 a")
    applicable = {
        metric.name: [
            isinstance(metric, Restricted) and metric.applies(sample) for sample in (plain, speakers_only, words_only)
        ]
        for metric in (cpwer, orcwer, wder, segment_errors)
    }
    assert applicable == {
        "cpwer": [False, False, False],
        "orcwer": [False, False, True],
        "wder": [False, False, False],
        "segment_errors": [False, False, True],
    }


def test_more_speakers_than_can_be_scored_are_counted() -> None:
    answer = make_answer("\n".join(f"s{number} {number} {number + 1} a" for number in range(21)))
    with pytest.raises(Unreadable, match="the answer has 21 speakers; metrics of words accept up to 20"):
        cpwer.score(make_sample("A 0 1 a"), answer)


def test_an_answer_of_turns_has_no_words_to_score() -> None:
    for metric in (cpwer, wder, segment_errors):
        with pytest.raises(AnswerMismatch, match="turns without words"):
            metric.score(SAMPLE, make_answer("x 0 4\ny 4 7"))


def test_an_answer_without_segments_misses_all_words() -> None:
    silent = Generation(text="", segments=())
    assert count(cpwer, SAMPLE, silent) == (0, 7, 0, 7)
    assert cpwer.bound(SAMPLE) == (cpwer.score(SAMPLE, silent), (0, 0, 0, 7, 0, 1))


def test_the_wrong_speaker_is_counted_among_aligned_words() -> None:
    reference = list(zip("abcd", "AABB", strict=True))
    assert count_wrong_speakers(reference, list(zip("axcd", "1112", strict=True))) == (1, 4)
    assert count_wrong_speakers(reference, []) == (0, 0)
    assert count_wrong_speakers(reference, list(zip("abcd", "2211", strict=True))) == (0, 4)


@pytest.mark.parametrize(
    ("segments", "answer", "counts"),
    [
        (["a b", "c d"], "a x c d", [(1, 0, 0, 2), (0, 0, 0, 2)]),
        (["a b", "c d"], "a b x c d", [(0, 0, 1, 2), (0, 0, 0, 2)]),  # at a cut: of the earlier one
        (["a b", "c d"], "x a b c d y", [(0, 0, 1, 2), (0, 0, 1, 2)]),
        (["a b", "", "c"], "a b", [(0, 0, 0, 2), (0, 0, 0, 0), (0, 1, 0, 1)]),
        (["", ""], "a b", [(0, 0, 2, 0), (0, 0, 0, 0)]),
        ([], "a", []),
    ],
)
def test_an_alignment_is_cut_at_the_ends_of_segments(
    segments: list[str], answer: str, counts: list[tuple[int, int, int, int]]
) -> None:
    assert count_segment_errors([segment.split() for segment in segments], answer.split()) == counts


def test_one_text_for_the_whole_recording_has_errors_by_segment() -> None:
    stat = segment_errors.score(SAMPLE, Generation(text="a b c d e f"))
    assert stat == (1, 2)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "meeteval", None)
    with pytest.raises(MissingExtra, match=r"auricle\[meetings\]"):
        cpwer.score(SAMPLE, ANSWER)


def test_every_metric_has_a_factory() -> None:
    assert tuple(FACTORIES) == WORD_METRICS


def test_approximate_assignments_are_named_and_the_worst_recording_has_the_highest_rate() -> None:
    assert [metric.name for metric in (cpwer, tcpwer, orcwer, dicpwer) if "greedy" in metric.signature] == [
        "orcwer",
        "dicpwer",
    ]
    short, long = make_sample("A 0 1 a"), make_sample("A 0 9 a b c d e f g h i")
    bad = cpwer.score(short, make_answer("1 0 1 x")) or ()
    better = cpwer.score(long, make_answer("1 0 9 x y c d e f g h i")) or ()
    assert (cpwer.badness(bad), cpwer.badness(better)) == (1.0, 2 / 9)


def test_segments_with_errors_are_pooled() -> None:
    assert segment_errors.aggregate([(1.0, 2.0), (0.0, 2.0)]) == 0.25
