"""Metrics of speaker verification: statistics, signatures, and intervals by speaker."""

import math
from typing import Any

import numpy as np
import pytest

from auricle import Generation, Prediction, Sample
from auricle.core.errors import Unsuited
from auricle.metrics.base import SupportsMembers
from auricle.metrics.capabilities import Bounded
from auricle.metrics.intervals import compare_paired, compute_interval
from auricle.metrics.jackknife import standard_error, unit_influences
from auricle.metrics.unpaired import compare_unpaired
from auricle.tasks.speakers.metrics import (
    POINTS,
    act_dcf,
    cllr,
    cllr_loss,
    dcf_loss,
    eer,
    eer_interpolated,
    encode_speaker,
    make_act_dcf,
    make_min_dcf,
    min_cllr,
    min_dcf,
    min_dcf_sre12,
    min_dcf_sre16,
    score_trial,
)
from tests.tasks.speakers.test_detection import LABELS, SCORES

TOY = np.column_stack([SCORES, LABELS, np.full((14, 2), -1)]).astype(np.float64)


def draw_trials(speakers: int, seed: int = 0, shift: float = 0.0) -> Any:
    """Simulate cosine-like scores of speakers who are easy or hard to recognise."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(0, 0.4, speakers)
    a = np.repeat(np.arange(speakers), 20)
    same = rng.random(len(a)) < 0.5
    b = np.where(same, a, (a + 1 + rng.integers(0, speakers - 1, len(a))) % speakers)
    scores = rng.normal(np.where(same, 1.2 + ease[a], -1.2 - ease[a] / 2 - ease[b] / 2)) + shift * same
    return np.column_stack([scores, same, a, b]).astype(np.float64)


def trial(target: str, **meta: str) -> Sample:
    return Sample(id="1", inputs={}, target=target, meta=meta)


def answer(**values: float) -> Prediction:
    return Prediction(values=values, scale="continuous")


def test_the_statistic_has_score_label_and_speakers() -> None:
    stat = score_trial(trial("same", speaker_a="anna", speaker_b="anna"), answer(score=0.5))
    assert stat == (0.5, 1, encode_speaker("anna"), encode_speaker("anna"))
    assert score_trial(trial("different"), answer(cosine=0.1)) == (0.1, 0, -1, -1)
    assert score_trial(trial("different"), answer(value=0.2, other=3.0))[0] == 0.2


def test_speakers_have_the_same_number_everywhere() -> None:
    assert 0 <= encode_speaker("id10270") < 2**48
    assert encode_speaker("id10270") == encode_speaker("id10270") != encode_speaker("id10271")
    assert encode_speaker(None) == encode_speaker("") == -1


@pytest.mark.parametrize(
    ("output", "problem"),
    [(Generation(text="yes"), "returns a score for two"), (answer(x=1.0, y=2.0), "the model returns x, y")],
)
def test_other_outputs_do_not_suit(output: Any, problem: str) -> None:
    with pytest.raises(Unsuited, match=problem):
        score_trial(trial("same"), output)


def test_toy_scores_have_the_published_numbers() -> None:
    numbers = [metric.aggregate(TOY) for metric in (eer, eer_interpolated, min_dcf, cllr, min_cllr)]
    assert numbers == pytest.approx([0.15, 1 / 6, 1 / 3, 0.5276037803604803, 0.3459604770163843], abs=1e-12)


def test_calibration_losses_are_differences() -> None:
    assert cllr_loss.aggregate(TOY) == pytest.approx(cllr.aggregate(TOY) - min_cllr.aggregate(TOY))
    assert dcf_loss.aggregate(TOY) == pytest.approx(act_dcf.aggregate(TOY) - min_dcf.aggregate(TOY))


def test_the_actual_cost_is_that_at_the_bayes_threshold() -> None:
    (point,) = points = POINTS["_sre08"]
    accepted = point.bayes_threshold <= SCORES
    misses, false_alarms = (~accepted)[LABELS].mean(), accepted[~LABELS].mean()
    expected = point.cost(np.array([misses]), np.array([false_alarms]))[0]
    assert make_act_dcf(points).aggregate(TOY) == pytest.approx(expected)


def test_a_cost_at_several_points_is_their_mean() -> None:
    for metric, name in ((min_dcf_sre12, "_sre12"), (min_dcf_sre16, "_sre16")):
        parts = [make_min_dcf([point]).aggregate(TOY) for point in POINTS[name]]
        assert metric.aggregate(TOY) == pytest.approx(np.mean(parts))


def test_signatures_have_every_convention() -> None:
    assert eer.signature == "eer:1.convex-hull"
    assert eer_interpolated.signature == "eer_interpolated:1.interpolated"
    assert min_dcf.signature == "min_dcf:1.ptar-0.01-cmiss-1-cfa-1"
    assert min_dcf_sre16.signature == "min_dcf_sre16:1.ptar-0.01-cmiss-1-cfa-1+ptar-0.005-cmiss-1-cfa-1"


def test_one_class_has_no_number() -> None:
    targets = TOY[LABELS]
    assert all(math.isnan(metric.aggregate(targets)) for metric in (eer, min_dcf, cllr, act_dcf, min_cllr))


def test_bad_trials_are_low_targets_and_high_others() -> None:
    stats = [(0.9, 1, -1, -1), (0.1, 1, -1, -1), (0.9, 0, -1, -1), (0.1, 0, -1, -1)]
    assert [eer.badness(stat) for stat in stats] == [-0.9, -0.1, 0.9, 0.1]


def test_a_trial_belongs_to_both_speakers() -> None:
    aggregate = eer.aggregate
    assert isinstance(aggregate, SupportsMembers)
    members = aggregate.list_members([(0.5, 1, 70, 70), (0.2, 0, 70, 90), (0.1, 0, 90, 80)])
    assert members is not None
    assert members.tolist() == [[0, 0], [0, 2], [2, 1]]


def test_unknown_speakers_are_in_no_other_trial() -> None:
    aggregate = eer.aggregate
    assert isinstance(aggregate, SupportsMembers)
    members = aggregate.list_members([(0.5, 1, 7, 7), (0.2, 0, 7, -1), (0.1, 0, -1, 8)])
    assert members is not None
    assert members.tolist() == [[0, 0], [0, 2], [3, 1]]
    assert aggregate.list_members([(0.5, 1, 7, 7), (0.2, 0, -1, -1)]) is None
    assert aggregate.list_members([(0.5, 1, 7, 7)]) is None


@pytest.mark.parametrize("metric", [eer, cllr])
def test_the_jackknife_leaves_out_all_trials_of_a_speaker(metric: Any) -> None:
    stats = draw_trials(20)
    without = [metric.aggregate(stats[(stats[:, 2] != speaker) & (stats[:, 3] != speaker)]) for speaker in range(20)]
    expected = 19 / 20 * (np.mean(without) - np.array(without))
    influences = unit_influences(stats, metric.aggregate)
    assert influences == pytest.approx(expected, abs=1e-12)
    interval = compute_interval(stats, metric.aggregate)
    assert interval.members == "speaker"
    assert interval.units == 20
    assert interval.low < metric.aggregate(stats) < interval.high
    assert standard_error(influences) > 0


def test_clusters_of_the_data_are_ignored_if_speakers_are_known() -> None:
    stats = draw_trials(20)
    clusters = np.arange(len(stats)) % 3
    assert compute_interval(stats, eer.aggregate, clusters=clusters) == compute_interval(stats, eer.aggregate)
    unknown = stats.copy()
    unknown[:, 2:] = -1
    assert compute_interval(unknown, eer.aggregate, clusters=clusters).units == 3
    assert compute_interval(unknown, eer.aggregate).units == len(stats)


def test_intervals_by_speaker_are_wider_than_by_trial() -> None:
    stats = draw_trials(20)
    unknown = stats.copy()
    unknown[:, 2:] = -1
    by_speaker, by_trial = (compute_interval(rows, cllr.aggregate) for rows in (stats, unknown))
    assert by_speaker.high - by_speaker.low > 1.2 * (by_trial.high - by_trial.low)


def test_a_paired_difference_is_over_the_same_speakers() -> None:
    a = draw_trials(20)
    b = a.copy()
    b[:, 0] += np.where(b[:, 1] > 0, 0.8, 0.0)
    paired = compare_paired(a, b, eer.aggregate)
    assert paired.method == "cluster-paired-t"
    assert paired.units == 20
    assert paired.high < 0
    unpaired = compare_unpaired(a, b, eer.aggregate)
    assert unpaired.high - unpaired.low > paired.high - paired.low


def test_an_interval_that_needs_more_trials_is_withheld_and_states_how_many() -> None:
    stats = draw_trials(20, seed=3)
    interval = compute_interval(stats, min_dcf.aggregate)
    assert (math.isnan(interval.low), math.isnan(interval.high)) == (True, True)
    assert interval.method == "cluster-withheld"
    assert interval.reason == "it needs at least 100 targets and 9,900 nontargets"
    assert math.isfinite(min_dcf.aggregate(stats))
    assert compute_interval(stats, dcf_loss.aggregate).reason == interval.reason


def test_an_interpolated_rate_has_the_interval_of_that_on_the_convex_hull() -> None:
    stats = draw_trials(20, seed=3)
    hull, interpolated = (compute_interval(stats, metric.aggregate) for metric in (eer, eer_interpolated))
    excess = eer_interpolated.aggregate(stats) - eer.aggregate(stats)
    assert excess > 0
    assert (interpolated.low, interpolated.high) == pytest.approx((hull.low, hull.high + excess))


def test_an_interval_of_a_minimum_extends_by_its_bias() -> None:
    stats = draw_trials(20, seed=3)
    interval = compute_interval(stats, min_cllr.aggregate)
    assert interval.method == "cluster-wilson-bias"


def test_trials_of_both_classes_are_rated_on_one_scale() -> None:
    stats = [(5.0, 1, -1, -1), (1.0, 1, -1, -1), (2.0, 0, -1, -1), (0.0, 0, -1, -1), (6.0, 0, -1, -1)]
    assert eer.rate_stats(stats, stats) == pytest.approx([1 / 3, 2 / 3, 1 / 2, 0, 1])
    scaled = [(10 * score, *rest) for score, *rest in stats]
    assert eer.rate_stats(scaled, scaled) == eer.rate_stats(stats, stats)


def test_a_failed_trial_could_have_any_score() -> None:
    worst, best = eer.bound(trial("same", speaker_a="x", speaker_b="x")) or ((), ())
    assert eer.aggregate([*TOY, worst]) > eer.aggregate(TOY) > eer.aggregate([*TOY, best])
    assert eer.bound(trial("different")) == ((math.inf, 0, -1, -1), (-math.inf, 0, -1, -1))
    assert not isinstance(cllr, Bounded)
