"""Several answers to one sample, counted together or chosen from."""

from itertools import combinations
from typing import Any

import pytest

from auricle import Audio, Generation, Prediction, Sample, metric
from auricle.core.errors import SampleError, SpecError, Unreadable, Unsupported
from auricle.core.types import Failure, Record, Turn
from auricle.metrics.conversation import build_transcript
from auricle.metrics.judge import judge_1_5, judge_reference
from auricle.metrics.labels import accuracy, option_accuracy, uar
from auricle.metrics.multi_answer import aggregate_answers, apply_aggregations
from auricle.metrics.refusal import refusal
from auricle.metrics.text import contains, empty, exact_match, wer
from auricle.report.metrics_document import collect_refusals
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise

CAT = Sample(id="1", inputs={"choices": ["cat", "dog", "cow"]}, target="cat")


def said(*texts: Any, logprobs: Any = ()) -> Any:
    told = [*logprobs, *(None,) * (len(texts) - len(logprobs))]
    return [Generation(text=t, logprobs=each) for t, each in zip(texts, told, strict=True)]


def record(row: Any, *texts: Any, target: str = "cat", error: Any = None, **inputs: Any) -> Any:
    sample = Sample(id=str(row), inputs={"choices": ["cat", "dog", "cow"], **inputs}, target=target)
    return Record(sample=sample, row=row, outputs=() if error else tuple(said(*texts)), error=error)


def board(records: Any, *metrics: Any) -> Any:
    found = ScoreTable(metrics)
    list(score_records(records, found))
    return found


def number(records: Any, counted: Any) -> Any:
    (one,) = summarise(board(records, counted))
    return one


def talk(*turns: Any, target: Any = None) -> Any:
    held = [Turn(role, (words,)) for role, words in turns]
    return Sample(id="t", inputs={"turns": held}, target=target)


# --- voting ---------------------------------------------------------------------------


def test_what_most_answers_say_is_the_answer() -> None:
    vote = aggregate_answers(option_accuracy, "vote")
    assert vote.score(CAT, *said("B", "the answer is A", "cat")) == (0, (1.0,))
    assert vote.score(CAT, *said("B", "dog", "cat")) == (0, (0.0,))


def test_answers_that_cannot_be_read_do_not_vote() -> None:
    vote = aggregate_answers(option_accuracy, "vote")
    assert vote.score(CAT, *said("hm", "hm", "hm", "A")) == (0, (1.0,))
    with pytest.raises(Unreadable, match="none of 2 answers can be read"):
        vote.score(CAT, *said("hm", "no idea"))


def test_of_as_many_votes_the_answer_given_first_counts_and_ties_are_told() -> None:
    found = number([record(0, "B", "A"), record(1, "A", "B"), record(2, "A", "A")], VOTE)
    assert found.value == pytest.approx(2 / 3)
    assert found.details == {"ties": 2}


VOTE = aggregate_answers(option_accuracy, "vote")


def test_a_vote_keeps_the_interval_of_a_share() -> None:
    voted = number([record(at, "A", "A", "B") for at in range(9)], VOTE)
    single = number([record(at, "A") for at in range(9)], option_accuracy)
    assert (voted.low, voted.high, voted.interval) == (single.low, single.high, "wilson")


def test_a_vote_among_unreadable_answers_counts_as_the_metric_says() -> None:
    found = number([record(0, "hm", "hm"), record(1, "A", "A")], VOTE)
    assert (found.value, found.unreadable, found.scored) == (0.5, 1, 2)


def test_texts_vote_as_they_are_normalised() -> None:
    sample = Sample(id="1", inputs={}, target="good morning")
    for each in (exact_match, contains):
        stat = aggregate_answers(each, "vote").score(sample, *said("bad", "Good morning.", "good, morning"))
        assert stat == (0, (1.0,))
    assert aggregate_answers(wer, "vote").score(sample, *said("x", "Good morning!", "good morning"))[1][0][0] == 0


def test_an_empty_text_is_an_answer_and_votes() -> None:
    sample = Sample(id="1", inputs={}, target="")
    assert aggregate_answers(exact_match, "vote").score(sample, *said("", "", "a")) == (0, (1.0,))


def test_labels_vote_whether_read_or_scored() -> None:
    vote = aggregate_answers(accuracy, "vote")
    scores = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.2, "dog": 0.8}, {"cat": 0.6, "dog": 0.4}]
    rated = [Prediction(values=each, scale="probability") for each in scores]
    assert vote.score(CAT, *rated) == (0, (1.0,))
    assert aggregate_answers(uar, "vote").score(CAT, *said("dog", "cat", "cat")) == (0, (("cat", "cat"),))
    assert aggregate_answers(refusal, "vote").score(CAT, *said("I cannot help", "Sure!", "Sure!"))[1] == ((0, 0),)


