"""Stats to score_and_summarise: order, groups, clusters, bounds, what is left out."""

import random
from typing import Any, Literal

import pytest

from auricle import Metric, Unreadable, metric
from auricle.core.types import Failure
from auricle.metrics.base import constant_bounds, mean
from auricle.metrics.catalogue import METRICS
from auricle.metrics.readings import require_value
from auricle.tasks.asr.error_rates import empty, exact_match, wer
from auricle.tasks.labels.metrics import uar
from auricle.tasks.questions.captions import rouge_l
from auricle.text import Reading, Strength
from tests.support.scored_records import make_mixed_records, make_record, overall_results, score_and_summarise


def test_numbers_do_not_depend_on_the_order_of_the_journal() -> None:
    records = make_mixed_records()
    _, straight = score_and_summarise(records)
    random.Random(1).shuffle(records)
    _, shuffled = score_and_summarise(records)
    assert straight == shuffled


def test_subsets_stand_apart_and_together() -> None:
    records = [make_record(at, subset="x" if at % 2 else "y") for at in range(6)]
    _, results = score_and_summarise(records)
    assert [(n.field, n.group, n.scored) for n in results] == [("", "all", 6), ("subset", "x", 3), ("subset", "y", 3)]


def test_groups_of_numbers_are_in_their_own_order() -> None:
    records = [make_record(at, snr=value) for at, value in enumerate([10, 2.5, -5, 10])]
    _, results = score_and_summarise(records)
    assert [number.group for number in results if number.field == "snr"] == ["-5", "2.5", "10"]


def test_a_field_that_some_samples_lack_counts_those_that_have_it() -> None:
    records = [make_record(at, k=at % 2) if at > 1 else make_record(at) for at in range(6)]
    _, results = score_and_summarise(records)
    assert [number.total for number in results if number.field == "k"] == [2, 2]


@pytest.mark.parametrize("missing", [{0, 1}, {0}, {0, 3, 4}, {3}, {7}, {0, 1, 2, 6, 7}])
def test_groups_have_their_own_values_when_some_rows_lack_the_field(missing: set[int]) -> None:
    """Rows of `right` are right and rows of `wrong` are wrong; rows without the field are half wrong."""
    meta = {row: {} if row in missing else {"k": "wrong" if row % 2 else "right"} for row in range(8)}
    answers = {"right": "a b", "wrong": "x y", "": "a x"}
    records = [make_record(row, answer=answers[fields.get("k", "")], **fields) for row, fields in meta.items()]
    _, results = score_and_summarise(records)
    values = {number.group: (number.value, number.scored, number.total) for number in results if number.field == "k"}
    sizes = {group: sum(fields.get("k") == group for fields in meta.values()) for group in ("right", "wrong")}
    assert values == {"right": (0.0, sizes["right"], sizes["right"]), "wrong": (1.0, sizes["wrong"], sizes["wrong"])}


def test_failed_samples_are_left_out_counted_and_bounded() -> None:
    records = [make_record(at) for at in range(8)]
    records += [make_record(8, error=Failure("X", "y")), make_record(9, error=Failure("X", "y"))]
    board, results = score_and_summarise(records)
    number = overall_results(results)["wer"]
    assert (number.value, number.scored, number.total, number.failed) == (0.0, 8, 10, 2)
    assert (number.worst, number.best) == (pytest.approx(4 / 20), 0.0)
    assert number.coverage == 0.8
    assert board.failures == {"X": 2}


def right_if_short(sample: Any, output: Any) -> float | None:
    """Score answers of at most one word; others are beside the point."""
    return float(output.text == "a") if len(output.text.split()) < 2 else None


def test_samples_that_a_metric_does_not_apply_to_are_counted_apart() -> None:
    records = [make_record(at, answer=answer, part=at % 2) for at, answer in enumerate(["a", "a b", "b", "a b", "a"])]
    _, results = score_and_summarise(records, [metric(limits=(0.0, 1.0))(right_if_short), wer])
    number = overall_results(results)["right_if_short"]
    assert (number.value, number.scored, number.total, number.not_applicable) == (pytest.approx(2 / 3), 3, 3, 2)
    assert (number.unreadable, number.coverage) == (0, 1.0)
    assert overall_results(results)["wer"].not_applicable == 0
    groups = {each.group: each.scored for each in results if each.field and each.metric == number.metric}
    assert groups == {"0": 3}  # the metric does not apply to the other group


