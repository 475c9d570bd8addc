"""Pairwise preference: credits, tie policies, and position bias."""

import pytest

from auricle import Metric
from auricle.core.errors import Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Prediction, Sample
from auricle.metrics.capabilities import Bounded
from auricle.metrics.intervals import compute_interval
from auricle.tasks.rewards.preference import TiePolicy, get_choice, preference_metrics
from auricle.tasks.rewards.ratings import Dimension


def ratings(**values: float) -> Prediction:
    return Prediction(values=values, scale="continuous")


def generations(*texts: str) -> tuple[Generation, ...]:
    return tuple(Generation(text=text) for text in texts)


def pair(truth: str) -> Sample:
    return Sample(id="1", inputs={}, target=truth)


def metrics(ties: TiePolicy = "half", dimension: Dimension | None = None) -> dict[str, Metric]:
    return {metric.name: metric for metric in preference_metrics(dimension or Dimension(), ties)}


LOW, HIGH = ratings(musicality=1.0), ratings(musicality=2.0)
OUTPUTS = {"a": (HIGH, LOW), "b": (LOW, HIGH), "tie": (LOW, LOW)}
# The credit for each (choice, truth).
CREDITS: dict[TiePolicy, dict[tuple[str, str], float]] = {
    "half": {("a", "a"): 1, ("a", "b"): 0, ("a", "tie"): 0.5, ("tie", "a"): 0.5, ("tie", "tie"): 1, ("b", "tie"): 0.5},
    "upstream": {
        ("a", "a"): 1,
        ("a", "b"): 0,
        ("a", "tie"): 0.5,
        ("tie", "a"): 0,
        ("tie", "b"): 1,
        ("tie", "tie"): 0.5,
    },
}


@pytest.mark.parametrize("ties", CREDITS)
def test_the_credit_of_a_choice_depends_on_the_tie_policy(ties: TiePolicy) -> None:
    for (choice, truth), credit in CREDITS[ties].items():
        stat = metrics(ties)["accuracy"].score(pair(truth), *OUTPUTS[choice])
        assert stat == (credit, choice == "tie"), (choice, truth)


def test_a_skipped_tie_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="tie"):
        metrics("skip")["accuracy"].score(pair("a"), *OUTPUTS["tie"])


def test_the_signature_names_the_tie_policy() -> None:
    assert metrics("upstream")["accuracy"].signature == "accuracy:3.ties-upstream"


def test_ties_are_counted() -> None:
    metric = metrics()["accuracy"]
    stats = [metric.score(pair("a"), *OUTPUTS[choice]) for choice in ("tie", "b", "tie")]
    assert metric.aggregate(stats) == pytest.approx(1 / 3)
    assert metric.details(stats) == {"ties": 2}


def test_an_accuracy_without_ties_has_the_interval_of_a_share() -> None:
    metric = metrics()["accuracy"]
    result = compute_interval([metric.score(pair("a"), *OUTPUTS["a"])] * 10, metric.aggregate)
    assert result.method == "mid-p"
    assert result.high == pytest.approx(1.0)
    assert result.low < 0.8


def test_the_bounds_of_an_accuracy_are_no_and_full_credit_without_ties() -> None:
    accuracy = metrics()["accuracy"]
    assert isinstance(accuracy, Bounded)
    assert accuracy.bounds(pair("a")) == ((0.0, 0.0), (1.0, 0.0))
    assert [accuracy.is_hit(stat) for stat in ((1.0, 0.0), (0.0, 0.0), (0.5, 1.0))] == [True, False, None]
    assert metrics()["position_bias"].badness((0.0, 1.0)) == 1.0


def test_always_b_and_chance_do_not_depend_on_the_model() -> None:
    result = metrics()
    assert [result["always_b"].score(pair(truth)) for truth in ("a", "tie", "b")] == [0, 0.5, 1]
    assert result["chance"].score(pair("a")) == 0.5
    independent = {name for name, metric in result.items() if metric.is_model_independent}
    assert independent == {"always_b", "chance"}
    assert {name for name, metric in result.items() if not metric.higher_is_better} == {"position_bias"}


def test_an_output_with_another_name_must_be_chosen_explicitly() -> None:
    outputs = (ratings(alignment=1.0, mos=3.0), ratings(alignment=2.0, mos=1.0))
    with pytest.raises(Unsuited, match="-T outputs=musicality=NAME"):
        get_choice(Dimension("musicality", "musicality"), outputs)
    renamed = Dimension("musicality", "mos")
    assert get_choice(renamed, outputs) == 0
    assert metrics(dimension=renamed)["accuracy.musicality"].signature.endswith(".of-mos")


@pytest.mark.parametrize("count", [1, 3])
def test_a_choice_needs_a_rating_of_each_side(count: int) -> None:
    with pytest.raises(Unsupported, match=f"needs a number for each of the two sides; there are {count}"):
        get_choice(Dimension(), [LOW] * count)


def test_the_only_number_of_a_model_is_used() -> None:
    assert get_choice(Dimension(), (ratings(mos=1.0), ratings(mos=2.0))) == 1


@pytest.mark.parametrize(
    ("answers", "expected"), [(("A", "B"), 0), (("B", "A"), 1), (("A", "A"), 0.5), (("tie", "tie"), 0.5), (("B",), 1)]
)
def test_contradictory_choices_in_both_orders_are_a_tie(answers: tuple[str, ...], expected: float) -> None:
    assert get_choice(Dimension(), generations(*answers)) == expected


@pytest.mark.parametrize("reply", ["Recording B", "The answer is B.", "**B**"])
def test_a_choice_is_read_from_free_text(reply: str) -> None:
    assert get_choice(Dimension(), generations(reply)) == 1


def test_a_reply_without_a_choice_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="names neither A nor B"):
        get_choice(Dimension(), generations("Both have their charm.", "A"))


def test_position_bias_is_the_share_of_choices_that_follow_the_position() -> None:
    metric = metrics()["position_bias"]
    answers = [("A", "A"), ("B", "B"), ("A", "B"), ("A", "A")]
    stats = [metric.score(pair("a"), *generations(*answer)) for answer in answers]
    assert metric.aggregate(stats) == 0.75
    assert metric.details(stats) == {"first": 2, "second": 1, "pairs": 4}
    assert stats == [(1, 0), (0, 1), (0, 0), (1, 0)]
    assert metric.score(pair("a"), *generations("A")) is None  # asked in one order


def test_numeric_ratings_have_no_position_bias() -> None:
    assert metrics()["position_bias"].score(pair("a"), LOW, HIGH) is None


def test_each_dimension_uses_the_answers_to_its_own_question() -> None:
    outputs = generations("A", "B", "B", "A")
    first, second = (Dimension(name, name, index, 2) for index, name in enumerate(("fit", "good")))
    assert (get_choice(first, outputs), get_choice(second, outputs)) == (0, 1)


def test_text_models_may_rate_each_side() -> None:
    assert get_choice(Dimension(is_pairwise=False), generations("4 out of 5", "Score: 2")) == 0
