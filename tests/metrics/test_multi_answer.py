"""Metrics over samples with several answers."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

import pytest

from auricle import Audio, Generation, Metric, Prediction, Sample, metric
from auricle.core.errors import SampleError, SpecError, Unreadable, Unsupported
from auricle.core.types import Failure, Generate, Json, Output, Record, Turn
from auricle.metrics.capabilities import Bounded, Judged, Profiled, UsesSynonyms, Voting
from auricle.metrics.judge import judge_1_5, judge_reference
from auricle.metrics.multi_answer import (
    accepts_multiple_outputs,
    aggregate_answers,
    apply_aggregations,
    build_transcript,
    get_turns,
    is_conversation,
)
from auricle.scoring.run_scores import collect_refusals
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.asr.error_rates import contains, empty, exact_match, wer
from auricle.tasks.labels.dimensions import ccc_arousal
from auricle.tasks.labels.metrics import accuracy, option_accuracy, uar
from auricle.tasks.questions.refusal import refusal

if TYPE_CHECKING:
    from auricle.scoring.judge_panel import JudgePanel

CAT = Sample(id="1", inputs={"choices": ["cat", "dog", "cow"]}, target="cat")
VOTE = aggregate_answers(option_accuracy, "vote")


def answers(*texts: str, logprobs: Sequence[tuple[float, ...]] = ()) -> list[Output]:
    padded = [*logprobs, *(None,) * (len(texts) - len(logprobs))]
    return [Generation(text=text, logprobs=values) for text, values in zip(texts, padded, strict=True)]


def record(row: int, *texts: str, target: Json = "cat", error: Failure | None = None) -> Record:
    sample = Sample(id=str(row), inputs={"choices": ["cat", "dog", "cow"]}, target=target)
    return Record(sample=sample, row=row, outputs=() if error else tuple(answers(*texts)), error=error)


def score_table(records: Sequence[Record], *metrics: Metric) -> ScoreTable:
    table = ScoreTable(metrics)
    list(score_records(records, table))
    return table


def summary_of(records: Sequence[Record], metric: Metric) -> Any:
    (summary,) = summarise(score_table(records, metric))
    return summary


def conversation(*questions: str, target: Json = None) -> Sample:
    return Sample(id="t", inputs={"turns": [Turn("user", (text,)) for text in questions]}, target=target)


def judge_requests(metric: Metric, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
    assert isinstance(metric, Judged)
    return metric.judge_requests(sample, *outputs)


# --- voting ---------------------------------------------------------------------------


def test_the_most_frequent_answer_is_scored() -> None:
    vote = aggregate_answers(option_accuracy, "vote")
    assert vote.score(CAT, *answers("B", "the answer is A", "cat")) == (0, (1.0,))
    assert vote.score(CAT, *answers("B", "dog", "cat")) == (0, (0.0,))


def test_unreadable_answers_do_not_vote() -> None:
    vote = aggregate_answers(option_accuracy, "vote")
    assert vote.score(CAT, *answers("hm", "hm", "hm", "A")) == (0, (1.0,))
    with pytest.raises(Unreadable, match="none of the 2 answers can be read"):
        vote.score(CAT, *answers("hm", "no idea"))


def test_the_first_answer_wins_a_tie_and_ties_are_counted() -> None:
    result = summary_of([record(0, "B", "A"), record(1, "A", "B"), record(2, "A", "A")], VOTE)
    assert result.value == pytest.approx(2 / 3)
    assert result.details == {"ties": 2}


def test_a_vote_has_the_same_interval_as_a_share() -> None:
    voted = summary_of([record(index, "A", "A", "B") for index in range(9)], VOTE)
    single = summary_of([record(index, "A") for index in range(9)], option_accuracy)
    assert (voted.low, voted.high, voted.interval) == (single.low, single.high, "mid-p")


def test_a_vote_among_unreadable_answers_follows_the_metric_s_policy() -> None:
    result = summary_of([record(0, "hm", "hm"), record(1, "A", "A")], VOTE)
    assert (result.value, result.unreadable, result.scored) == (0.5, 1, 2)


def test_texts_are_normalised_before_the_vote() -> None:
    sample = Sample(id="1", inputs={}, target="good morning")
    outputs = answers("bad", "Good morning.", "good, morning")
    for plain in (exact_match, contains):
        assert aggregate_answers(plain, "vote").score(sample, *outputs) == (0, (1.0,))
    voted = aggregate_answers(wer, "vote")
    assert voted.aggregate([voted.score(sample, *outputs)]) == 0.0


def test_empty_texts_vote() -> None:
    sample = Sample(id="1", inputs={}, target="")
    assert aggregate_answers(exact_match, "vote").score(sample, *answers("", "", "a")) == (0, (1.0,))


def test_labels_from_text_and_from_scores_vote() -> None:
    vote = aggregate_answers(accuracy, "vote")
    scores = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.2, "dog": 0.8}, {"cat": 0.6, "dog": 0.4}]
    predictions = [Prediction(values=values, scale="probability") for values in scores]
    assert vote.score(CAT, *predictions) == (0, (1.0,))
    assert aggregate_answers(uar, "vote").score(CAT, *answers("dog", "cat", "cat")) == (0, (("cat", "cat"),))
    assert aggregate_answers(refusal, "vote").score(CAT, *answers("I cannot help", "Sure!", "Sure!")) == (0, ((0, 0),))


def test_a_metric_that_cannot_read_answers_rejects_a_vote() -> None:
    @metric(limits=(0.0, 1.0))
    def mine(sample: Any, output: Any) -> Any:
        return 1.0

    with pytest.raises(Unsupported, match="read an answer from a text; mine cannot"):
        aggregate_answers(mine, "vote")
    with pytest.raises(Unsupported, match="judge-1-5 cannot"):
        aggregate_answers(judge_1_5, "vote")


# --- mean -------------------------------------------------------------------------------


def test_the_mean_is_over_all_answers() -> None:
    records = [record(0, "A", "B", "A", "A"), record(1, "B", "B", "B", "B")]
    result = summary_of(records, aggregate_answers(option_accuracy, "mean"))
    assert result.value == pytest.approx(3 / 8)
    assert result.details == {"answers": 8, "unreadable_answers": 0}


def test_the_mean_of_error_rates_is_pooled() -> None:
    records = [record(0, "a b", "a x", target="a b"), record(1, "c", "c d", target="c")]
    result = summary_of(records, aggregate_answers(wer, "mean"))
    assert result.value == pytest.approx(2 / 6)
    assert (result.details["substitutions"], result.details["insertions"]) == (1, 1)
    assert result.details["reference_length"] == 6


def test_samples_have_equal_weight_whatever_their_number_of_answers() -> None:
    result = summary_of([record(0, "A"), record(1, "B", "B", "B")], aggregate_answers(option_accuracy, "mean"))
    assert result.value == 0.5


def test_confusions_are_counted_over_all_answers() -> None:
    records = [record(0, "cat", "dog"), record(1, "dog", "dog", target="dog")]
    result = summary_of(records, aggregate_answers(uar, "mean"))
    assert result.value == pytest.approx((0.5 + 1) / 2)
    assert result.details["matrix"]["counts"][:2] == [[1, 1, 0], [0, 2, 0]]


def test_an_unreadable_answer_among_others_follows_the_metric_s_policy() -> None:
    records = [record(0, "A", "hm"), record(1, "A", "A")]
    result = summary_of(records, aggregate_answers(option_accuracy, "mean"))
    assert (result.value, result.unreadable) == (0.75, 0)
    assert result.details["unreadable_answers"] == 1


def test_unscored_unreadable_answers_are_left_out() -> None:
    @metric(limits=(0.0, 1.0))
    def mine(sample: Any, output: Any) -> Any:
        if output.text == "?":
            raise Unreadable("nothing")
        return float(output.text)

    result = summary_of([record(0, "1", "?", "0"), record(1, "?", "?")], aggregate_answers(mine, "mean"))
    assert (result.value, result.scored, result.unreadable) == (0.5, 1, 1)
    with pytest.raises(Unreadable, match="pass@2 needs 2 readable answers, but there are 1"):
        aggregate_answers(mine, "pass@2").score(CAT, *answers("1", "?"))


@pytest.mark.parametrize("texts", [["first", "second"], ["first"]])
def test_a_sample_without_a_readable_answer_has_the_first_reason(texts: list[str]) -> None:
    @metric(limits=(0.0, 1.0))
    def unreadable(sample: Any, output: Any) -> Any:
        raise Unreadable(output.text)

    with pytest.raises(Unreadable, match="first"):
        aggregate_answers(unreadable, "mean").score(CAT, *answers(*texts))


def test_a_single_sample_with_several_answers_is_one_sample() -> None:
    agreement = aggregate_answers(ccc_arousal, "mean").aggregate
    two_answers = (0, ((0.1, 0.2), (0.4, 0.3)))
    assert math.isnan(agreement([two_answers]))
    assert agreement([two_answers, two_answers]) == pytest.approx(ccc_arousal.aggregate(two_answers[1]))


def test_intervals_resample_samples_not_answers() -> None:
    once = [record(index, "A" if index % 2 else "B") for index in range(20)]
    ten_times = [record(index, *["A" if index % 2 else "B"] * 10) for index in range(20)]
    single, repeated = (summary_of(records, aggregate_answers(wer, "mean")) for records in (once, ten_times))
    assert (single.value, single.low, single.high) == pytest.approx((repeated.value, repeated.low, repeated.high))


def test_a_custom_aggregator_receives_every_answer() -> None:
    @metric(lambda stats: max(stats))
    def longest(sample: Any, output: Any) -> Any:
        return float(len(output.text))

    result = summary_of([record(0, "ab", "abcd"), record(1, "a", "abc")], aggregate_answers(longest, "mean"))
    assert result.value == 4.0


def test_failed_samples_have_bounds() -> None:
    records = [record(0, "A", "A"), record(1, "A", "B"), record(2, error=Failure("X", "y"))]
    for aggregation in ("mean", "vote", "best", "pass@1", "first"):
        result = summary_of(records, aggregate_answers(option_accuracy, aggregation))
        assert result.failed == 1
        assert (result.best - result.worst) == pytest.approx(1 / 3), aggregation


# --- best, pass@k, likeliest, first and last ----------------------------------------------


def test_the_best_of_n_has_its_own_name() -> None:
    best, oracle = aggregate_answers(option_accuracy, "best"), aggregate_answers(wer, "best")
    assert (best.name, oracle.name) == ("option_accuracy.pass@n", "wer.oracle")
    assert [aggregate_answers(other, "best").name for other in (judge_1_5, empty)] == [
        "judge-1-5.oracle",
        "empty.oracle",
    ]
    assert best.score(CAT, *answers("B", "hm", "A")) == 1.0
    sample = Sample(id="1", inputs={}, target="a b")
    assert oracle.aggregate([oracle.score(sample, *answers("x y", "a x", "x"))]) == 0.5


@pytest.mark.parametrize("right", [0, 1, 2, 5])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_pass_at_k_equals_the_share_of_subsets_with_a_right_answer(right: int, k: int) -> None:
    texts = ["A"] * right + ["B"] * (5 - right)
    choices = list(combinations(texts, k))
    expected = sum("A" in chosen for chosen in choices) / len(choices)
    passed = aggregate_answers(option_accuracy, f"pass@{k}")
    assert passed.score(CAT, *answers(*texts)) == pytest.approx(expected)
    assert passed.name == f"option_accuracy.pass@{k}"


def test_pass_at_k_needs_k_answers_and_scores_of_0_or_1() -> None:
    with pytest.raises(Unsupported, match="pass@3 needs at least 3 answers per sample, but there are 2"):
        aggregate_answers(option_accuracy, "pass@3").score(CAT, *answers("A", "B"))
    for unsuitable in (wer, uar, empty):
        with pytest.raises(Unsupported, match="pass@2 needs a metric that scores answers as right or wrong"):
            aggregate_answers(unsuitable, "pass@2")

    with pytest.raises(Unsupported, match=r"needs scores of 0 or 1, not 0\.5"):
        aggregate_answers(metric()(lambda sample, output: 0.5), "pass@1").score(CAT, *answers("A"))


def test_the_likeliest_answer_has_the_highest_mean_log_probability() -> None:
    likeliest = aggregate_answers(option_accuracy, "likeliest")
    sure, unsure = (-0.1, -0.1, -0.1, -0.1), (-0.3,)
    assert likeliest.score(CAT, *answers("B", "A", logprobs=[unsure, sure])) == 1.0


def test_only_texts_have_a_likelihood() -> None:
    with pytest.raises(Unsupported, match="compares generated texts, not Prediction"):
        aggregate_answers(accuracy, "likeliest").score(CAT, Prediction(values={"cat": 0.9, "dog": 0.1}, scale="logit"))


def test_an_empty_answer_is_never_the_likeliest() -> None:
    likeliest = aggregate_answers(exact_match, "likeliest")
    assert likeliest.score(CAT, *answers("cat", "", logprobs=[(-9.0,)])) == 1.0


def test_the_likeliest_answer_needs_log_probabilities() -> None:
    result = score_table([record(0, "A", "B")], aggregate_answers(option_accuracy, "likeliest"))
    assert "-M logprobs=true" in collect_refusals(result)["option_accuracy"]


def test_the_first_or_the_last_answer_is_scored() -> None:
    outputs = answers("A", "B", "B")
    assert aggregate_answers(option_accuracy, "first").score(CAT, *outputs) == 1.0
    assert aggregate_answers(option_accuracy, "last").score(CAT, *outputs) == 0.0


# --- names -------------------------------------------------------------------------------


def test_the_signature_names_the_aggregation() -> None:
    assert aggregate_answers(option_accuracy, "vote").signature == "option_accuracy:5.vote.unreadable-wrong"
    averaged = aggregate_answers(wer, "mean")
    assert averaged.signature == "wer:1.pooled.basic:2.mean"
    assert isinstance(averaged, Profiled)
    assert averaged.with_profile("none").signature == "wer:1.pooled.none:1.mean"


def test_variants_of_a_metric_are_aggregated_the_same_way() -> None:
    averaged, judged = aggregate_answers(accuracy, "mean"), aggregate_answers(judge_1_5, "mean")
    assert isinstance(averaged, UsesSynonyms)
    assert averaged.without_synonyms().signature == "accuracy:5.no-synonyms.mean.unreadable-wrong"
    assert isinstance(judged, Voting)
    assert judged.with_votes(2).signature.endswith(".mean")
    sample = Sample(id="1", inputs={"question": "what?"}, target="a cat")
    assert len(judge_requests(judged.with_votes(2), sample, *answers("a", "b"))) == 4
    assert not isinstance(averaged, Voting)
    assert not isinstance(judged, (UsesSynonyms, Profiled))


def test_the_badness_of_a_sample_is_the_mean_of_its_answers() -> None:
    averaged = aggregate_answers(exact_match, "mean")
    assert [averaged.badness((0, stats)) for stats in ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0), (1.0,), ())] == [0.5, 1, 0, 0]
    assert averaged.is_hit((0, (1.0, 1.0))) is True


def test_several_aggregations_get_different_names() -> None:
    result = apply_aggregations([option_accuracy], ["mean", "pass@2", "vote"])
    names = ["option_accuracy.mean", "option_accuracy.pass@2", "option_accuracy.vote"]
    assert [derived.name for derived in result] == names
    assert [derived.name for derived in apply_aggregations([wer], ["mean"])] == ["wer"]


def test_an_unknown_aggregation_lists_the_valid_ones() -> None:
    for wrong in ("most", "pass@0", "pass@"):
        with pytest.raises(SpecError, match="answers should be vote, mean, best, pass@K"):
            aggregate_answers(wer, wrong)


@pytest.mark.parametrize("plain", [wer, option_accuracy, judge_1_5], ids=lambda plain: plain.name)
def test_a_metric_of_one_answer_rejects_several(plain: Metric) -> None:
    table = ScoreTable([plain], verdicts=cast("JudgePanel", NoVerdicts()))
    list(score_records([record(0, "A", "B", "A")], table))
    (reason,) = collect_refusals(table).values()
    assert "scores one answer, but there are 3 per sample" in reason
    assert "-T answers=vote, mean" in reason


class NoVerdicts:
    """An index without verdicts."""

    def read_replies(self, metric: Metric, record: Record) -> None:
        judge_requests(metric, record.sample, *record.outputs)


def test_score_functions_with_one_output_accept_only_one() -> None:
    assert not accepts_multiple_outputs(lambda sample, output: 0.0)
    assert accepts_multiple_outputs(lambda sample, *outputs: 0.0)
    assert accepts_multiple_outputs(lambda sample, first, second: 0.0)
    assert accepts_multiple_outputs(max) is True  # a built-in function without a signature


# --- judges ------------------------------------------------------------------------------


def test_each_answer_is_judged_and_the_mean_is_reported() -> None:
    mean = aggregate_answers(judge_1_5, "mean")
    sample = Sample(id="1", inputs={"question": "what?"}, target="a cat")
    assert len(judge_requests(mean, sample, *answers("a", "b"))) == 2
    stat = mean.score(sample, *answers("a", "b"), verdicts=("Score: 4", "Score: 1"))
    assert stat == (0, (4.0, 1.0))
    assert mean.aggregate([stat]) == 2.5


def test_judge_votes_are_assigned_to_their_answer() -> None:
    assert isinstance(judge_1_5, Voting)
    best = aggregate_answers(judge_1_5.with_votes(2), "best")
    sample = Sample(id="1", inputs={"question": "what?"}, target="a cat")
    replies = tuple(f"Score: {score}" for score in (1, 2, 4, 5))
    assert best.score(sample, *answers("a", "b"), verdicts=replies) == 4.5


def test_a_judge_request_contains_the_earlier_turns() -> None:
    last = aggregate_answers(judge_reference, "last")
    sample = conversation("hello", "and now?", target=["hi", "noon"])
    (request,) = judge_requests(last, sample, *answers("good day", "it is noon"))
    prompt = str(request.turns[0].parts[0])
    assert "User: hello\nAssistant: good day\nUser: and now?" in prompt
    assert "it is noon" in prompt
    assert "noon" in prompt.replace("it is noon", "")


def test_each_turn_is_judged_against_its_own_reference() -> None:
    turns = aggregate_answers(judge_reference, "turns")
    sample = conversation("hello", "and now?", target=["hi", "noon"])
    requests = judge_requests(turns, sample, *answers("good day", "it is noon"))
    assert len(requests) == 2
    stat = turns.score(sample, *answers("good day", "it is noon"), verdicts=("Verdict: yes", "Verdict: no"))
    assert stat == (0, (1.0, 0.0))
    assert "User: hello\nAssistant: good day\nUser: and now?" in str(requests[1].turns[0].parts[0])


# --- conversations ------------------------------------------------------------------------


def test_each_turn_has_its_own_reference_and_turns_are_pooled() -> None:
    short = record(0, "a", target=["a"])
    long = record(1, "x", "x", "c", target=["a", "b", "c"])
    result = summary_of([short, long], aggregate_answers(exact_match, "turns"))
    assert result.value == pytest.approx(2 / 4)
    assert result.details["answers"] == 4


def test_turns_without_a_reference_are_skipped() -> None:
    turns = aggregate_answers(exact_match, "turns")
    sample = Sample(id="1", inputs={}, target=["a", None, "c"])
    assert turns.score(sample, *answers("a", "?", "x")) == (0, (1.0, 0.0))
    with pytest.raises(SampleError, match="no turn has a reference"):
        turns.score(Sample(id="1", inputs={}, target=[None]), *answers("a"))


def test_more_answers_than_references_fail_the_sample() -> None:
    result = score_table([record(0, "a", "b", target=["a"])], aggregate_answers(exact_match, "turns"))
    (reason,) = result.columns[0].reasons
    assert reason == "SampleError: 2 answers, but 1 reference answers"
    assert not len(result.columns[0].indices)


def test_turns_need_no_reference_if_the_sample_has_none() -> None:
    sample = conversation("a", "b")
    assert aggregate_answers(empty, "turns").score(sample, *answers("", "b")) == (0, (1.0, 0.0))


def test_the_last_answer_is_compared_with_the_last_reference() -> None:
    sample = conversation("a", "b", target=["1", "2"])
    assert aggregate_answers(exact_match, "last").score(sample, *answers("1", "2")) == 1.0
    assert aggregate_answers(exact_match, "first").score(sample, *answers("2", "2")) == 0.0


def test_a_turn_without_a_reference_cannot_be_scored_alone_but_be_judged() -> None:
    partly = conversation("a", "b", target=["1", None])
    assert aggregate_answers(exact_match, "first").score(partly, *answers("1", "2")) == 1.0
    with pytest.raises(SampleError, match="the last turn has no reference answer"):
        aggregate_answers(exact_match, "last").score(partly, *answers("1", "2"))
    assert aggregate_answers(empty, "last").score(conversation("a", "b"), *answers("1", "")) == 1.0
    judged = aggregate_answers(judge_1_5, "last").score(partly, *answers("1", "2"), verdicts=("Score: 4",))
    assert judged == 4.0


def test_bounds_of_one_turn_are_those_of_its_reference() -> None:
    assert isinstance(wer, Bounded)
    sample = conversation("a", "b", target=["one", "one two three"])
    for aggregation, target in (("first", "one"), ("last", "one two three")):
        derived = aggregate_answers(wer, aggregation)
        assert isinstance(derived, Bounded)
        assert derived.bounds(sample) == wer.bounds(replace(sample, target=target))
        plain = Sample(id="1", inputs={}, target="one two")
        assert derived.bounds(plain) == wer.bounds(plain)


def test_bounds_have_no_unreadable_answers_and_no_ties() -> None:
    sample = conversation("a", "b", target=["1", "2"])
    for aggregation, bounds in (
        ("turns", ((0, (0.0, 0.0)), (0, (1.0, 1.0)))),
        ("mean", ((0, (0.0,)), (0, (1.0,)))),
        ("vote", ((0, (0.0,)), (0, (1.0,)))),
    ):
        derived = aggregate_answers(exact_match, aggregation)
        assert isinstance(derived, Bounded)
        assert derived.bounds(sample) == bounds
    averaged, plain = aggregate_answers(wer, "mean"), Sample(id="1", inputs={}, target="one two")
    assert isinstance(averaged, Bounded)
    assert isinstance(wer, Bounded)
    worst, best = wer.bounds(plain)
    assert averaged.bounds(plain) == ((0, (worst,)), (0, (best,)))


@pytest.mark.parametrize("aggregation", ["vote", "mean", "best", "pass@1"])
def test_conversations_reject_votes_means_and_best(aggregation: str) -> None:
    sample = conversation("a", "b", target=["1", "2"])
    with pytest.raises(Unsupported, match="answers=turns, first or last"):
        aggregate_answers(exact_match, aggregation).score(sample, *answers("1", "2"))


def test_bounds_of_a_failed_conversation_include_all_turns() -> None:
    failed = Record(sample=conversation("a", target=["1", None, "3"]), row=1, error=Failure("X", "y"))
    result = summary_of([record(0, "1", "1", target=["1", "1"]), failed], aggregate_answers(exact_match, "turns"))
    assert (result.worst, result.best) == (0.5, 1.0)


def test_a_transcript_uses_assistant_turns_of_the_data() -> None:
    turns = [Turn("user", (Audio("a.wav"), "hi")), Turn("assistant", ("gold",))]
    sample = Sample(id="1", inputs={"turns": [*turns, Turn("user", ("b",))]})
    one, two = [Generation(text="own")], [Generation(text="one"), Generation(text="own")]
    assert build_transcript(sample, one, 0) == "User: [audio] hi\nAssistant: gold\nUser: b"
    assert build_transcript(sample, two, 0) == "[audio] hi"
    assert build_transcript(sample, two, 1) == "User: [audio] hi\nAssistant: gold\nUser: b"
    assert build_transcript(sample, [*two, *one], 0) == ""


def test_a_transcript_of_data_without_assistant_turns_has_only_those_of_the_model() -> None:
    """With fewer answers than questions, the first questions were answered before."""
    sample, outputs = conversation("a", "b", "c"), [Generation(text="one"), Generation(text="two")]
    assert build_transcript(sample, outputs, 0) == "User: a\nUser: b"
    assert build_transcript(sample, outputs, 1) == "User: a\nUser: b\nUser: c"
    instructed = Sample(id="1", inputs={"turns": [Turn("system", ("Be brief.",)), Turn("user", ("hi",))]})
    assert build_transcript(instructed, outputs[:1], 0) == "System: Be brief.\nUser: hi"


def test_a_judge_of_the_last_answer_sees_the_history_of_the_data() -> None:
    turns = [Turn("user", ("hello",)), Turn("assistant", ("hi",)), Turn("user", ("and now?",))]
    sample = Sample(id="t", inputs={"turns": turns}, target="noon")
    assert isinstance(judge_reference, Judged)
    (request,) = judge_reference.judge_requests(sample, Generation(text="it is noon"))
    assert "User: hello\nAssistant: hi\nUser: and now?" in str(request.turns[0].parts[0])


def test_a_sample_is_a_conversation_if_an_input_has_turns() -> None:
    turn = Turn("user", ("hi",))
    assert get_turns(Sample(id="1", inputs={"question": "?", "turns": [turn]})) == [turn]
    assert get_turns(Sample(id="1", inputs={"choices": ["a", "b"]})) == []
    assert not is_conversation(Sample(id="1", inputs={"choices": ["a", "b"]}))


def test_a_judge_is_asked_about_the_elected_answer_only() -> None:
    readable = judge_reference.replace(companions=(), read_answer=lambda _, output: output.text)
    voted = aggregate_answers(readable, "vote")
    sample = Sample(id="1", inputs={"question": "Which?"}, target="a dog")
    outputs = [Generation(text=text) for text in ("a cat", "a hound", "a hound")]
    assert isinstance(voted, Judged)
    (request,) = voted.judge_requests(sample, *outputs)
    assert "a hound" in str(request.turns)
    assert "a cat" not in str(request.turns)
    assert voted.score(sample, *outputs, verdicts=("Verdict: yes",)) == (0, (1.0,))


def test_an_unreadable_answer_gets_the_worst_statistic_of_its_own_sample() -> None:
    sample = Sample(id="1", inputs={"choices": ["happy", "sad"]}, target="sad")
    stat = aggregate_answers(uar, "mean").score(sample, Generation(text="sad"), Generation(text="hm"))
    assert stat == (1, (("sad", "sad"), (None, "sad")))


@pytest.mark.parametrize(("aggregation", "scored"), [("mean", [1.0, 0.5]), ("best", [1.0, 1.0]), ("first", [1.0])])
def test_answers_that_a_metric_does_not_apply_to_are_skipped(aggregation: str, scored: list[float]) -> None:
    @metric(limits=(0.0, 1.0))
    def right(sample: Sample, output: Generation) -> float | None:
        return None if output.text == "skip" else float(output.text == sample.target)

    records = [record(0, "cat", "skip"), record(1, "skip", "cat", "dog"), record(2, "skip", "skip")]
    number = summary_of(records, aggregate_answers(right, aggregation))
    assert (number.scored, number.total, number.not_applicable) == (len(scored), len(scored), 3 - len(scored))
    assert number.value == pytest.approx(sum(scored) / len(scored))


@pytest.mark.parametrize("aggregation", ["mean", "vote", "first", "pass@2"])
def test_fixed_limits_bound_rows_that_could_not_be_read(aggregation: str) -> None:
    lost = record(1, target=None, error=Failure("RejectedRow", "no answer"))
    number = summary_of([record(0, "cat", "cat"), lost], aggregate_answers(exact_match, aggregation))
    assert (number.unbounded, number.worst, number.best) == (0, 0.5, 1.0)