def test_a_metric_that_does_not_tell_what_an_answer_says_cannot_vote() -> None:
    @metric(limits=(0.0, 1.0))
    def mine(sample: Any, output: Any) -> Any:
        return 1.0

    with pytest.raises(Unsupported, match="mine does not tell when two answers say the same"):
        aggregate_answers(mine, "vote")
    with pytest.raises(Unsupported, match="judge-1-5 does not tell"):
        aggregate_answers(judge_1_5, "vote")


# --- all of them ------------------------------------------------------------------------


def test_the_mean_of_right_and_wrong_is_that_of_all_answers() -> None:
    records = [record(0, "A", "B", "A", "A"), record(1, "B", "B", "B", "B")]
    found = number(records, aggregate_answers(option_accuracy, "mean"))
    assert found.value == pytest.approx(3 / 8)
    assert found.details == {"answers": 8, "unreadable_answers": 0}


def test_the_mean_of_error_rates_is_pooled() -> None:
    records = [record(0, "a b", "a x", target="a b"), record(1, "c", "c d", target="c")]
    found = number(records, aggregate_answers(wer, "mean"))
    assert found.value == pytest.approx(2 / 6)
    assert (found.details["substitutions"], found.details["insertions"]) == (1, 1)
    assert found.details["reference_length"] == 6


def test_a_sample_weighs_the_same_however_often_it_was_answered() -> None:
    found = number([record(0, "A"), record(1, "B", "B", "B")], aggregate_answers(option_accuracy, "mean"))
    assert found.value == 0.5


def test_confusions_are_counted_over_all_answers() -> None:
    records = [record(0, "cat", "dog"), record(1, "dog", "dog", target="dog")]
    found = number(records, aggregate_answers(uar, "mean"))
    assert found.value == pytest.approx((0.5 + 1) / 2)
    assert found.details["matrix"]["counts"][:2] == [[1, 1, 0], [0, 2, 0]]


def test_an_unreadable_answer_among_others_counts_by_the_metric_s_protocol() -> None:
    records = [record(0, "A", "hm"), record(1, "A", "A")]
    found = number(records, aggregate_answers(option_accuracy, "mean"))
    assert (found.value, found.unreadable) == (0.75, 0)
    assert found.details["unreadable_answers"] == 1


def test_an_unreadable_answer_that_is_not_scored_is_left_out() -> None:
    @metric(limits=(0.0, 1.0))
    def mine(sample: Any, output: Any) -> Any:
        if output.text == "?":
            raise Unreadable("nothing")
        return float(output.text)

    found = number([record(0, "1", "?", "0"), record(1, "?", "?")], aggregate_answers(mine, "mean"))
    assert (found.value, found.scored, found.unreadable) == (0.5, 1, 1)


def test_samples_are_resampled_and_not_their_answers() -> None:
    """Ten copies of an answer tell no more than one."""
    once = [record(at, "A" if at % 2 else "B") for at in range(20)]
    often = [record(at, *["A" if at % 2 else "B"] * 10) for at in range(20)]
    few, many = (number(each, aggregate_answers(wer, "mean")) for each in (once, often))
    assert (few.value, few.low, few.high) == pytest.approx((many.value, many.low, many.high))


def test_a_fold_of_one_s_own_sees_every_answer() -> None:
    @metric(lambda stats: max(stats))
    def longest(sample: Any, output: Any) -> Any:
        return float(len(output.text))

    found = number([record(0, "ab", "abcd"), record(1, "a", "abc")], aggregate_answers(longest, "mean"))
    assert found.value == 4.0


def test_failed_samples_have_bounds() -> None:
    lost = record(2, error=Failure("X", "y"))
    for how in ("mean", "vote", "best", "pass@1", "first"):
        found = number([record(0, "A", "A"), record(1, "A", "B"), lost], aggregate_answers(option_accuracy, how))
        assert found.failed == 1
        assert (found.best - found.worst) == pytest.approx(1 / 3), how


# --- the best of them --------------------------------------------------------------------


def test_the_best_of_n_has_a_name_of_its_own() -> None:
    best, oracle = aggregate_answers(option_accuracy, "best"), aggregate_answers(wer, "best")
    assert (best.name, oracle.name) == ("option_accuracy.pass@n", "wer.oracle")
    assert best.score(CAT, *said("B", "hm", "A")) == 1.0
    sample = Sample(id="1", inputs={}, target="a b")
    assert oracle.score(sample, *said("x y", "a x", "x"))[:4] == (1, 0, 0, 2)


