"""Errors of word boundaries, computed by hand."""

import math
import random
import statistics
from typing import Any

import pytest

from auricle.core.types import Generation, Sample, Segment
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Bounded, Profiled
from auricle.tasks.timestamps.metrics import words as metrics

REFERENCE: list[tuple[str, float, float]] = [("one", 0.1, 0.4), ("two", 0.5, 0.8), ("three", 1.0, 1.5)]


def score(metric: Metric, *answers: list[tuple[str, float, float]], reference: Any = REFERENCE) -> list[Any]:
    sample = Sample(id="1", inputs={}, meta={"words": reference})
    outputs = [
        Generation(text="", segments=tuple(Segment(start, end, word) for word, start, end in answer))
        for answer in answers
    ]
    return [metric.score(sample, output, audio_seconds=2.0) for output in outputs]


def measure(metric: Metric, *answers: list[tuple[str, float, float]], reference: Any = REFERENCE) -> float:
    return metric.aggregate(score(metric, *answers, reference=reference))


ANSWER = [("one", 0.12, 0.38), ("2", 0.5, 0.8), ("Three", 0.95, 1.6)]


def test_errors_are_measured_over_matched_words_only() -> None:
    assert measure(metrics.start_error, ANSWER) == pytest.approx((0.02 + 0.05) / 2, abs=1e-12)
    assert measure(metrics.end_error, ANSWER) == pytest.approx((0.02 + 0.1) / 2, abs=1e-12)
    assert measure(metrics.start_bias, ANSWER) == pytest.approx((0.02 - 0.05) / 2, abs=1e-12)
    assert measure(metrics.end_bias, ANSWER) == pytest.approx((-0.02 + 0.1) / 2, abs=1e-12)
    assert measure(metrics.word_coverage, ANSWER) == pytest.approx(2 / 3)


def test_errors_are_pooled_over_words_and_not_over_recordings() -> None:
    shifted = [("one", 0.4, 0.7)]
    assert measure(metrics.start_error, ANSWER, shifted) == pytest.approx((0.02 + 0.05 + 0.3) / 3, abs=1e-12)


def test_a_boundary_at_the_tolerance_is_within_it() -> None:
    assert 0.1 - 0.08 > 0.02, "in floating point"
    reference = [["a", 0.08, 0.1]]
    assert measure(metrics.start_within_20ms, [("a", 0.1, 0.2)], reference=reference) == 1.0
    assert measure(metrics.start_within_20ms, [("a", 0.100001, 0.2)], reference=reference) == 0.0
    assert measure(metrics.end_within_100ms, [("a", 0.1, 0.2)], reference=reference) == 1.0
    assert measure(metrics.end_within_50ms, [("a", 0.1, 0.2)], reference=reference) == 0.0


def test_recall_counts_every_boundary_of_the_reference() -> None:
    assert measure(metrics.boundary_recall_20ms, ANSWER) == pytest.approx(2 / 6)
    assert measure(metrics.boundary_recall_50ms, ANSWER) == pytest.approx(3 / 6)
    assert measure(metrics.boundary_recall_100ms, ANSWER) == pytest.approx(4 / 6)
    assert measure(metrics.boundary_recall_200ms, []) == 0.0


def test_a_recording_without_matches_has_no_error_but_counts_in_the_recall() -> None:
    assert math.isnan(measure(metrics.start_error, [("four", 0, 1)]))
    assert measure(metrics.start_error, [("four", 0, 1)], ANSWER) == pytest.approx(0.035)
    assert score(metrics.start_error_median, [("four", 0, 1)]) == [None]
    assert metrics.start_error.badness(score(metrics.start_error, [])[0]) == -math.inf


def test_median_and_95th_percentile_are_those_of_all_words() -> None:
    shifted = [("one", 0.4, 0.7)]
    assert measure(metrics.start_error_median, ANSWER, shifted) == pytest.approx(0.05)
    assert measure(metrics.end_error_p95, ANSWER, shifted) == pytest.approx(0.1 + 0.9 * 0.2)


def test_a_constant_delay_is_removed_by_its_median() -> None:
    late = [(word, start + 0.25, end + 0.25) for word, start, end in REFERENCE]
    assert measure(metrics.start_error, late) == pytest.approx(0.25)
    assert measure(metrics.start_error_centred, late) == 0.0
    details = metrics.start_error_centred.details(score(metrics.start_error_centred, late))
    assert details == {"values": 3, "offset": pytest.approx(0.25)}
    assert math.isnan(metrics.start_error_centred.aggregate([]))


