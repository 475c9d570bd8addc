"""The metric decorator, signatures, bounds and the basic aggregators."""

import math
from typing import Any

import numpy as np
import pytest

from auricle import Generation, Metric, Prediction, Sample
from auricle.core.types import MAX_TEXT_LENGTH, Record
from auricle.metrics import mean, metric, ratio
from auricle.metrics.base import (
    MeanAggregator,
    RatioAggregator,
    Stats,
    SumAggregator,
    SupportsWeights,
    WeightedAggregate,
    WeightedAggregator,
    as_metric,
    constant_bounds,
    has_oversized_text,
)
from auricle.metrics.capabilities import Bounded, Credited, Profiled, Restricted
from auricle.metrics.catalogue import METRICS
from auricle.metrics.correlation import rmse
from auricle.metrics.intervals import compute_interval
from auricle.metrics.multi_answer import aggregate_answers
from auricle.tasks.labels.metrics import uar

SAMPLE = Sample(id="1", inputs={})


def test_the_decorator_makes_a_metric_from_a_function() -> None:
    @metric(higher_is_better=False, limits=(0.0, 1.0))
    def misses(sample: Sample, output: Generation) -> float:
        return float(output.text != "hit")

    assert (misses.name, misses.unit, misses.signature) == ("misses", "share", "misses:1")
    assert misses.aggregate([misses.score(SAMPLE, Generation(text=text)) for text in ("hit", "x")]) == 0.5
    assert isinstance(misses, Bounded)
    assert misses.bounds(SAMPLE) == (1.0, 0.0)


def test_the_decorator_rejects_a_name_in_place_of_an_aggregator() -> None:
    misplaced: Any = "wer"
    with pytest.raises(TypeError, match="use name='wer'"):
        metric(misplaced)


def test_unreadable_answers_can_only_be_wrong_within_limits() -> None:
    with pytest.raises(TypeError, match="unreadable='wrong' needs limits"):
        metric(unreadable="wrong")


def test_a_plain_function_becomes_a_metric() -> None:
    def length(sample: Sample, output: Generation) -> int:
        return len(output.text)

    assert as_metric(length).name == "length"
    assert as_metric(uar) is uar


def test_the_signature_contains_version_variant_and_policy() -> None:
    scored = Metric("m", len, mean, version=3, variant="basic:1", unreadable="wrong")
    assert scored.signature == "m:3.basic:1.unreadable-wrong"


def test_badness_follows_the_direction_of_the_metric() -> None:
    assert Metric("m", len, mean).badness(0.25) == -0.25
    assert Metric("m", len, mean, higher_is_better=False).badness(0.25) == 0.25
    assert Metric("m", len, ratio, higher_is_better=False).badness((1, 4)) == 0.25
    assert Metric("m", len, mean, credit=lambda stat: stat / 8).badness(2.0) == 0.75
    assert Metric("m", len, mean, credit=float, badness=lambda stat: stat * 3).badness(0.25) == 0.75


def test_a_statistic_that_cannot_be_rated_is_not_among_the_worst() -> None:
    def needs_two(stats: Stats) -> float:
        if len(stats) < 2:
            raise ValueError("too few")
        return 0.0

    metric_of_pairs = Metric("m", len, needs_two)
    assert math.isnan(metric_of_pairs.sample_value((1, 2)))
    assert metric_of_pairs.badness((1, 2)) == -math.inf
    assert metric_of_pairs.sample_value(3) == 3.0
    assert Metric("m", len, ratio).sample_value((1, 4)) == 0.25
    assert Metric("rmse", len, rmse).sample_value(9.0) == 3.0
    assert repr(metric_of_pairs) == "m:1"


def test_a_ratio_is_pooled_and_undefined_without_a_denominator() -> None:
    assert ratio([(1, 2), (0, 8)]) == 0.1
    assert math.isnan(ratio([(1, 0)]))


def test_weights_of_a_sum_equal_repetition() -> None:
    stats = [(1, 2), (3, 4), (5, 6)]
    weighted = ratio.prepare_weighted(stats)(np.array([2.0, 0.0, 1.0]))
    assert weighted == ratio([stats[0], stats[0], stats[2]])


def test_details_of_a_sum_come_from_the_same_totals() -> None:
    counted = SumAggregator(lambda totals: float(totals[0]), lambda totals: {"n": int(totals[-1])})
    assert Metric("m", len, counted).details([1, 1, 1]) == {"n": 3}
    assert Metric("m", len, counted).details([]) == {}
    assert Metric("m", len, counted).plot_data([1]) == {}
    points = [("sad", (("arousal", 0.5), ("valence", 0.1)))]
    assert METRICS.get("eta2").plot_data(points)["plane"]["labels"] == ["sad"]


LONG = "x" * (MAX_TEXT_LENGTH + 1)


@pytest.mark.parametrize(
    ("output", "target", "is_oversized"),
    [
        (Generation(text=LONG[1:]), LONG[1:], False),
        (Generation(text=LONG), None, True),
        (Generation(text="short"), LONG, True),
        (Generation(text="short"), ["short", LONG], True),
        (Generation(text="short"), ["short", 7], False),
        (Generation(text="short"), 7, False),
        (Prediction(values={"sad": 1.0}, scale="logit"), "sad", False),
    ],
)
def test_a_text_longer_than_a_million_characters_is_not_scored(output: Any, target: Any, is_oversized: bool) -> None:
    record = Record(sample=Sample(id="1", inputs={}, target=target), row=0, outputs=(output,))
    assert has_oversized_text(record) is is_oversized