@pytest.mark.parametrize("right", [0, 1, 2, 5])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_pass_at_k_is_the_share_of_all_choices_of_k_that_hold_a_right_answer(right: int, k: int) -> None:
    texts = ["A"] * right + ["B"] * (5 - right)
    choices = list(combinations(texts, k))
    wanted = sum("A" in chosen for chosen in choices) / len(choices)
    passed = aggregate_answers(option_accuracy, f"pass@{k}")
    assert passed.score(CAT, *said(*texts)) == pytest.approx(wanted)
    assert passed.name == f"option_accuracy.pass@{k}"


def test_pass_at_k_needs_k_answers_and_a_right_or_wrong() -> None:
    with pytest.raises(Unsupported, match="pass@3 of 2 answers a sample: ask for 3 or more"):
        aggregate_answers(option_accuracy, "pass@3").score(CAT, *said("A", "B"))
    for wrong_or_not in (wer, uar, empty):
        with pytest.raises(Unsupported, match="pass@2 is for metrics that say right or wrong"):
            aggregate_answers(wrong_or_not, "pass@2")

    with pytest.raises(Unsupported, match=r"counts right and wrong, and this is 0\.5"):
        aggregate_answers(metric()(lambda sample, output: 0.5), "pass@1").score(CAT, *said("A"))


def test_the_likeliest_answer_is_the_model_s_own_choice() -> None:
    likeliest = aggregate_answers(option_accuracy, "likeliest")
    sure, unsure = (-0.1, -0.1, -0.1, -0.1), (-0.3,)
    assert likeliest.score(CAT, *said("B", "A", logprobs=[unsure, sure])) == 1.0


def test_an_empty_answer_is_never_the_likeliest_of_several() -> None:
    likeliest = aggregate_answers(exact_match, "likeliest")
    assert likeliest.score(CAT, *said("cat", "", logprobs=[(-9.0,)])) == 1.0


def test_the_likeliest_answer_cannot_be_told_without_log_probabilities() -> None:
    found = board([record(0, "A", "B")], aggregate_answers(option_accuracy, "likeliest"))
    assert "-M logprobs=true" in collect_refusals(found)["option_accuracy"]


def test_the_first_and_the_last_answer_may_count() -> None:
    outputs = said("A", "B", "B")
    assert aggregate_answers(option_accuracy, "first").score(CAT, *outputs) == 1.0
    assert aggregate_answers(option_accuracy, "last").score(CAT, *outputs) == 0.0


# --- names -------------------------------------------------------------------------------


def test_the_signature_tells_how_answers_were_counted() -> None:
    assert aggregate_answers(option_accuracy, "vote").signature == "option_accuracy:2.vote.unreadable-wrong"
    assert aggregate_answers(wer, "mean").signature == "wer:1.pooled.basic:1.mean"
    assert aggregate_answers(wer, "mean").with_profile("none").signature == "wer:1.pooled.none:1.mean"


def test_several_ways_stand_side_by_side_under_names_of_their_own() -> None:
    found = apply_aggregations([option_accuracy], ["mean", "pass@2", "vote"])
    names = ["option_accuracy.mean", "option_accuracy.pass@2", "option_accuracy.vote"]
    assert [each.name for each in found] == names
    assert [each.name for each in apply_aggregations([wer], ["mean"])] == ["wer"]


def test_a_way_that_does_not_exist_names_those_that_do() -> None:
    for wrong in ("most", "pass@0", "pass@"):
        with pytest.raises(SpecError, match="answers should be vote, mean, best, pass@K"):
            aggregate_answers(wer, wrong)


@pytest.mark.parametrize("plain", [wer, option_accuracy, judge_1_5], ids=lambda each: each.name)
def test_a_metric_of_one_answer_that_is_given_several_is_refused_by_name(plain: Any) -> None:
    found = ScoreTable([plain], verdicts=NoVerdicts())
    list(score_records([record(0, "A", "B", "A")], found))
    (told,) = collect_refusals(found).values()
    assert "reads one answer and is given 3 a sample" in told
    assert "-T answers=vote, mean" in told


class NoVerdicts:
    def texts(self, counted: Any, record: Any) -> None:
        counted.judge_requests(record.sample, *record.outputs)


# --- judges ------------------------------------------------------------------------------


def test_a_judge_is_asked_about_each_answer_and_their_mean_is_taken() -> None:
    mean = aggregate_answers(judge_1_5, "mean")
    sample = Sample(id="1", inputs={"question": "what?"}, target="a cat")
    assert len(mean.judge_requests(sample, *said("a", "b"))) == 2
    stat = mean.score(sample, *said("a", "b"), verdicts=("Score: 4", "Score: 1"))
    assert stat == (0, (4.0, 1.0))
    assert mean.aggregate([stat]) == 2.5