def test_details_have_the_curve_and_the_resolution_of_the_times() -> None:
    details = metrics.start_error.details(score(metrics.start_error, [("one", 0.12, 0.36), ("two", 0.52, 0.8)]))
    assert details["matched"] == 2
    assert details["reference_words"] == 3
    assert details["bias"] == pytest.approx(0.02)
    assert details["resolution_ms"] == 40.0
    assert details["within_ms"]["15"] == 0.0
    assert details["within_ms"]["20"] == 1.0


def test_times_in_milliseconds_have_no_resolution() -> None:
    assert "resolution_ms" not in metrics.start_error.details(
        score(metrics.start_error, [("one", 0.121, 0.364), ("two", 0.5, 0.8)])
    )


def test_an_offset_does_not_hide_the_resolution() -> None:
    answers = [("one", 0.127, 0.367), ("two", 0.527, 0.807)]
    assert metrics.start_error.details(score(metrics.start_error, answers))["resolution_ms"] == 40.0


def test_overlap_is_that_of_intervals() -> None:
    assert measure(metrics.word_iou, [("one", 0.2, 0.5)]) == pytest.approx(0.2 / 0.4)
    assert measure(metrics.word_iou, [("one", 0.6, 0.7)]) == 0.0
    assert measure(metrics.word_iou, [("one", 0.3, 0.2)]) == 0.0


def test_words_without_length_are_counted_and_undefined_if_both_have_none() -> None:
    stats = score(metrics.word_iou, [("a", 0.5, 0.5)], reference=[["a", 0.5, 0.5]])
    assert math.isnan(metrics.word_iou.aggregate(stats))
    assert metrics.word_iou.details(stats)["without_length"] == 1
    assert measure(metrics.word_iou, [("a", 0.5, 0.5)], reference=[["a", 0.4, 0.6]]) == 0.0


def test_a_failed_sample_may_have_had_all_words_or_none() -> None:
    sample = Sample(id="1", inputs={}, target="", meta={"words": [*REFERENCE, ("!", 1.6, 1.7)]})
    assert metrics.boundary_recall_50ms.bound(sample) == ((0, 6), (6, 6))
    assert metrics.word_coverage.bound(sample) == ((0, 3), (3, 3))
    assert metrics.start_error.bound(sample) is None


def test_the_signature_has_every_convention() -> None:
    for metric in (metrics.start_error, metrics.boundary_recall_50ms, metrics.word_iou):
        assert "edits.equal-words.ties-by-time.basic" in metric.signature
    assert "tolerance-50ms-inclusive" in metrics.boundary_recall_50ms.signature
    assert metrics.start_error.signature != metrics.start_bias.signature
    assert isinstance(metrics.word_iou, Profiled)
    assert "whisper-en" in metrics.word_iou.with_profile("whisper-en").signature
    assert isinstance(metrics.word_coverage, Profiled)
    assert isinstance(metrics.word_coverage.with_profile("whisper-en"), Bounded)


def test_random_errors_agree_with_a_plain_computation() -> None:
    generator = random.Random(5)
    answers, errors = [], []
    for _ in range(50):
        shifts = [generator.randrange(-200_000, 300_000) / 1_000_000 for _ in REFERENCE]
        answers.append([(w, start + shift, end) for (w, start, end), shift in zip(REFERENCE, shifts, strict=True)])
        errors += shifts
    absolute = list(map(abs, errors))
    assert measure(metrics.start_error, *answers) == pytest.approx(statistics.mean(absolute), abs=1e-9)
    assert measure(metrics.start_bias, *answers) == pytest.approx(statistics.mean(errors), abs=1e-9)
    assert measure(metrics.start_error_median, *answers) == pytest.approx(statistics.median(absolute), abs=1e-9)
    centre = statistics.median(errors)
    expected = statistics.mean(abs(error - centre) for error in errors)
    assert measure(metrics.start_error_centred, *answers) == pytest.approx(expected, abs=1e-9)


def test_another_profile_matches_other_words() -> None:
    assert isinstance(metrics.word_coverage, Profiled)
    strict = metrics.word_coverage.with_profile("none")
    assert strict.title == metrics.word_coverage.title
    assert measure(strict, [("One", 0.1, 0.4)]) == 0.0
    assert measure(metrics.word_coverage, [("One", 0.1, 0.4)]) == pytest.approx(1 / 3)


def test_the_curve_has_the_tolerances_among_its_limits() -> None:
    details = metrics.end_error.details(score(metrics.end_error, ANSWER))
    limits = [0, 5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000]
    assert [*map(int, details["within_ms"])] == limits
    assert {*map(str, metrics.TOLERANCES)} < {*details["within_ms"]}