def test_a_failed_row_that_could_not_be_read_is_bounded_by_fixed_limits_only() -> None:
    records = [make_record(at) for at in range(8)]
    records += [make_record(8, error=Failure("X", "y")), make_record(9, target=None, error=Failure("RejectedRow", "y"))]
    _, results = score_and_summarise(records, [wer, exact_match, metric()(right_if_short)])
    rate, match = (overall_results(results)[name] for name in ("wer", "exact_match"))
    assert (rate.failed, rate.unbounded, rate.worst) == (2, 1, pytest.approx(2 / 18))
    assert (match.failed, match.unbounded, match.worst, match.best) == (2, 0, pytest.approx(0.8), 1.0)


def make_rejected_records(answered: int, rejected: int, **error: Any) -> list[Any]:
    records = [make_record(at, "happy", "happy") for at in range(answered)]
    records += [make_record(at, **{"target": "happy", **error}) for at in range(answered, answered + rejected)]
    for record in records:
        record.sample.inputs["choices"] = ["happy", "sad"]
    return records


@pytest.mark.parametrize(
    ("name", "unbounded", "worst"),
    [
        ("exact_match", 0, 118 / 198),
        ("accuracy", 0, 118 / 198),
        ("wer", 80, 0.0),
        ("uar", 80, 1.0),
        ("macro_f1", 80, 1.0),
    ],
)
def test_bounds_cover_eighty_rejected_rows_or_state_that_they_do_not(name: str, unbounded: int, worst: float) -> None:
    """The targets of rejected rows are unknown, and with them the length of a reference or the size of a class."""
    records = make_rejected_records(118, 80, target=None, error=Failure("RejectedRow", "not valid JSON"))
    number = overall_results(score_and_summarise(records, [METRICS.get(name)])[1])[name]
    assert (number.failed, number.unbounded, number.worst) == (80, unbounded, pytest.approx(worst))


@pytest.mark.parametrize("kind", ["ServerError", "AudioTooLong"])
def test_bounds_cover_failed_and_skipped_samples_of_every_metric_with_limits(kind: str) -> None:
    names = ("exact_match", "accuracy", "wer", "uar", "macro_f1")
    records = make_rejected_records(6, 2, error=Failure(kind, "no"))
    results = overall_results(score_and_summarise(records, [METRICS.get(name) for name in names])[1])
    assert {name: number.unbounded for name, number in results.items()} == dict.fromkeys(names, 0)
    assert [results[name].worst for name in ("exact_match", "accuracy", "wer", "uar")] == [0.75, 0.75, 0.25, 0.75]


def test_failures_of_a_metric_without_limits_are_not_bounded() -> None:
    records = [make_record(0, answer="a"), make_record(1, error=Failure("X", "y"))]
    _, results = score_and_summarise(records, [metric()(right_if_short)])
    assert (results[0].failed, results[0].unbounded, results[0].worst) == (1, 1, 1.0)


def unreadable_unless_number(sample: Any, output: Any) -> Any:
    if not output.text.isdigit():
        raise Unreadable(f"no number in {output.text!r}")
    return float(output.text == "1")


@pytest.mark.parametrize(("policy", "value", "count"), [("wrong", 0.25, 4), ("unscored", 0.5, 2)])
def test_an_unreadable_answer_follows_the_metrics_policy_and_is_counted(policy: Any, value: float, count: int) -> None:
    strict = Metric("strict", unreadable_unless_number, mean, unreadable=policy, bounds=constant_bounds((0.0, 1.0)))
    answers = ["1", "0", "what?", "hm"]
    board, results = score_and_summarise([make_record(at, answer=each) for at, each in enumerate(answers)], [strict])
    number = overall_results(results)["strict"]
    assert (number.value, number.scored, number.unreadable) == (value, count, 2)
    assert number.total == 4
    assert sum(board.columns[0].reasons.values()) == 2