def test_only_the_first_value_enters_the_mean() -> None:
    first = MeanAggregator()
    assert first([(1.0, 9.0), (0.0, 9.0)]) == 0.5
    assert first.get_numerators([(1.0, 9.0)]).tolist() == [1.0]
    assert compute_interval([(1.0, 9.0)] * 3, first).method == "mid-p"


@pytest.mark.parametrize(
    ("aggregate", "stats", "method"),
    [
        (mean, [0.5, 1.0, 0.0], "wilson"),
        (mean, [0.5, 1.0, 2.0], "skew-t"),
        (mean, [-1.0, 1.0, 0.0], "skew-t"),
        (MeanAggregator(columns=(0, 1)), [(1.0, 0.0), (0.0, 0.0), (0.0, 1.0)], "mid-p"),
        (ratio, [(1, 4), (0, 5)], "gamma"),
        (ratio, [(1.5, 4), (0, 5)], "skew-t"),
        (ratio, [(-1, 4), (0, 5)], "skew-t"),
        (RatioAggregator(is_share=True), [(1, 4), (0, 5)], "wilson"),
        (max, [1.0, 2.0], "bootstrap-t"),
    ],
)
def test_the_statistics_decide_the_method_of_an_interval(aggregate: Any, stats: list[Any], method: str) -> None:
    assert compute_interval(stats, aggregate).method == method


def test_a_ratio_without_a_denominator_is_undefined() -> None:
    assert np.isnan(ratio.finish_each(np.array([[1.0, 0.0, 1.0], [1.0, 2.0, 1.0]]))).tolist() == [True, False]


def test_a_weighted_aggregator_gives_every_statistic_the_weight_one() -> None:
    class Total(WeightedAggregator):
        def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
            return lambda weights: float(np.dot(stats, weights))

    assert isinstance(Total(), SupportsWeights)
    assert Total()([1.0, 2.0, 4.0]) == 7.0


def test_a_sample_is_right_or_wrong_or_neither() -> None:
    assert [METRICS.get("exact_match").is_hit(stat) for stat in (1.0, 0.0, 0.5)] == [True, False, None]
    assert METRICS.get("empty").is_hit(1.0) is False
    assert METRICS.get("uar").is_hit(("sad", "sad")) is True
    assert METRICS.get("uar").is_hit(("joy", "happy", "happy", True)) is True
    assert METRICS.get("acc").is_hit((0.0, 0.0, 0.0)) is False
    assert METRICS.get("wer").is_hit((0, 0, 0, 4, 0.0, 1.0)) is None


def test_the_answers_of_a_vote_and_of_a_mean_share_their_credit() -> None:
    accuracy = METRICS.get("accuracy")
    assert aggregate_answers(accuracy, "vote").is_hit((0, (1.0,))) is True
    assert aggregate_answers(accuracy, "mean").is_hit((0, (1.0, 0.0))) is None
    assert aggregate_answers(accuracy, "mean").is_hit((1, (0.0, 0.0))) is False


def test_a_metric_names_its_profile_title_and_policies() -> None:
    wer, accuracy = METRICS.get("wer"), METRICS.get("accuracy")
    assert (wer.title, wer.profile, wer.with_profile("none").profile) == ("WER", "basic", "none")
    assert (wer.unreadable, accuracy.unreadable) == ("unscored", "wrong")
    assert (accuracy.synonyms, accuracy.without_synonyms().synonyms) == (True, False)
    assert Metric("mine", len, mean).title == "mine"
    beside = wer.with_profile("none").named_after_profile()
    assert (beside.name, beside.title, beside.signature) == ("wer@none", "WER (none)", "wer:1.pooled.none:1")
    assert aggregate_answers(accuracy, "pass@2").title == "Accuracy, pass@2"


# --- metrics as classes ------------------------------------------------------------------------


class HasWord(Metric, Bounded, Credited):
    name, title, unit = "has_word", "Has the word", "share"
    aggregate = mean
    bounds = constant_bounds((0.0, 1.0))
    credit = staticmethod(float)

    def __init__(self, word: str) -> None:
        super().__init__(variant=word)
        self.word = word

    def score(self, sample: Sample, output: Generation) -> float:
        return float(self.word in output.text)


def test_a_class_of_a_metric_sets_fields_and_implements_what_it_can_do() -> None:
    dog = HasWord("dog")
    assert (dog.signature, dog.title, dog.right_or_wrong) == ("has_word:1.dog", "Has the word", True)
    assert dog.score(Sample(id="1", inputs={}), Generation(text="a dog")) == 1.0
    assert (dog.badness(1.0), dog.is_hit(0.0)) == (0.0, False)
    assert not isinstance(dog, Profiled)


def test_a_replaced_metric_keeps_everything_else() -> None:
    renamed = HasWord("dog").replace(name="other", applies=lambda sample: False)
    assert (renamed.signature, renamed.title) == ("other:1.dog", "Has the word")
    assert renamed.score(Sample(id="1", inputs={}), Generation(text="a dog")) == 1.0
    assert isinstance(renamed, Bounded)
    assert isinstance(renamed, Restricted)
    bare = renamed.replace(applies=None, credit=None)
    assert not isinstance(bare, (Restricted, Credited))


def test_a_metric_has_no_other_parts() -> None:
    with pytest.raises(TypeError, match="a metric has no 'higher'"):
        Metric("mine", len, mean, higher=True)
