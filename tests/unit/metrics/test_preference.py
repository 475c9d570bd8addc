"""Pairwise choices: what they earn, what ties do, whether they follow the position."""

import math
from typing import Any

import pytest

from auricle.core.errors import Unreadable, Unsuited
from auricle.core.types import Generation, Prediction, Sample
from auricle.metrics.model_agreement import measure_agreement
from auricle.metrics.preference import get_choice, preference_metrics
from auricle.metrics.ratings import Dimension, score_metrics
from auricle.metrics.statistics import compute_interval


def told(**values: Any) -> Any:
    return Prediction(values=values, scale="continuous")


def said(*texts: Any) -> Any:
    return tuple(Generation(text=text) for text in texts)


def pair(truth: Any) -> Any:
    return Sample(id="1", inputs={}, target=truth)


def metrics(ties: str = "half", dimension: Any = None) -> Any:
    return {each.name: each for each in preference_metrics(dimension or Dimension(), ties)}


LOW, HIGH = told(musicality=1.0), told(musicality=2.0)
SIDES = {"a": (HIGH, LOW), "b": (LOW, HIGH), "tie": (LOW, LOW)}
EARNED = {
    "half": {"aa": 1, "ab": 0, "at": 0.5, "ta": 0.5, "tt": 1, "bt": 0.5},
    "upstream": {"aa": 1, "ab": 0, "at": 0.5, "ta": 0, "tb": 1, "tt": 0.5},
}


@pytest.mark.parametrize("ties", EARNED)
def test_what_a_choice_earns_depends_on_the_tie_policy(ties: Any) -> None:
    names = {"a": "a", "b": "b", "t": "tie"}
    for (said_side, truth), earned in EARNED[ties].items():
        found = metrics(ties)["accuracy"].score(pair(names[truth]), *SIDES[names[said_side]])
        assert found == (earned, said_side == "t"), (said_side, truth)


def test_a_skipped_tie_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="tie"):
        metrics("skip")["accuracy"].score(pair("a"), *SIDES["tie"])


def test_the_tie_policy_stands_in_the_signature() -> None:
    assert metrics("upstream")["accuracy"].signature == "accuracy:1.ties-upstream"


def test_ties_are_counted() -> None:
    metric = metrics()["accuracy"]
    stats = [metric.score(pair("a"), *SIDES[each]) for each in ("tie", "a", "tie")]
    assert metric.aggregate(stats) == pytest.approx(2 / 3)
    assert metric.aggregate.details(stats) == {"ties": 2}


def test_an_accuracy_without_halves_has_wilsons_interval() -> None:
    metric = metrics()["accuracy"]
    found = compute_interval([metric.score(pair("a"), *SIDES["a"])] * 10, metric.aggregate)
    assert (found.method, found.high) == ("wilson", pytest.approx(1.0))
    assert found.low < 0.8


def test_always_b_and_chance_need_no_model() -> None:
    found = metrics()
    assert [found["always_b"].score(pair(each)) for each in ("a", "tie", "b")] == [0, 0.5, 1]
    assert found["chance"].score(pair("a")) == 0.5


def test_an_output_of_another_name_is_refused_unless_it_is_said_to_be_meant() -> None:
    outputs = (told(alignment=1.0, mos=3.0), told(alignment=2.0, mos=1.0))
    with pytest.raises(Unsuited, match="-T outputs=musicality=NAME"):
        get_choice(Dimension("musicality", "musicality"), outputs)
    renamed = Dimension("musicality", "mos")
    assert get_choice(renamed, outputs) == 0
    assert metrics(dimension=renamed)["accuracy.musicality"].signature.endswith(".of-mos")


def test_the_only_number_of_a_model_is_taken_where_there_is_one_truth() -> None:
    assert get_choice(Dimension(), (told(mos=1.0), told(mos=2.0))) == 1