def test_clusters_are_resampled_whole() -> None:
    records = [make_record(at, answer="a x" if at < 30 else "a b", speaker=at // 10) for at in range(60)]
    _, alone = score_and_summarise(records, cluster="none")
    _, clustered = score_and_summarise(records, cluster="speaker")
    narrow, wide = overall_results(alone)["wer"], overall_results(clustered)["wer"]
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert wide.interval == "cluster-gamma"


def test_class_figures_stand_beside_a_label_metric() -> None:
    records = [make_record(at, target=t, answer=s) for at, (t, s) in enumerate([("x", "x"), ("y", "x")])]
    for each in records:
        each.sample.inputs["choices"] = ["x", "y"]
    _, results = score_and_summarise(records, [uar])
    details = overall_results(results)["uar"].details
    assert details["matrix"]["rows"] == ["x", "y"]
    assert details["classes"]["x"]["precision"] == 0.5


def test_clusters_do_not_depend_on_the_order_of_the_journal() -> None:
    dice = random.Random(3)
    answers = [dice.choice(["a b", "a x", "x y"]) for _ in range(60)]
    records = [make_record(at, answer=each, speaker=f"s{at // 6}") for at, each in enumerate(answers)]
    _, straight = score_and_summarise(records, cluster="speaker")
    dice.shuffle(records)
    _, shuffled = score_and_summarise(records, cluster="speaker")
    assert straight == shuffled


def test_the_decorator_refuses_what_it_would_misread() -> None:
    with pytest.raises(TypeError, match="name='mine'"):
        metric("mine")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs limits"):
        metric(unreadable="wrong")
    strict = metric(limits=(0.0, 1.0), unreadable="wrong")(unreadable_unless_number)
    assert strict.signature == "unreadable_unless_number:1.unreadable-wrong"


@pytest.mark.parametrize(
    ("measured", "right_or_wrong"), [(exact_match, True), (empty, True), (wer, False), (rouge_l, False)]
)
def test_a_number_states_whether_its_metric_counts_samples_as_right_or_wrong(
    measured: Metric, right_or_wrong: bool
) -> None:
    _, results = score_and_summarise([make_record(0)], metrics=[measured])
    assert results[0].right_or_wrong is right_or_wrong


# --- readings --------------------------------------------------------------------------------------------------------


def read_reply(sample: Any, output: Any) -> Reading[str]:
    """Read `3` as a whole reply, `3?` as a statement, `no` as a refusal and anything else not at all."""
    text = output.text
    if text.rstrip("?").isdigit():
        return Reading(text.rstrip("?"), Strength.STATEMENT if text.endswith("?") else Strength.WHOLE_REPLY)
    return Reading(refused=text == "no")


def score_reply(sample: Any, output: Any) -> float:
    return float(require_value(read_reply(sample, output), output, "no number") == "1")


def make_reader_metric(policy: Literal["wrong", "unscored"]) -> Metric:
    return Metric("strict", score_reply, mean, unreadable=policy, bounds=constant_bounds((0.0, 1.0)), reader=read_reply)


REPLIES = ["1", "1", "0", "1?", "hm", "what", "no", "oh"]


@pytest.mark.parametrize(
    ("policy", "value", "coverage", "bounds"),
    [("wrong", 3 / 8, 4 / 8, (3 / 8, 6 / 8)), ("unscored", 3 / 4, 4 / 8, (3 / 7, 6 / 7))],
)
def test_replies_are_counted_by_strength_with_bounds_for_the_unread(
    policy: Any, value: float, coverage: float, bounds: tuple[float, float]
) -> None:
    records = [make_record(row, answer=reply) for row, reply in enumerate(REPLIES)]
    table, (number,) = score_and_summarise(records, [make_reader_metric(policy)])
    assert number.readings == {
        "structure": 0,
        "marker": 0,
        "whole_reply": 3,
        "statement": 1,
        "unread": 3,
        "refused": 1,
        "truncated": 0,
    }
    assert (number.value, number.coverage) == (value, coverage)
    assert (number.unreadable, number.refused) == (3, 1)
    assert (number.unread_wrong, number.unread_right) == pytest.approx(bounds)
    assert table.outcomes == {"answered": 4, "unreadable": 3, "refused": 1}


def test_groups_count_their_own_readings() -> None:
    records = [make_record(row, answer=reply, half=row // 4) for row, reply in enumerate(REPLIES)]
    _, numbers = score_and_summarise(records, [make_reader_metric("wrong")])
    first, second = (number for number in numbers if number.field == "half")
    assert (first.readings["whole_reply"], first.readings["unread"], first.unread_right) == (3, 0, None)
    assert (second.readings["unread"], second.readings["refused"], second.unread_right) == (3, 1, 3 / 4)


def test_metrics_that_do_not_read_replies_have_no_readings() -> None:
    _, (number,) = score_and_summarise([make_record(0)])
    assert number.readings == {}
    assert (number.unread_wrong, number.unread_right) == (None, None)


def test_an_answer_that_is_read_completely_needs_no_bounds() -> None:
    _, (number,) = score_and_summarise([make_record(0, answer="1")], [make_reader_metric("wrong")])
    assert (number.coverage, number.unread_wrong, number.unread_right) == (1.0, None, None)
