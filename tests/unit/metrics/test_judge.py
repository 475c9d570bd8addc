"""Rubrics: what a judge is asked, how strictly it is read, and what becomes of its votes."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from auricle.core.errors import SpecError, Unreadable, Unsupported
from auricle.core.types import Generation, Prediction, Sample
from auricle.metrics.catalogue import METRICS
from auricle.metrics.judge import KappaAggregator, make_judge_metric
from auricle.metrics.rubric import RUBRICS_DIR, build_rubric, load_rubric
from auricle.metrics.statistics import compute_interval

YES_NO = {"name": "mine", "kind": "yes-no", "template": "{question} {answer}"}
SCALE = {**YES_NO, "kind": "scale", "low": 1, "high": 5}
PAIR = {**YES_NO, "kind": "pairwise", "template": "{question}|A:{answer}|B:{baseline}"}


def made(base: Any = YES_NO, **changes: Any) -> Any:
    return build_rubric({**base, **changes})


def sample(question: str = "what?", target: str = "paris", **meta: Any) -> Any:
    return Sample(id="1", inputs={"question": question}, target=target, meta=meta)


def asked(metric: Any, *of: Any) -> Any:
    return [request.turns[0].parts[0] for request in metric.judge_requests(*of)]


# --- reading ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Verdict: yes", 1.0),
        ("It fits.\nVerdict: no", 0.0),
        ("**Verdict:** Yes.", 1.0),
        ("verdict：YES", 1.0),
        ("<think>Verdict: no</think>\nVerdict: yes\n\n", 1.0),
        ("Verdict: notice", None),
        ("Verdict: no, or rather yes", None),
        ("Verdict: yes\nI hope that helps", None),
        ("I say yes", None),
        ("yes", None),
        ("My verdict: yes", None),
        ("Verdict:", None),
        ("", None),
        ("__import__('os')", None),
    ],
)
def test_a_yes_or_no_is_read_from_a_marked_last_line_only(reply: str, value: float | None) -> None:
    assert_read(made(), reply, value)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Score: 4", 4.0),
        ("fair\n\nScore: 4/5", 4.0),
        ("Score: 4.0", 4.0),
        ("Score: 4.5", None),
        ("Score: 6", None),
        ("Score: 0", None),
        ("Score: 4/10", None),
        ("Score: four", None),
        ("Score: 4 or 5", None),
        ("Score: N", None),
        ("I give it a 4", None),
    ],
)
def test_a_score_is_a_whole_number_on_the_scale(reply: str, value: float | None) -> None:
    assert_read(made(SCALE), reply, value)


@pytest.mark.parametrize(
    ("reply", "value"), [("[[4]]", 4.0), ("Fine.\n[[ 2 ]]", 2.0), ("[4]", None), ("[[4]] or [[5]]", None)]
)
def test_a_mark_may_be_brackets(reply: str, value: float | None) -> None:
    assert_read(made(SCALE, mark="[[{}]]"), reply, value)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"score": 3}', 3.0),
        ('{"why": "ok", "score": "3"}', 3.0),
        ('Here:\n```json\n{"score": 5}\n```\nDone.', 5.0),
        ('{"score": 3.5}', None),
        ('{"score": true}', None),
        ('{"score": null}', None),
        ('{"score": [3]}', None),
        ('{"Score": 3}', None),
        ("[3]", None),
        ("3", None),
        ('score 3 {"score": 3}', None),
        ("{'score': 3}", None),
        ('```\n{"score": 3}\n```\n```\n{"score": 4}\n```', None),
    ],
)
def test_json_is_the_whole_reply_or_one_fenced_block(reply: str, value: float | None) -> None:
    assert_read(made(SCALE, output="json"), reply, value)


def test_json_may_say_true_where_yes_or_no_is_due() -> None:
    assert made(output="json").parse_reply('{"verdict": true}') == 1.0
    assert made(output="json").parse_reply('{"verdict": "no"}') == 0.0


def assert_read(by: Any, reply: Any, value: Any) -> None:
    if value is None:
        with pytest.raises(Unreadable, match="judge"):
            by.read(reply)
    else:
        assert by.read(reply) == value


# --- asking -----------------------------------------------------------------------------


def test_fields_are_filled_once_and_braces_in_values_are_left_alone() -> None:
    metric = make_judge_metric(made())
    found = asked(metric, sample("{answer} {x} {"), Generation(text="{question} {}"))
    assert found == ["{answer} {x} { {question} {}"]


def test_an_optional_field_may_be_absent() -> None:
    metric = make_judge_metric(made(template="{choices?}|{answer}"))
    assert asked(metric, sample(), Generation(text="a")) == ["|a"]


def test_a_field_that_a_sample_lacks_leaves_it_unscored_by_name() -> None:
    metric = make_judge_metric(made(template="{choices} {answer}"))
    with pytest.raises(Unreadable, match=r"\{choices\}"):
        metric.judge_requests(sample(), Generation(text="a"))


def test_options_are_lettered_and_the_right_one_is_named_with_its_letter() -> None:
    metric = make_judge_metric(made(template="{choices}|{reference}|{answer}"))
    row = Sample(id="1", inputs={"question": "?", "choices": ["cat", "dog"]}, target="B")
    assert asked(metric, row, Generation(text="b")) == ["A. cat\nB. dog|B. dog|b"]


def test_a_question_that_was_spoken_is_told_in_its_words() -> None:
    row = sample("", audio_content="Who sings?")
    assert asked(make_judge_metric(made()), row, Generation(text="Ann")) == ["Who sings? Ann"]


def test_numbers_cannot_be_judged() -> None:
    with pytest.raises(Unsupported, match="Prediction"):
        make_judge_metric(made()).judge_requests(sample(), Prediction(values={"a": 1.0}, scale="logit"))


def test_an_empty_answer_is_judged_like_any_other() -> None:
    assert len(make_judge_metric(made()).judge_requests(sample(), Generation(text=""))) == 1


def test_a_rubric_may_say_that_an_empty_answer_is_the_worst() -> None:
    metric = make_judge_metric(made(SCALE, empty="worst"))
    assert metric.judge_requests(sample(), Generation(text=" ")) == ()
    assert metric.score(sample(), Generation(text=" "), verdicts=()) == 1.0


# --- votes ------------------------------------------------------------------------------


def test_votes_are_the_same_request_again_and_their_mean_is_taken() -> None:
    metric = make_judge_metric(made(SCALE, votes=3, temperature=1.0))
    requests = metric.judge_requests(sample(), Generation(text="a"))
    assert len(requests) == 3
    assert len(set(requests)) == 1
    said = ("Score: 5", "Score: 4", "Score: 3")
    assert metric.score(sample(), Generation(text="a"), verdicts=said) == 4.0


def test_a_majority_decides_and_a_split_is_unscored() -> None:
    metric = make_judge_metric(made(votes=2, temperature=1.0, aggregate="majority"))
    both = ("Verdict: yes", "Verdict: yes")
    assert metric.score(sample(), Generation(text="a"), verdicts=both) == 1.0
    with pytest.raises(Unreadable, match="split"):
        metric.score(sample(), Generation(text="a"), verdicts=("Verdict: yes", "Verdict: no"))


def test_one_unreadable_vote_leaves_the_sample_unscored() -> None:
    metric = make_judge_metric(made(SCALE, votes=2, temperature=1.0))
    with pytest.raises(Unreadable):
        metric.score(sample(), Generation(text="a"), verdicts=("Score: 5", "Score: great"))


def test_being_told_of_votes_gives_a_cold_rubric_some_temperature_and_another_signature() -> None:
    cold = METRICS.get("judge-1-5")
    three = cold.with_votes(3)
    requests = three.judge_requests(sample(), Generation(text="a"))
    assert [request.temperature for request in requests] == [0.5] * 3
    assert three.signature != cold.signature


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
def test_orders_that_disagree_are_a_tie_and_counted(first: str, second: str, stat: Any) -> None:
    metric = make_judge_metric(made(PAIR))
    said = (f"Winner: {first}", f"Winner: {second}")
    assert metric.score(sample(), Generation(text="a"), verdicts=said) == stat


def test_both_orders_are_asked_against_the_baseline_or_else_the_target() -> None:
    metric = make_judge_metric(made(PAIR))
    assert asked(metric, sample(), Generation(text="rome")) == ["what?|A:rome|B:paris", "what?|A:paris|B:rome"]
    assert "B:oslo" in asked(metric, sample(baseline="oslo"), Generation(text="rome"))[0]


def test_preferences_are_counted_beside_the_share_won() -> None:
    metric = make_judge_metric(made(PAIR))
    stats = [(1.0, 1, 0, 0, 0), (0.5, 0, 1, 0, 1), (0.0, 0, 0, 1, 0), (1.0, 1, 0, 0, 0)]
    assert metric.aggregate(stats) == 0.625
    assert metric.details(stats) == {"wins": 2, "ties": 1, "losses": 1, "inconsistent": 1}


# --- agreement --------------------------------------------------------------------------


@pytest.mark.parametrize(("levels", "squared"), [(2, False), (3, False), (5, True), (10, True)])
def test_kappa_is_that_of_scikit_learn(levels: int, squared: bool) -> None:
    dice = np.random.default_rng(levels)
    gold = dice.integers(1, levels + 1, 300)
    said = np.where(dice.random(300) < 0.6, gold, dice.integers(1, levels + 1, 300))
    wanted = cohen_kappa_score(said, gold, labels=list(range(1, levels + 1)), weights="quadratic" if squared else None)
    stats = np.column_stack([said, gold]).astype(float)
    fold = KappaAggregator(quadratic=squared)
    assert fold(stats) == pytest.approx(wanted)
    low, high = (f := compute_interval(stats, fold)).low, f.high
    assert low < wanted < high
    assert f.method == "bootstrap:1000"


def test_kappa_of_people_and_judges_who_say_one_thing_is_undefined() -> None:
    assert math.isnan(KappaAggregator(quadratic=False)([(1.0, 1.0), (1.0, 1.0)]))


@pytest.mark.parametrize(
    ("base", "reply", "gold", "pair"),
    [
        (YES_NO, ["Verdict: yes"], "no", (1.0, 0.0)),
        (YES_NO, ["Verdict: yes"], True, (1.0, 1.0)),
        (YES_NO, ["Verdict: yes"], "1", (1.0, 1.0)),
        (SCALE, ["Score: 4"], "3", (4.0, 3.0)),
        (SCALE, ["Score: 4"], 4.5, (4.0, 4.5)),
        (PAIR, ["Winner: A", "Winner: B"], "win", (1.0, 1.0)),
        (PAIR, ["Winner: A", "Winner: A"], "b", (0.5, 0.0)),
    ],
)
def test_what_a_person_said_stands_beside_what_the_judge_said(base: Any, reply: Any, gold: Any, pair: Any) -> None:
    (kappa,) = make_judge_metric(made(base)).companions
    assert kappa.name == "mine.kappa"
    for name in ("gold", "human", "human_label"):
        row = sample(**{name: gold})
        assert kappa.applies(row)
        assert kappa.score(row, Generation(text="a"), verdicts=reply) == pair


def test_rows_without_a_gold_label_are_not_what_kappa_is_about() -> None:
    (kappa,) = make_judge_metric(made()).companions
    assert not kappa.applies(sample())
    assert not kappa.applies(sample(gold=""))


def test_a_gold_label_off_the_scale_is_named() -> None:
    (kappa,) = make_judge_metric(made(SCALE)).companions
    with pytest.raises(Unreadable, match="gold label 9"):
        kappa.score(sample(gold=9), Generation(text="a"), verdicts=["Score: 4"])


# --- rubrics as data --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"template": "{answer} {reply}"}, r"\{reply\}; its fields are"),
        ({"template": "{question}"}, r"never shows the judge \{answer\}"),
        ({"kind": "scale"}, "low below high"),
        ({"kind": "grade"}, "kind is yes-no or scale or pairwise"),
        ({"votes": 3}, "one vote; give a temperature"),
        ({"votes": "3"}, "votes should be a whole number"),
        ({"mark": "Verdict:"}, "where the verdict stands"),
        ({"colour": "red"}, "has no 'colour'"),
        ({"name": "a b"}, "letters, digits"),
        ({"name": ""}, "says no name"),
    ],
)
def test_a_rubric_that_cannot_work_is_refused_by_name(changes: Any, why: str) -> None:
    with pytest.raises(SpecError, match=why):
        made(**changes)


def test_the_signature_changes_with_what_decides_a_verdict_and_only_then() -> None:
    assert make_judge_metric(made()).signature == make_judge_metric(made(about="words")).signature
    assert make_judge_metric(made()).signature != make_judge_metric(made(template="{answer}")).signature
    assert make_judge_metric(made()).signature.startswith("mine:1.")


def test_every_rubric_that_ships_is_registered_under_its_name() -> None:
    paths = sorted(RUBRICS_DIR.glob("*.yaml"))
    assert len(paths) == 6
    for path in paths:
        assert METRICS.get(path.stem).name == load_rubric(path).name == path.stem


def test_each_shipped_rubric_reads_the_line_it_asks_for() -> None:
    for path in RUBRICS_DIR.glob("*.yaml"):
        by = load_rubric(path)
        last = by.template.strip().splitlines()[-1].replace("N", str(by.high))
        assert by.parse_reply(f"Because.\n{last}") in (0.0, 0.5, by.high)