def test_votes_of_a_judge_go_to_the_answer_they_are_about() -> None:
    best = aggregate_answers(judge_1_5.with_votes(2), "best")
    sample = Sample(id="1", inputs={"question": "what?"}, target="a cat")
    replies = tuple(f"Score: {each}" for each in (1, 2, 4, 5))
    assert best.score(sample, *said("a", "b"), verdicts=replies) == 4.5


def test_a_judge_of_a_conversation_is_told_what_was_said_until_then() -> None:
    last = aggregate_answers(judge_reference, "last")
    sample = talk(("user", "hello"), ("user", "and now?"), target=["hi", "noon"])
    (request,) = last.judge_requests(sample, *said("good day", "it is noon"))
    prompt = request.turns[0].parts[0]
    assert "User: hello\nAssistant: good day\nUser: and now?" in prompt
    assert "it is noon" in prompt
    assert "noon" in prompt.replace("it is noon", "")


def test_each_turn_is_judged_against_its_own_reference() -> None:
    turns = aggregate_answers(judge_reference, "turns")
    sample = talk(("user", "hello"), ("user", "and now?"), target=["hi", "noon"])
    requests = turns.judge_requests(sample, *said("good day", "it is noon"))
    assert len(requests) == 2
    stat = turns.score(sample, *said("good day", "it is noon"), verdicts=("Verdict: yes", "Verdict: no"))
    assert stat == (0, (1.0, 0.0))


# --- conversations ------------------------------------------------------------------------


def test_each_turn_has_its_own_reference_and_turns_are_pooled() -> None:
    short = record(0, "a", target=["a"])
    long = record(1, "x", "x", "c", target=["a", "b", "c"])
    found = number([short, long], aggregate_answers(exact_match, "turns"))
    assert found.value == pytest.approx(2 / 4)
    assert found.details["answers"] == 4


def test_a_turn_without_a_reference_is_passed_over() -> None:
    turns = aggregate_answers(exact_match, "turns")
    sample = Sample(id="1", inputs={}, target=["a", None, "c"])
    assert turns.score(sample, *said("a", "?", "x")) == (0, (1.0, 0.0))
    with pytest.raises(SampleError, match="no turn has a reference"):
        turns.score(Sample(id="1", inputs={}, target=[None]), *said("a"))


def test_more_answers_than_references_are_told_with_both_counts() -> None:
    found = board([record(0, "a", "b", target=["a"])], aggregate_answers(exact_match, "turns"))
    (why,) = found.columns[0].reasons
    assert why == "SampleError: 2 answers, and 1 reference answers to compare with"
    assert not len(found.columns[0].indices)


def test_turns_need_no_reference_where_the_metric_needs_none() -> None:
    assert aggregate_answers(empty, "turns").score(talk(("user", "a"), ("user", "b")), *said("", "b")) == (
        0,
        (1.0, 0.0),
    )


def test_the_last_answer_of_a_conversation_has_the_last_reference() -> None:
    sample = talk(("user", "a"), ("user", "b"), target=["1", "2"])
    assert aggregate_answers(exact_match, "last").score(sample, *said("1", "2")) == 1.0
    assert aggregate_answers(exact_match, "first").score(sample, *said("2", "2")) == 0.0


@pytest.mark.parametrize("how", ["vote", "mean", "best", "pass@1"])
def test_turns_of_a_conversation_are_not_answers_to_one_question(how: str) -> None:
    sample = talk(("user", "a"), ("user", "b"), target=["1", "2"])
    with pytest.raises(Unsupported, match="count as turns, first or last"):
        aggregate_answers(exact_match, how).score(sample, *said("1", "2"))


def test_bounds_of_a_failed_conversation_have_all_its_turns() -> None:
    failed = Record(sample=talk(("user", "a"), target=["1", None, "3"]), row=1, error=Failure("X", "y"))
    found = number([record(0, "1", "1", target=["1", "1"]), failed], aggregate_answers(exact_match, "turns"))
    assert (found.worst, found.best) == (0.5, 1.0)


def test_a_transcript_has_the_answers_of_the_data_where_it_has_any() -> None:
    turns = [Turn("user", (Audio("a.wav"), "hi")), Turn("assistant", ("gold",))]
    sample = Sample(id="1", inputs={"turns": [*turns, Turn("user", ("b",))]})
    assert build_transcript(sample, said("own"), 0) == "User: [audio] hi\nAssistant: gold\nUser: b"
    assert build_transcript(sample, said("one", "own"), 0) == "[audio] hi"


def test_a_judge_of_the_last_answer_alone_is_told_the_history_of_the_data() -> None:
    sample = talk(("user", "hello"), ("assistant", "hi"), ("user", "and now?"), target="noon")
    (request,) = judge_reference.judge_requests(sample, *said("it is noon"))
    assert "User: hello\nAssistant: hi\nUser: and now?" in request.turns[0].parts[0]