@pytest.mark.parametrize(
    ("answers", "expected"), [(("A", "B"), 0), (("B", "A"), 1), (("A", "A"), 0.5), (("tie", "tie"), 0.5), (("B",), 1)]
)
def test_choices_in_both_orders_are_one_choice_unless_they_contradict(answers: Any, expected: float) -> None:
    assert get_choice(Dimension(), said(*answers)) == expected


@pytest.mark.parametrize("reply", ["Recording B", "The answer is B.", "**B**"])
def test_a_choice_is_read_from_free_text(reply: str) -> None:
    assert get_choice(Dimension(), said(reply)) == 1


def test_a_reply_that_chooses_nothing_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="names neither A nor B"):
        get_choice(Dimension(), said("Both have their charm.", "A"))


def test_position_bias_is_the_share_of_choices_that_follow_the_place() -> None:
    metric = metrics()["position_bias"]
    answers = [("A", "A"), ("B", "B"), ("A", "B"), ("A", "A")]
    stats = [metric.score(pair("a"), *said(*each)) for each in answers]
    assert metric.aggregate(stats) == 0.75
    assert metric.aggregate.details(stats) == {"first": 2, "second": 1, "pairs": 4}


def test_models_that_tell_numbers_have_no_position_bias() -> None:
    assert metrics()["position_bias"].score(pair("a"), LOW, HIGH) is None


def test_each_dimension_reads_the_answers_to_its_own_question() -> None:
    outputs = said("A", "B", "B", "A")
    first, second = (Dimension(name, name, at, 2) for at, name in enumerate(("fit", "good")))
    assert (get_choice(first, outputs), get_choice(second, outputs)) == (0, 1)


def test_sides_may_be_rated_in_words() -> None:
    assert get_choice(Dimension(is_pairwise=False), said("4 out of 5", "Score: 2")) == 0


def test_a_number_off_the_scale_is_unreadable() -> None:
    metric = score_metrics(Dimension(scale=(1, 5)))[0]
    sample = Sample(id="1", inputs={}, target=3.0)
    assert metric.score(sample, *said("4/5")) == (4.0, 3.0)
    for reply in ("9", "no idea"):
        with pytest.raises(Unreadable):
            metric.score(sample, *said(reply))


def test_a_metric_is_about_samples_that_have_its_truth() -> None:
    metric = score_metrics(Dimension("musicality", "musicality"))[0]
    assert metric.applies(Sample(id="1", inputs={}, target={"musicality": 0.0}))
    assert not metric.applies(Sample(id="1", inputs={}, target={"alignment": 2.0}))
    assert not metric.applies(Sample(id="1", inputs={}))


# --- two models ------------------------------------------------------------------------------


def test_models_that_rank_alike_agree() -> None:
    a = [(told(good=x), told(good=y)) for x, y in ((1, 2), (4, 3), (5, 5))]
    b = [(told(good=10 * x), told(good=10 * y)) for x, y in ((1, 2), (4, 3), (5, 5))]
    (found,) = measure_agreement(a, b)
    assert (found.output, found.srcc, found.sounds) == ("good", 1.0, 6)
    assert (found.alike, found.kappa, found.pairs) == (1.0, 1.0, 3)


def test_kappa_takes_away_what_chance_would_give() -> None:
    def chosen(letters: Any) -> Any:
        return [SIDES[{"a": "a", "b": "b"}[letter]] for letter in letters]

    (found,) = measure_agreement(chosen("aabb"), chosen("abab"))
    assert (found.alike, found.kappa) == (0.5, 0.0)


def test_agreement_is_by_outputs_both_tell_and_samples_both_answered() -> None:
    a = [(told(good=1.0, fit=2.0),), (told(good=2.0),), ()]
    b = [(told(good=3.0, loud=1.0),), (told(good=4.0),), (told(good=1.0),)]
    (found,) = measure_agreement(a, b)
    assert (found.output, found.sounds, found.pairs) == ("good", 2, 0)
    assert math.isnan(found.alike)
