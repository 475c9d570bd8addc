"""Metrics of who speaks when."""

from __future__ import annotations

import math

import pytest

from auricle.core.errors import AnswerMismatch
from auricle.core.types import Generation, Sample, Segment
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Restricted
from auricle.metrics.intervals import compute_interval
from auricle.tasks.meetings.metrics.catalogue import SPEAKER_METRICS
from auricle.tasks.meetings.metrics.diarisation import CONVENTIONS, Scoring
from auricle.tasks.meetings.metrics.speakers import (
    FACTORIES,
    der,
    der_confusion,
    der_false_alarm,
    der_miss,
    jer,
    speaker_count_accuracy,
    speaker_count_error,
)
from auricle.tasks.meetings.segment_files import Region
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample

SAMPLE = make_sample("A 0 10\nB 8 20")
ANSWER = make_answer("1 0 9\n2 9 21")
SILENT = make_sample("")


def test_error_rates_are_pooled_over_recordings() -> None:
    other = make_sample("A 0 1"), make_answer("x 0 1\ny 0 1")
    stats = [der.score(SAMPLE, ANSWER), der.score(*other)]
    assert der.aggregate(stats) == pytest.approx((3 + 1) / 23)
    assert der.details(stats) == {
        "missed": 2.0,
        "false_alarm": 2.0,
        "confusion": 0.0,
        "reference_speech": 23.0,
        "scored_time": 22.0,
        "recordings_with_uem": 0,
        "zero_length_turns": 0,
    }


def test_parts_add_up() -> None:
    answer = make_answer("1 0 4\n2 4 9\n3 9 21")
    parts = [metric.aggregate([metric.score(SAMPLE, answer)]) for metric in (der_miss, der_false_alarm, der_confusion)]
    assert sum(parts) == pytest.approx(der.aggregate([der.score(SAMPLE, answer)]))
    assert all(part > 0 for part in parts)


def test_false_alarms_without_reference_turns_count_in_the_pooled_rate() -> None:
    stats = [der.score(SAMPLE, ANSWER), der.score(SILENT, make_answer("x 0 2"))]
    assert der.aggregate(stats) == pytest.approx(5 / 22)
    assert math.isnan(der.aggregate(stats[1:]))
    assert jer.score(SILENT, make_answer("x 0 2")) == (0, 0)


def test_md_eval_ignores_recordings_without_reference_turns() -> None:
    metric = FACTORIES["der"](Scoring(convention="md-eval"))
    assert metric.score(make_sample("", [Region(0, 10)]), make_answer("x 0 2")) is None


def test_jaccard_errors_are_the_mean_over_speakers_of_all_recordings() -> None:
    stats = [jer.score(SAMPLE, ANSWER), jer.score(make_sample("A 0 1"), make_answer("x 0 1"))]
    assert jer.aggregate(stats) == pytest.approx((0.1 + 2 / 13 + 0) / 3)


def test_the_number_of_speakers_is_counted_where_it_is_scored() -> None:
    sample = make_sample("A 0 1\nB 2 3\nC 20 21", [Region(0, 10)])
    answer = make_answer("x 0 3\ny 30 31\nz 5 5")
    assert speaker_count_error.score(sample, answer) == (1, 1, 0, 2, 1)
    assert speaker_count_accuracy.score(sample, answer) == 0.0
    assert speaker_count_error.details([(1, 1, 0, 2, 1), (2, 0, 2, 1, 3)]) == {
        "missing": 1,
        "additional": 2,
        "in_reference": 3,
        "in_answers": 4,
    }


@pytest.mark.parametrize("errors", [[0] * 12, [0] * 11 + [5]])
def test_the_error_of_the_number_of_speakers_has_the_interval_of_counts(errors: list[int]) -> None:
    interval = compute_interval([(error, 0, error, 2, 2 + error) for error in errors], speaker_count_error.aggregate)
    assert 0 <= interval.low < interval.high
    assert interval.method == "gamma"


def test_turns_without_duration_and_uems_are_counted_in_details() -> None:
    sample = make_sample("A 0 1\nB 2 2", [Region(0, 10)])
    details = der.details([der.score(sample, make_answer("x 0 1\ny 3 3"))])
    assert (details["zero_length_turns"], details["recordings_with_uem"]) == (2, 1)


def test_a_speaker_that_overlaps_himself_is_noted_with_what_the_convention_does() -> None:
    sample, answer = make_sample("A 0 5\nA 3 8"), make_answer("x 0 8")
    assert "notes" not in der.details([der.score(SAMPLE, ANSWER)])
    values, notes = [], []
    for convention in CONVENTIONS:
        metric = FACTORIES["der"](Scoring(convention=convention))
        stats = [metric.score(sample, answer)]
        values.append(metric.aggregate(stats))
        notes += metric.details(stats)["notes"]
    assert values == [0.2, 0.0]
    assert notes[0].startswith(
        "Turns of the same speaker overlap for 2.00 s in the references and 0.00 s in the answers."
    )
    assert "Each of them counts, as in pyannote.metrics" in notes[0]
    assert "counts once, as in md-eval" in notes[1]


@pytest.mark.parametrize("metric", [der, jer, speaker_count_error], ids=lambda metric: metric.name)
def test_references_without_speakers_are_skipped(metric: Metric) -> None:
    assert isinstance(metric, Restricted)
    assert metric.applies(SAMPLE)
    assert metric.applies(SILENT)
    assert not metric.applies(Sample(id="m", inputs={}, target="only a text"))


def test_answers_without_speakers_are_of_another_kind() -> None:
    with pytest.raises(AnswerMismatch):
        der.score(SAMPLE, Generation(text="hello", segments=(Segment(0.0, 1.0, "hello"),)))


def test_a_failed_recording_could_be_missed_or_right() -> None:
    worst, best = der.bound(SAMPLE) or ((), ())
    assert der.aggregate([worst]) == 1.0
    assert der.aggregate([best]) == 0.0
    assert jer.bound(SAMPLE) == ((2, 2), (0, 2))


def test_the_worst_recording_is_that_with_the_highest_rate() -> None:
    good, bad = (der.score(SAMPLE, answer) or () for answer in (ANSWER, make_answer("x 0 1")))
    assert der.badness(bad) > der.badness(good)


def test_signatures_name_the_conventions() -> None:
    assert der.signature == "der:2.pooled.collar-0-each.overlap-scored.pyannote"
    assert set(FACTORIES) == set(SPEAKER_METRICS)


def test_lower_is_better_except_for_the_share_that_is_right() -> None:
    better = {name: FACTORIES[name](Scoring()).higher_is_better for name in SPEAKER_METRICS}
    assert [name for name, is_higher in better.items() if is_higher] == ["speaker_count_accuracy"]
