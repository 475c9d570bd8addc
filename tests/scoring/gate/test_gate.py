"""The verdict on a candidate."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from auricle.core.errors import ExitStatus, SpecError
from auricle.metrics.power import Design
from auricle.report.gate_formats import explain_undecided
from auricle.scoring.compare import ComparisonRow
from auricle.scoring.compare.notes import describe_tests
from auricle.scoring.compare.pairing import PairCounts
from auricle.scoring.gate import Gate, Margin, Verdict, choose_metrics, decide
from auricle.studies.sample_size.report import PlannedSize
from tests.support.gates import make_comparison, make_row


def judge(row: ComparisonRow, *margins: str, **options: Any) -> Gate:
    return decide(make_comparison([row]), [Margin.parse(text) for text in margins], **options)


@pytest.mark.parametrize(
    ("difference", "margins", "verdict"),
    [
        (-0.02, [], Verdict.BETTER),
        (0.02, [], Verdict.WORSE),
        (0.005, [], Verdict.UNDECIDED),
        (-0.005, [], Verdict.UNDECIDED),
        (0.0, ["2pp"], Verdict.NOT_WORSE),
        (-0.005, ["2pp"], Verdict.NOT_WORSE),
        (-0.02, ["2pp"], Verdict.BETTER),
        (0.0, ["0.5pp"], Verdict.UNDECIDED),
        (0.02, ["1.9pp"], Verdict.WORSE),
        (0.02, ["2.1pp"], Verdict.UNDECIDED),
        (0.02, ["3.1pp"], Verdict.NOT_WORSE),
        (0.02, ["other=9pp", "wer=1pp"], None),
    ],
)
def test_the_interval_and_the_margin_decide(difference: float, margins: list[str], verdict: Verdict | None) -> None:
    row = make_row(difference)
    if verdict is None:
        with pytest.raises(SpecError, match="There is a margin for 'other', but compared are: wer"):
            judge(row, *margins)
    else:
        assert judge(row, *margins).verdict is verdict


def test_the_direction_of_the_metric_counts() -> None:
    assert judge(make_row(0.02, higher_is_better=True)).verdict is Verdict.BETTER
    assert judge(make_row(-0.02, higher_is_better=True)).verdict is Verdict.WORSE


def test_an_undefined_difference_cannot_be_decided() -> None:
    gate = judge(make_row(math.nan, low=math.nan, high=math.nan, p=math.nan))
    assert gate.verdict is Verdict.UNDECIDED
    assert gate.results[0].needed is None


def test_the_pairs_that_would_decide_are_stated() -> None:
    result = judge(make_row(0.005, detectable=0.014)).results[0]
    assert result.needed == pytest.approx(100 * (0.014 / 0.005) ** 2, rel=0.02)
    result = judge(make_row(0.005, detectable=0.014), "1pp").results[0]
    assert result.needed == pytest.approx(100 * (0.014 / 0.01) ** 2, rel=0.02)


def test_what_is_needed_is_what_a_plan_needs_in_the_units_of_the_interval() -> None:
    """The 300 pairs are of 12 speakers, so more pairs of the same speakers would not decide it."""
    design = Design(variance=0.04, correlation=0.3, per_cluster=25)
    row = make_row(0.005, n=300, units=12, cluster="speaker", method="cluster-paired-t")
    (result,) = decide(make_comparison([row], designs=[design]), [Margin.parse("1pp")]).results
    assert result.needed == PlannedSize.compute(design, 0.01, 0.8).units
    assert explain_undecided(result) == (
        f"wer: about {result.needed:,} speakers would show a difference of 1.00 pp with 80 % power; there are 12."
    )


def test_a_loss_near_the_margin_needs_more_pairs_than_there_are() -> None:
    """With as many pairs as show the margin, the distance between the loss and the margin has to be shown."""
    result = judge(make_row(0.018, detectable=0.014), "2pp").results[0]
    assert result.verdict is Verdict.UNDECIDED
    assert result.target == pytest.approx(0.002)
    assert result.needed == pytest.approx(100 * (0.014 / 0.002) ** 2, rel=0.02)


def test_runs_without_any_difference_need_pairs_in_proportion_to_their_interval() -> None:
    result = judge(make_row(0.0, detectable=math.nan), "0.5pp").results[0]
    assert (result.verdict, result.needed) == (Verdict.UNDECIDED, 200)


def test_failed_samples_that_leave_it_open_are_no_matter_of_more_pairs() -> None:
    result = judge(make_row(-0.02, worst=0.02, detectable=0.014), "1pp").results[0]
    assert (result.verdict, result.is_open_by_failures, result.needed) == (Verdict.UNDECIDED, True, None)


def test_a_decided_gate_needs_no_further_pairs() -> None:
    assert judge(make_row(0.02)).results[0].needed is None


def test_failed_samples_prevent_passing() -> None:
    assert judge(make_row(-0.02, worst=0.0)).verdict is Verdict.UNDECIDED
    assert judge(make_row(-0.05, worst=-0.03)).verdict is Verdict.BETTER
    assert judge(make_row(-0.02, worst=math.nan, unbounded=3), "9pp").verdict is Verdict.UNDECIDED


def test_a_candidate_that_answers_too_few_samples_does_not_pass() -> None:
    gate = decide(make_comparison([make_row(-0.05)], answered=90))
    assert gate.verdict is Verdict.WORSE
    assert gate.failures == ("The candidate answered 90 of 100 samples (90.0 %); at least 95 % are required.",)
    assert decide(make_comparison([make_row(-0.05)], answered=90), min_coverage=0.9).verdict is Verdict.BETTER


def test_samples_of_the_baseline_that_the_candidate_lacks_count_as_not_answered() -> None:
    comparison = make_comparison([make_row(-0.05)])
    gate = decide(replace(comparison, pairs=replace(comparison.pairs, only_a=300)))
    assert gate.failures == ("The candidate answered 100 of 400 samples (25.0 %); at least 95 % are required.",)


def test_runs_without_a_common_sample_are_refused() -> None:
    comparison = make_comparison([make_row(-0.05)])
    with pytest.raises(SpecError, match="No sample was answered in both runs"):
        decide(replace(comparison, pairs=PairCounts.none(only_a=100, only_b=100, failed_a=0, failed_b=5)))


def test_a_candidate_without_numbers_is_refused() -> None:
    with pytest.raises(SpecError, match="The candidate has no numbers"):
        choose_metrics(SimpleNamespace(overall=[]), SimpleNamespace(overall=[]))  # type: ignore[arg-type]


def test_too_few_pairs_and_an_incomplete_run_do_not_pass() -> None:
    gate = decide(make_comparison([make_row(-0.05)], complete=False), min_pairs=101)
    assert [failure.split(".")[0] for failure in gate.failures] == [
        "Only 100 samples are in both runs; at least 101 are required",
        "The candidate run is not complete",
    ]


def test_several_tests_are_adjusted() -> None:
    row = make_row(0.02, p=0.04)
    assert judge(row).verdict is Verdict.WORSE
    rows = [row, make_row(0.0, metric="cer", p=0.5)]
    gate = decide(make_comparison(rows))
    assert gate.results[0].adjusted == pytest.approx(0.08)
    assert gate.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        ((-0.02, -0.02), Verdict.BETTER),
        ((-0.02, 0.0), Verdict.NOT_WORSE),
        ((-0.02, 0.03), Verdict.UNDECIDED),
        ((0.05, -0.02), Verdict.WORSE),
    ],
)
def test_the_worst_metric_decides(differences: tuple[float, float], verdict: Verdict) -> None:
    rows = [make_row(value, metric=name) for name, value in zip(("wer", "cer"), differences, strict=True)]
    assert decide(make_comparison(rows), [Margin("", 3.5)]).verdict is verdict


def test_the_exit_code_follows_from_the_verdict() -> None:
    assert judge(make_row(0.02)).exit_status() is ExitStatus.GATE
    assert judge(make_row(0.02)).exit_status(allow_undecided=True) is ExitStatus.GATE
    undecided = judge(make_row(0.0))
    assert undecided.exit_status() is ExitStatus.UNDECIDED
    assert undecided.exit_status(allow_undecided=True) is ExitStatus.OK
    assert judge(make_row(-0.02)).exit_status() is ExitStatus.OK


def test_runs_without_a_common_metric_are_refused() -> None:
    with pytest.raises(SpecError, match="Nothing can be compared"):
        decide(make_comparison([]))
    with pytest.raises(SpecError, match=r"compared\. wer: B does not have it\.$"):
        decide(replace(make_comparison([]), refused={"wer": "B does not have it."}))


@pytest.mark.parametrize(("margins", "name"), [(("1", "2"), "every metric"), (("wer=1", "0.5", "wer=2"), "wer")])
def test_two_margins_for_the_same_metric_are_refused(margins: tuple[str, ...], name: str) -> None:
    with pytest.raises(SpecError, match=f"There are two margins for {name}"):
        judge(make_row(0.0), *margins)


@pytest.mark.parametrize(("optimum", "reason"), [("zero", "best at zero"), ("none", "neither higher nor lower")])
def test_a_metric_without_a_direction_cannot_decide(optimum: str, reason: str) -> None:
    with pytest.raises(SpecError, match=f"cannot decide on start_bias.*{reason}.*--metric"):
        judge(make_row(0.02, metric="start_bias", optimum=optimum))


def test_a_gate_states_its_own_adjustment_of_several_rows() -> None:
    rows = [make_row(0.0), make_row(0.0, metric="cer")]
    comparison = replace(
        make_comparison(rows), notes=("3 answers in A and 0 in B could not be read.", *describe_tests(rows))
    )
    first, second = decide(comparison).notes
    assert first == "3 answers in A and 0 in B could not be read."
    assert second == "Worse is what has a p-value below 0.05 after Holm's adjustment over all rows."
