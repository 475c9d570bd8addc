"""Judge metrics: requests, votes, both orders, and agreement with humans."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from auricle import Metric
from auricle.core.errors import Unreadable, Unsupported
from auricle.core.types import Generate, Generation, Json, Output, Prediction, Sample
from auricle.metrics.capabilities import Bounded, Judged, Restricted, list_members
from auricle.metrics.catalogue import METRICS
from auricle.metrics.intervals import compute_interval
from auricle.metrics.judge import KappaAggregator, make_judge_metric
from auricle.metrics.rubric import Rubric, build_rubric

YES_NO = {"name": "mine", "kind": "yes-no", "template": "{question} {answer}", "escape": "tags"}
SCALE = {**YES_NO, "kind": "scale", "low": 1, "high": 5}
PAIRWISE = {**YES_NO, "kind": "pairwise", "template": "{question}|A:{answer}|B:{baseline}"}


def make_rubric(fields: Mapping[str, Any] = YES_NO, **changes: Any) -> Rubric:
    return build_rubric({**fields, **changes})


@pytest.mark.parametrize("factor", [1.0, 20.0])
def test_a_score_keeps_to_the_scale_of_its_rubric(factor: float) -> None:
    metric = make_judge_metric(make_rubric(SCALE, factor=factor))
    perfect = compute_interval([5 * factor] * 12, metric.aggregate)
    assert factor < perfect.low < 4.5 * factor
    assert perfect.high == 5 * factor
    assert metric.details([5 * factor]) == {"limits": [factor, 5 * factor]}


def make_sample(question: str = "what?", target: str = "paris", **meta: Json) -> Sample:
    return Sample(id="1", inputs={"question": question}, target=target, meta=meta)


def judge_requests(metric: Metric, sample: Sample, output: Output) -> tuple[Generate, ...]:
    assert isinstance(metric, Judged)
    return metric.judge_requests(sample, output)


def judge_prompts(metric: Metric, sample: Sample, output: Output) -> list[Any]:
    return [request.turns[0].parts[0] for request in judge_requests(metric, sample, output)]


def kappa_metric(**fields: Any) -> Metric:
    return list_members(make_judge_metric(make_rubric(**fields)))[1]


def score_companion(index: int, fields: Mapping[str, Any], sample: Sample, replies: Sequence[str]) -> Any:
    """Score a sample with a metric and then with one of its companions, as a run does."""
    metric = make_judge_metric(make_rubric(**fields))
    stat = metric.score(sample, Generation(text="a"), verdicts=replies)
    assert stat is not None
    return list_members(metric)[1 + index].score(sample, metric.sample_value(stat))


# --- requests ---------------------------------------------------------------------------


def test_braces_in_values_are_not_filled_in() -> None:
    metric = make_judge_metric(make_rubric())
    prompts = judge_prompts(metric, make_sample("{answer} {x} {"), Generation(text="{question} {}"))
    assert prompts == ["{answer} {x} { {question} {}"]


def test_an_optional_field_may_be_absent() -> None:
    metric = make_judge_metric(make_rubric(template="{choices?}|{answer}"))
    assert judge_prompts(metric, make_sample(), Generation(text="a")) == ["|a"]


def test_a_missing_field_makes_the_sample_unreadable() -> None:
    metric = make_judge_metric(make_rubric(template="{choices} {answer}"))
    with pytest.raises(Unreadable, match=r"\{choices\}"):
        judge_requests(metric, make_sample(), Generation(text="a"))


def test_options_and_the_reference_have_letters() -> None:
    metric = make_judge_metric(make_rubric(template="{choices}|{reference}|{answer}"))
    sample = Sample(id="1", inputs={"question": "?", "choices": ["cat", "dog"]}, target="B")
    assert judge_prompts(metric, sample, Generation(text="b")) == ["A. cat\nB. dog|B. dog|b"]


def test_a_reference_without_options_or_target_has_no_letter() -> None:
    metric = make_judge_metric(make_rubric(template="{reference?}|{answer}"))
    plain = Sample(id="1", inputs={"question": "?"}, target="B")
    assert judge_prompts(metric, plain, Generation(text="b")) == ["B|b"]
    without_target = Sample(id="1", inputs={"question": "?", "choices": ["sun", "none"]})
    assert judge_prompts(metric, without_target, Generation(text="b")) == ["|b"]


def test_options_after_z_have_no_letter() -> None:
    metric = make_judge_metric(make_rubric(template="{choices}|{answer}"))
    sample = Sample(id="1", inputs={"question": "?", "choices": [f"x{number}" for number in range(27)]})
    (prompt,) = judge_prompts(metric, sample, Generation(text="b"))
    assert "\nZ. x25\nx26|b" in prompt


def test_several_answers_cannot_be_judged_at_once() -> None:
    metric = make_judge_metric(make_rubric())
    assert isinstance(metric, Judged)
    with pytest.raises(Unsupported, match="scores one answer, but there are 2 per sample"):
        metric.judge_requests(make_sample(), Generation(text="a"), Generation(text="b"))
    with pytest.raises(Unsupported, match="this model's outputs are empty"):
        metric.judge_requests(make_sample())


def test_the_transcript_of_a_spoken_question_is_the_question() -> None:
    sample = make_sample("", audio_content="Who sings?")
    assert judge_prompts(make_judge_metric(make_rubric()), sample, Generation(text="Ann")) == ["Who sings? Ann"]


def test_numbers_cannot_be_judged() -> None:
    with pytest.raises(Unsupported, match="Prediction"):
        judge_requests(make_judge_metric(make_rubric()), make_sample(), Prediction(values={"a": 1.0}, scale="logit"))


def test_an_empty_answer_is_judged_like_any_other() -> None:
    assert len(judge_requests(make_judge_metric(make_rubric()), make_sample(), Generation(text=""))) == 1


def test_a_rubric_may_give_empty_answers_the_worst_score() -> None:
    metric = make_judge_metric(make_rubric(SCALE, empty="worst"))
    assert judge_requests(metric, make_sample(), Generation(text=" ")) == ()
    assert metric.score(make_sample(), Generation(text=" "), verdicts=()) == 1.0


# --- votes ------------------------------------------------------------------------------


def test_votes_repeat_the_request_and_are_averaged() -> None:
    metric = make_judge_metric(make_rubric(SCALE, votes=3, temperature=1.0))
    requests = judge_requests(metric, make_sample(), Generation(text="a"))
    assert len(requests) == 3
    assert len(set(requests)) == 1
    replies = ("Score: 5", "Score: 4", "Score: 3")
    assert metric.score(make_sample(), Generation(text="a"), verdicts=replies) == 4.0


def test_a_majority_decides_and_a_tie_is_unreadable() -> None:
    metric = make_judge_metric(make_rubric(votes=2, temperature=1.0, aggregate="majority"))
    both = ("Verdict: yes", "Verdict: yes")
    assert metric.score(make_sample(), Generation(text="a"), verdicts=both) == 1.0
    with pytest.raises(Unreadable, match="no majority"):
        metric.score(make_sample(), Generation(text="a"), verdicts=("Verdict: yes", "Verdict: no"))


def test_one_unreadable_vote_makes_the_sample_unreadable() -> None:
    metric = make_judge_metric(make_rubric(SCALE, votes=2, temperature=1.0))
    with pytest.raises(Unreadable):
        metric.score(make_sample(), Generation(text="a"), verdicts=("Score: 5", "Score: great"))


def test_several_votes_set_a_temperature_and_change_the_signature() -> None:
    metric = METRICS.get("judge-1-5")
    with_three_votes = metric.with_votes(3)
    requests = with_three_votes.judge_requests(make_sample(), Generation(text="a"))
    assert [request.temperature for request in requests] == [0.5] * 3
    assert with_three_votes.signature != metric.signature


# --- both orders ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "stat"),
    [
        ("A", "B", (1.0, 1, 0, 0, 0)),
        ("B", "A", (0.0, 0, 0, 1, 0)),
        ("tie", "tie", (0.5, 0, 1, 0, 0)),
        ("A", "A", (0.5, 0, 1, 0, 1)),
        ("A", "tie", (0.5, 0, 1, 0, 1)),
    ],
)
def test_contradictory_orders_are_a_tie_and_counted(first: str, second: str, stat: Any) -> None:
    metric = make_judge_metric(make_rubric(PAIRWISE))
    replies = (f"Winner: {first}", f"Winner: {second}")
    assert metric.score(make_sample(), Generation(text="a"), verdicts=replies) == stat


def test_both_orders_are_requested_with_the_baseline_or_the_target() -> None:
    metric = make_judge_metric(make_rubric(PAIRWISE))
    prompts = judge_prompts(metric, make_sample(), Generation(text="rome"))
    assert prompts == ["what?|A:rome|B:paris", "what?|A:paris|B:rome"]
    assert "B:oslo" in judge_prompts(metric, make_sample(baseline="oslo"), Generation(text="rome"))[0]


def test_wins_ties_and_losses_are_counted() -> None:
    metric = make_judge_metric(make_rubric(PAIRWISE))
    stats = [(1.0, 1, 0, 0, 0), (0.5, 0, 1, 0, 1), (0.0, 0, 0, 1, 0), (1.0, 1, 0, 0, 0)]
    assert metric.aggregate(stats) == 0.625
    assert metric.details(stats) == {"wins": 2, "ties": 1, "losses": 1, "inconsistent": 1}


@pytest.mark.parametrize(
    ("fields", "bounds", "unit", "is_right_or_wrong"),
    [
        (YES_NO, (0.0, 1.0), "share", True),
        ({**SCALE, "factor": 20.0}, (20.0, 100.0), "points", False),
        (PAIRWISE, ((0.0, 0, 0, 1, 0), (1.0, 1, 0, 0, 0)), "share", False),
    ],
)
def test_a_judge_metric_has_the_limits_of_its_rubric(
    fields: dict[str, Any], bounds: Any, unit: str, is_right_or_wrong: bool
) -> None:
    metric = make_judge_metric(make_rubric(fields, version=3))
    assert isinstance(metric, Bounded)
    assert metric.bounds(make_sample()) == bounds
    assert (metric.unit, metric.right_or_wrong, metric.version) == (unit, is_right_or_wrong, 3)
    _, kappa, corrected = list_members(metric)
    assert (corrected.unit, corrected.derived_from) == (unit, ("mine",))
    assert (kappa.title, kappa.version, kappa.badness((0.5, 2.0))) == ("mine κ", 3, 1.5)


@pytest.mark.parametrize(
    ("fields", "stat"), [(YES_NO, 0.0), ({**SCALE, "factor": 20.0}, 20.0), (PAIRWISE, (0.0, 0, 0, 1, 0))]
)
def test_an_empty_answer_may_be_the_worst_without_a_judge(fields: dict[str, Any], stat: Any) -> None:
    worst, judged = (make_judge_metric(make_rubric(fields, empty=policy)) for policy in ("worst", "judged"))
    sample = make_sample(baseline="b")
    assert judge_requests(worst, sample, Generation(text=" ")) == ()
    assert worst.score(sample, Generation(text=" "), verdicts=[]) == stat
    assert len(judge_requests(worst, sample, Generation(text="a"))) == 1 + (fields is PAIRWISE)
    assert judge_requests(judged, sample, Generation(text=" "))


# --- agreement --------------------------------------------------------------------------


@pytest.mark.parametrize(("levels", "quadratic"), [(2, False), (3, False), (2, True), (5, True), (10, True)])
def test_kappa_equals_scikit_learn(levels: int, quadratic: bool) -> None:
    rng = np.random.default_rng(levels)
    gold = rng.integers(1, levels + 1, 300)
    verdicts = np.where(rng.random(300) < 0.6, gold, rng.integers(1, levels + 1, 300))
    weights = "quadratic" if quadratic else None
    expected = cohen_kappa_score(verdicts, gold, labels=list(range(1, levels + 1)), weights=weights)
    stats = np.column_stack([verdicts, gold]).astype(float)
    aggregate = KappaAggregator(quadratic=quadratic)
    assert aggregate(stats) == pytest.approx(expected)
    interval = compute_interval(stats, aggregate)
    assert interval.low < expected < interval.high
    assert interval.method == "wilson"


@pytest.mark.parametrize("quadratic", [True, False])
@pytest.mark.parametrize("count", range(1, 12))
def test_kappa_of_constant_verdicts_is_undefined(count: int, quadratic: bool) -> None:
    """Shares such as a tenth do not add up to exactly one."""
    for verdict in (0.5, 1.0, 4.0, 4.3):
        assert math.isnan(KappaAggregator(quadratic=quadratic)([(verdict, verdict)] * count))


def test_kappa_without_samples_is_undefined() -> None:
    assert math.isnan(KappaAggregator(quadratic=False).prepare_weighted([(1.0, 1.0)])(np.zeros(1)))


def test_kappa_of_a_scale_weights_disagreements_by_their_distance() -> None:
    stats = [(1.0, 1.0), (0.5, 1.0), (0.0, 0.5), (0.0, 0.0), (1.0, 0.0)]
    for fields, quadratic in ((SCALE, True), (PAIRWISE, False), (YES_NO, False)):
        assert kappa_metric(**fields).aggregate(stats) == KappaAggregator(quadratic=quadratic)(stats)
    assert KappaAggregator(quadratic=True)(stats) != KappaAggregator(quadratic=False)(stats)


def test_kappa_reports_the_share_of_equal_verdicts() -> None:
    details = KappaAggregator(quadratic=False).details([(1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 1.0)])
    assert details == {"agreement": 0.75}


@pytest.mark.parametrize(
    ("fields", "replies", "gold", "pair"),
    [
        (YES_NO, ["Verdict: yes"], "no", (1.0, 0.0)),
        (YES_NO, ["Verdict: yes"], True, (1.0, 1.0)),
        (YES_NO, ["Verdict: yes"], "1", (1.0, 1.0)),
        (SCALE, ["Score: 4"], "3", (4.0, 3.0)),
        (SCALE, ["Score: 4"], 4.5, (4.0, 4.5)),
        (PAIRWISE, ["Winner: A", "Winner: B"], "win", (1.0, 1.0)),
        (PAIRWISE, ["Winner: A", "Winner: A"], "b", (0.5, 0.0)),
        (PAIRWISE, ["Winner: B", "Winner: A"], "tie", (0.0, 0.5)),
        (YES_NO, ["Verdict: yes"], "0", (1.0, 0.0)),
        *((PAIRWISE, ["Winner: A", "Winner: B"], gold, (1.0, 0.0)) for gold in ("loss", "lose", "0", 0, 0.0)),
        *((PAIRWISE, ["Winner: A", "Winner: B"], gold, (1.0, 0.5)) for gold in ("0.5", 0.5)),
        *((PAIRWISE, ["Winner: A", "Winner: B"], gold, (1.0, 1.0)) for gold in ("1", 1, 1.0)),
        (SCALE, ["Score: 1"], 1, (1.0, 1.0)),
        (SCALE, ["Score: 5"], 5.0, (5.0, 5.0)),
    ],
)
def test_kappa_pairs_the_verdicts_of_judge_and_human(
    fields: dict[str, Any], replies: list[str], gold: Json, pair: tuple[float, float]
) -> None:
    kappa = kappa_metric(**fields)
    assert isinstance(kappa, Restricted)
    assert kappa.name == "mine.kappa"
    for name in ("gold", "human", "human_label"):
        sample = Sample(id="1", inputs={"question": "what?"}, target="paris", meta={name: gold})
        assert kappa.applies(sample)
        assert score_companion(0, fields, sample, replies) == pair


def test_kappa_skips_samples_without_a_gold_label() -> None:
    kappa = kappa_metric()
    assert isinstance(kappa, Restricted)
    assert not kappa.applies(make_sample())
    assert not kappa.applies(make_sample(gold=""))


@pytest.mark.parametrize(("fields", "gold"), [(YES_NO, "perhaps"), (PAIRWISE, "c"), (SCALE, "high"), (SCALE, 0.5)])
def test_a_gold_label_that_is_no_verdict_is_unreadable(fields: dict[str, Any], gold: Json) -> None:
    replies = {"yes-no": ["Verdict: yes"], "pairwise": ["Winner: A", "Winner: B"], "scale": ["Score: 4"]}
    with pytest.raises(Unreadable, match="is not a valid verdict of this rubric"):
        score_companion(0, fields, make_sample(gold=gold), replies[fields["kind"]])


def test_tied_votes_have_no_verdict_to_compare() -> None:
    fields = {"votes": 2, "aggregate": "mean", "temperature": 0.5}
    with pytest.raises(Unreadable, match="the votes are tied"):
        score_companion(0, fields, make_sample(gold="yes"), ["Verdict: yes", "Verdict: no"])


def test_kappa_needs_a_verdict() -> None:
    with pytest.raises(Unreadable, match="there is no verdict of the judge"):
        kappa_metric().score(make_sample(gold="yes"), None)


@pytest.mark.parametrize(
    ("fields", "replies", "gold", "stat"),
    [
        (YES_NO, ["Verdict: yes"], "no", (1.0, 0.0, 1.0)),
        (YES_NO, ["Verdict: yes"], None, (1.0, 0.0, 0.0)),
        ({**SCALE, "factor": 20.0}, ["Score: 4"], "3", (80.0, 60.0, 1.0)),
        (PAIRWISE, ["Winner: B", "Winner: A"], "tie", (0.0, 0.5, 1.0)),
    ],
)
def test_the_corrected_score_pairs_verdicts_with_labels_on_the_scale_of_the_metric(
    fields: dict[str, Any], replies: list[str], gold: Json, stat: tuple[float, ...]
) -> None:
    assert score_companion(1, fields, make_sample(gold=gold), replies) == stat


def test_tied_pairwise_votes_are_a_tie() -> None:
    metric = make_judge_metric(make_rubric(PAIRWISE, votes=2, aggregate="majority", temperature=0.5))
    win, loss = ["Winner: A", "Winner: B"], ["Winner: B", "Winner: A"]
    inconsistent = ["Winner: A", "Winner: A"]
    for verdicts, stat in (
        ([*win, *loss], (0.5, 0, 1, 0, 0)),
        ([*win, *win], (1.0, 1, 0, 0, 0)),
        ([*win, *inconsistent], (0.5, 0, 1, 0, 1)),
    ):
        assert metric.score(make_sample(), Generation(text="a"), verdicts=verdicts) == stat


def test_a_gold_label_outside_the_scale_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="gold label 9"):
        score_companion(0, SCALE, make_sample(gold=9), ["Score: 4"])
