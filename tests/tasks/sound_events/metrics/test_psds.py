"""PSDS: criteria by hand, all thresholds by brute force, and weights."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Generation, Segment
from auricle.metrics.intervals import compute_interval
from auricle.tasks.sound_events.metrics.event_lists import Spans, detect_at
from auricle.tasks.sound_events.metrics.psds import (
    SCENARIO_1,
    SCENARIO_2,
    PsdsAggregator,
    Scenario,
    psds1,
    psds2,
    sweep_recording,
)
from tests.support.event_scores import CLASSES, SECONDS, make_event_case
from tests.support.sound_events import list_scored, make_output, make_sample


def count_at(truth: Sequence[Spans], own: int, detections: Spans, scenario: Scenario) -> tuple[int, int, list[int]]:
    """Count true and false positives and cross-triggers of one class at one threshold, straight from the definition."""

    def overlap(span: tuple[float, float], others: Spans) -> float:
        return sum(max(0.0, min(span[1], end) - max(span[0], start)) for start, end in others)

    valid = [span for span in detections if overlap(span, truth[own]) >= scenario.dtc * (span[1] - span[0]) - 1e-9]
    false = [span for span in detections if span not in valid]
    hits = sum(overlap(event, valid) >= scenario.gtc * (event[1] - event[0]) - 1e-9 for event in truth[own] if valid)
    triggers = [
        sum(overlap(span, spans) >= scenario.cttc * (span[1] - span[0]) - 1e-9 for span in false) if spans else 0
        for spans in truth
    ]
    return hits, len(false), triggers


@pytest.mark.parametrize("scenario", [SCENARIO_1, SCENARIO_2])
@pytest.mark.parametrize("levels", [0, 4])
def test_counts_at_every_threshold_equal_those_of_the_definition(scenario: Scenario, levels: int) -> None:
    case = make_event_case(11, recordings=4, levels=levels, noise=0.7)
    for name, events in case.truth.items():
        truth = [[(on, off) for on, off, label in events if label == own] for own in CLASSES]
        frames = [
            [
                Segment(case.edges[name][at], case.edges[name][at + 1], label, score=row[place])
                for at, row in enumerate(case.scores[name])
            ]
            for place, label in enumerate(CLASSES)
        ]
        stats = sweep_recording(truth, frames, scenario, are_frames=True)
        for own, segments in enumerate(frames):
            for threshold in {segment.score for segment in segments if segment.score is not None}:
                changes = [change for change in stats[own][2] if change[0] >= threshold]
                hits, false, triggers = count_at(truth, own, detect_at(segments, threshold, are_frames=True), scenario)
                assert (sum(change[1] for change in changes), sum(change[2] for change in changes)) == (hits, false)
                if scenario.alpha_ct:
                    counted = [0] * len(CLASSES)
                    for change in changes:
                        for at in range(3, len(change), 2):
                            counted[int(change[at])] += int(change[at + 1])
                    triggers[own] = 0
                    assert counted == triggers


def score(events: list[tuple[float, float, str]], segments: Sequence[Segment], seconds: float = 3600.0) -> object:
    return psds1.score(
        make_sample(events, ["dog"]), Generation(text="", segments=tuple(segments)), audio_seconds=seconds
    )


def test_a_perfect_detector_has_1_and_a_silent_one_0() -> None:
    perfect = score([(1, 2, "dog")], [Segment(1, 2, "dog", score=0.9)])
    silent = score([(1, 2, "dog")], [])
    assert psds1.aggregate([perfect]) == 1.0
    assert psds1.aggregate([silent]) == 0.0
    assert psds1.aggregate([perfect, silent]) == 0.5


def test_the_area_starts_where_the_false_positives_do() -> None:
    # One false positive in an hour has a higher score than the true positive: 1 of 100 allowed ones is lost.
    stat = score([(1, 2, "dog")], [Segment(1, 2, "dog", score=0.5), Segment(10, 11, "dog", score=0.9)])
    assert psds1.aggregate([stat]) == pytest.approx(0.99)


def test_frames_that_join_two_detections_into_an_invalid_one_lose_the_true_positive_again() -> None:
    frames = [Segment(0, 1, "dog", score=0.9), Segment(1, 10, "dog", score=0.5)]
    stat = score([(0, 1, "dog")], frames, seconds=10.0)
    assert stat == (((1, 1.0, ((0.9, 1, 0), (0.5, -1, 1))),), 10.0)
    assert psds1.aggregate([stat]) == 1.0  # the curve keeps its highest point


def test_a_class_without_events_is_left_out_and_listed() -> None:
    sample = make_sample([(0, 1, "dog")], ["dog", "rain"])
    output = make_output([(0, 1, "dog"), (5, 6, "rain")], score=0.9)
    stat = psds1.score(sample, output, audio_seconds=10.0)
    aggregator = PsdsAggregator(SCENARIO_1).with_contexts([("dog", "rain")])
    assert aggregator([stat]) == 1.0
    assert aggregator.details([stat])["classes_without_events"] == ["rain"]
    assert aggregator.details([stat])["psds_classes"] == {"dog": 1.0, "rain": None}
    assert math.isnan(psds1.aggregate([psds1.score(make_sample([], ["dog"]), make_output([]), audio_seconds=10.0)]))


def test_the_spread_between_classes_is_subtracted() -> None:
    sample = make_sample([(0, 1, "dog"), (3, 4, "rain")], ["dog", "rain"])
    stat = psds1.score(sample, make_output([(0, 1, "dog")], score=0.9), audio_seconds=10.0)
    assert psds1.aggregate([stat]) == pytest.approx(0.5 - 0.5)


def test_detections_need_scores_and_recordings_a_duration() -> None:
    with pytest.raises(Unsuited, match="without scores"):
        psds1.score(make_sample([]), make_output([(0, 1, "dog")]), audio_seconds=10.0)
    with pytest.raises(SampleError, match="duration"):
        psds1.score(make_sample([]), make_output([]), audio_seconds=None)


@pytest.mark.parametrize("metric", [psds1, psds2], ids=lambda metric: metric.name)
def test_a_weight_counts_like_copies_of_a_recording(metric: object) -> None:
    assert metric in (psds1, psds2)
    chosen = psds1 if metric is psds1 else psds2
    stats = [chosen.score(*pair, audio_seconds=SECONDS) for pair in list_scored(make_event_case(12, noise=0.6))]
    weights = np.random.default_rng(0).integers(0, 3, len(stats))
    copies = [stat for stat, weight in zip(stats, weights, strict=True) for _ in range(weight)]
    aggregate = chosen.aggregate
    assert isinstance(aggregate, PsdsAggregator)
    assert aggregate.prepare_weighted(stats)(weights.astype(float)) == pytest.approx(aggregate(copies), abs=1e-12)


def test_the_interval_contains_the_score() -> None:
    stats = [psds2.score(*pair, audio_seconds=SECONDS) for pair in list_scored(make_event_case(13, noise=0.7))]
    interval = compute_interval(stats, psds2.aggregate)
    assert interval.low < psds2.aggregate(stats) < interval.high
    assert interval.units == 12


def test_the_parameters_are_part_of_the_signature() -> None:
    assert psds1.signature == "psds1:2.dtc-0.7.gtc-0.7.alpha-ct-0.alpha-st-1.e-max-100-per-hour.all-thresholds"
    assert "dtc-0.1.gtc-0.1.cttc-0.3.alpha-ct-0.5" in psds2.signature
