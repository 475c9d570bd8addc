"""Differences metric by metric."""

import math
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from auricle import compare
from auricle.metrics.base import Metric
from auricle.report import comparison_text as compare_text
from auricle.scoring.compare.loading import ABSENT, ComparedRun, MetricStats
from auricle.scoring.compare.metric_rows import ComparisonRow, adjust_p_values, build_rows, pair_stats
from auricle.scoring.compare.pairing import Pairs
from auricle.scoring.score_table import StatArray
from auricle.tasks.asr.error_rates import exact_match, wer
from auricle.tasks.asr.words.numbers import number_precision, number_recall
from auricle.tasks.labels.metrics import uar
from auricle.tasks.speech.metrics.failures import speech_failures
from tests.support import gates
from tests.support.comparisons import find_row


@pytest.mark.slow
def test_failed_samples_are_left_out_and_bound_the_difference(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data, fail=0.2)
    comparison = compare(a, b)
    row = find_row(comparison, "exact_match")
    lost = comparison.pairs.failed_b
    assert lost > 0
    assert (comparison.pairs.count, comparison.pairs.failed_a) == (40 - lost, 0)
    assert row.worst == pytest.approx(-lost / 40)
    assert row.best == pytest.approx(0.0)
    sentence = compare_text.describe_row(row)
    assert f"between {-100 * lost / 40:.2f} pp (worst for B) and +0.00 pp (best for B)" in sentence


@pytest.mark.slow
def test_p_values_are_adjusted_over_all_metrics(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = (run(n, data, metrics="wer,cer", wrong=w) for n, w in (("a", 0.1), ("b", 0.2)))
    comparison = compare(a, b)
    first, second = comparison.rows
    assert first.adjusted == first.p
    assert second.adjusted == max(first.p, second.p)
    assert any("Holm" in note for note in comparison.notes)


@pytest.mark.slow
def test_a_field_breaks_the_comparison_down(run: Any, quiz: Any) -> None:
    data = quiz()
    comparison = compare(run("a", data), run("b", data, wrong=0.1), by="voice")
    groups = [row for row in comparison.rows if row.field and row.metric == "exact_match"]
    assert [row.group for row in groups] == [f"s{at}" for at in range(8)]
    assert sum(row.n for row in groups) == 40
    assert sum(row.worse for row in groups) == find_row(comparison, "exact_match").worse


@pytest.mark.slow
def test_clusters_are_resampled_whole(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = (run(n, data, cluster="voice", wrong=w) for n, w in (("a", 0.0), ("b", 0.1)))
    comparison = compare(a, b)
    row = find_row(comparison, "exact_match")
    assert row.method == "cluster-paired-t"
    assert row.units == 8
    assert row.cluster == "voice"
    assert "† only 8 voices: intervals are approximate" in list(compare_text.format_comparison(comparison))


# --- several tests ----------------------------------------------------------------------------


def make_test(
    p: float, metric: str = "wer", field: str = "", *, difference: float = -0.1, low: float = -0.2, high: float = -0.05
) -> ComparisonRow:
    """Make a row with this p-value and this interval."""
    return ComparisonRow(
        value_a=0.2,
        value_b=0.2 + difference,
        difference=difference,
        low=low,
        high=high,
        detectable=0.1,
        p=p,
        n=20,
        units=20,
        method="t",
        metric=metric,
        title=metric,
        field=field,
        adjusted=p,
        better=5,
        worse=1,
        worst=0.0,
        best=0.0,
        higher_is_better=False,
        unit="share",
        signature="",
        right_or_wrong=False,
    )


def adjust(*rows: ComparisonRow) -> list[float]:
    return [row.adjusted for row in adjust_p_values(rows)]


def test_the_first_metric_is_tested_alone_and_the_others_share_the_level() -> None:
    others = (make_test(0.01, "cer"), make_test(0.02, "mer"), make_test(0.03, field="subset"))
    assert adjust(make_test(0.001), *others) == pytest.approx([0.001, 0.03, 0.04, 0.04])


def test_rows_over_all_pairs_and_rows_of_groups_are_one_family() -> None:
    groups = [make_test(0.01, field="subset") for _ in range(4)]
    assert adjust(make_test(0.001), make_test(0.02, "cer"), *groups) == pytest.approx([0.001, *[0.05] * 5])


def test_no_other_test_is_significant_if_the_first_is_not() -> None:
    assert adjust(make_test(0.2), make_test(1e-9, "cer"), make_test(0.4, "mer")) == pytest.approx([0.2, 0.2, 0.4])


def test_a_metric_without_a_test_does_not_come_first() -> None:
    nan = math.nan
    assert adjust(make_test(nan), make_test(0.01, "cer"), make_test(0.02, "mer")) == pytest.approx(
        [nan, 0.01, 0.02], nan_ok=True
    )
    assert adjust(make_test(0.01, field="part"), make_test(0.02, field="part")) == pytest.approx([0.02, 0.02])
    assert adjust() == []


def test_a_metric_that_is_the_same_in_every_pair_lets_the_next_one_come_first() -> None:
    same = replace(make_test(1.0, "speech_failures", difference=0.0), better=0, worse=0)
    balanced = replace(same, better=2, worse=2)
    others = (make_test(0.001, "speech_silence"), make_test(0.02, "speech_cut_off"))
    assert adjust(same, *others) == pytest.approx([1.0, 0.001, 0.04])
    assert adjust(balanced, *others) == [1.0, 1.0, 1.0]
    assert adjust(same, same) == [1.0, 1.0]


def test_a_difference_is_borderline_if_interval_and_adjusted_p_differ() -> None:
    clear, hidden = make_test(0.01), replace(make_test(0.01), adjusted=0.08)
    across = make_test(0.04, low=-0.2, high=0.01)
    none = make_test(0.4, low=-0.2, high=0.1)
    rows = (clear, hidden, across, none, make_test(math.nan, low=math.nan, high=math.nan))
    assert [row.is_significant for row in rows] == [True, False, False, False, False]
    assert [row.is_borderline for row in rows] == [False, True, True, False, False]
    assert compare_text.describe_row(hidden) == (
        "wer: borderline: B is better by 10.00 pp (5.00 … 20.00), but the adjusted p is 0.080."
    )
    assert compare_text.describe_row(across) == (
        "wer: borderline: B is better by 10.00 pp, but the interval includes zero (-20.00 … +1.00 pp)."
    )
    assert compare_text.format_adjusted(hidden) == "0.080 borderline"
    assert compare_text.format_adjusted(clear) == "0.010"


def test_equal_runs_are_not_borderline() -> None:
    assert not make_test(1.0, difference=0.0, low=0.0, high=0.0).is_borderline


# --- rows of constructed runs -----------------------------------------------------------------

WORST_AND_BEST = (0.0, 1.0)


def make_side(
    stats: Sequence[Any], metric: Metric = exact_match, failed: Sequence[int] = (), **fields: list[str | None]
) -> ComparedRun:
    """Make a run with these statistics of one metric; None stands for a sample without one."""
    array_of_stats, indices = StatArray(), array("q")
    for stat in stats:
        indices.append(ABSENT if stat is None else len(indices) - indices.count(ABSENT))
        if stat is not None:
            array_of_stats.append(stat)
    scored = MetricStats(array_of_stats, indices, dict.fromkeys(failed, WORST_AND_BEST))
    return ComparedRun(cast(Any, None), cast(Any, None), scored={metric.name: scored}, fields=fields)


def make_row(a: ComparedRun, b: ComparedRun, metric: Metric = exact_match, **options: Any) -> ComparisonRow:
    rows = make_rows(a, b, metric, **options)
    return next(row for row in rows if row.group == "all")


def make_rows(
    a: ComparedRun,
    b: ComparedRun,
    metric: Metric = exact_match,
    *,
    count: int = 4,
    failed: tuple[tuple[int, int], ...] = (),
    by: str = "",
    cluster: str = "",
) -> list[ComparisonRow]:
    """Compare the first samples of both runs, which are paired in order."""
    pairs = Pairs("content", np.arange(count), np.arange(count), failed, cast(Any, None))
    return build_rows([pair_stats(metric, a, b, pairs)], (a, b), pairs, by, cluster)


def test_a_row_counts_pairs_that_are_better_and_worse() -> None:
    row = make_row(make_side([1.0, 0.0, 0.0, 1.0, 0.0]), make_side([1.0, 1.0, 1.0, 0.0, 0.0]), count=5)
    assert (row.value_a, row.value_b) == pytest.approx((0.4, 0.6))
    assert row.difference == row.worst == row.best == pytest.approx(0.2)
    assert (row.n, row.units, row.better, row.worse) == (5, 5, 2, 1)
    assert row.right_or_wrong
    assert row.adjusted == row.p


def test_pairs_without_a_statistic_on_one_side_are_left_out() -> None:
    row = make_row(make_side([1.0, None, 0.0, 1.0]), make_side([0.0, 1.0, None, 1.0]))
    assert (row.value_a, row.value_b, row.n) == (1.0, 0.5, 2)
    row = make_row(make_side([1.0, None]), make_side([None, 1.0]), count=2)
    assert (row.n, row.better, row.worse) == (0, 0, 0)
    row = make_row(make_side([]), make_side([]), count=0)
    assert (row.n, row.better, row.worse) == (0, 0, 0)


def test_partial_credit_is_neither_right_nor_wrong() -> None:
    assert not make_row(make_side([1.0, 0.5, 0.0, 1.0]), make_side([1.0, 1.0, 1.0, 1.0])).right_or_wrong
    assert not make_row(make_side([1.0, 0.0, 0.0, 1.0]), make_side([1.0, 0.0, 0.0, 0.5])).right_or_wrong
    assert not make_row(make_side([1.0, 0.0, 0.0, 1.0]), make_side([1.0, 1.0, 0.5, 0.0])).right_or_wrong
    assert make_row(make_side([1.0, 0.0, 0.0, 1.0]), make_side([1.0, 1.0, 0.0, 1.0])).right_or_wrong


def test_an_error_rate_is_better_if_it_is_lower() -> None:
    one_error, no_error = (1.0, 0.0, 0.0, 4.0, 0.25, 1.0), (0.0, 0.0, 0.0, 4.0, 0.0, 1.0)
    one_deletion = (0.0, 1.0, 0.0, 4.0, 0.25, 1.0)
    a = make_side([one_error, one_error, no_error, one_deletion], wer)
    row = make_row(a, make_side([no_error, one_error, no_error, one_error], wer), wer)
    assert (row.value_a, row.value_b) == pytest.approx((3 / 16, 2 / 16))
    assert (row.better, row.worse, row.right_or_wrong, row.higher_is_better) == (1, 0, False, False)


def test_a_sample_is_better_only_if_its_own_number_is() -> None:
    fine, quiet = (0.0, 0.0, 0.1, 1.0, 10.0), (0.0, 0.0, 0.4, 1.0, 10.0)
    silent, slow = (0.0, 0.0, 0.6, 1.0, 10.0), (0.0, 0.0, 0.1, 4.0, 10.0)
    a, b = make_side([quiet] * 5, speech_failures), make_side([fine, fine, fine, slow, silent], speech_failures)
    row = make_row(a, b, speech_failures, count=5)
    assert (row.difference, row.better, row.worse) == (0.4, 0, 2)
    assert make_row(a, make_side([fine] * 5, speech_failures), speech_failures, count=5).is_tie
    # One wrong number more in the answers of B: as many of the reference are found, and fewer of its own are right.
    a, b = (make_side([stat], number_recall) for stat in ((2, 2, 2, 0), (2, 2, 3, 0)))
    assert make_row(a, b, number_recall, count=1).worse == 0
    a, b = (make_side([stat], number_precision) for stat in ((2, 2, 2, 0), (2, 2, 3, 0)))
    assert make_row(a, b, number_precision, count=1).worse == 1


def test_statistics_that_are_not_numbers_are_compared() -> None:
    right, wrong = ("x", "x"), ("x", "y")
    row = make_row(make_side([wrong, right, right], uar), make_side([right, wrong, right], uar), uar, count=3)
    assert (row.better, row.worse, row.n, row.difference) == (1, 1, 3, 0.0)


def test_bounds_assume_the_worst_and_the_best_for_b() -> None:
    """A failed on sample 4, where B is right; B failed on sample 5, where A is wrong; both failed on sample 6."""
    a = make_side([1.0, 0.0, 1.0, 1.0, None, 0.0, None], failed=[4, 6])
    b = make_side([1.0, 1.0, 0.0, 0.0, 1.0, None, None], failed=[5, 6])
    row = make_row(a, b, failed=((4, 4), (5, 5), (6, 6)))
    assert (row.value_a, row.value_b, row.n) == (0.75, 0.5, 4)
    assert row.worst == pytest.approx((2 + 1 + 0 + 0) / 7 - (3 + 1 + 0 + 1) / 7)
    assert row.best == pytest.approx((2 + 1 + 1 + 1) / 7 - (3 + 0 + 0 + 0) / 7)


def test_failed_samples_without_bounds_leave_the_bounds_undefined() -> None:
    a, b = make_side([1.0, 0.0, 1.0, 1.0, None]), make_side([1.0, 1.0, 0.0, 0.0, 1.0])
    row = make_row(a, b, failed=((4, 4),))
    assert math.isnan(row.worst)
    assert math.isnan(row.best)
    assert row.unbounded == 1
    assert compare_text.describe_row(row).endswith(" 1 failed sample could not be bounded.")


def test_a_difference_counts_the_failed_samples_that_its_bounds_leave_out() -> None:
    """A failed on samples 4, 5 and 6: 5 has no bounds, and the metric does not apply to 6."""
    a = make_side([1.0, 0.0, 1.0, 1.0, None, None, None], failed=[4])
    a.scored["exact_match"].not_applicable.add(6)
    row = make_row(a, make_side([1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]), failed=((4, 4), (5, 5), (6, 6)))
    assert (row.worst, row.best) == pytest.approx((3 / 5 - 4 / 5, 0.0))
    assert row.unbounded == 1
    assert compare_text.describe_row(row).endswith(
        " With the other failed samples scored worst or best, the difference would be between -20.00 pp "
        "(worst for B) and +0.00 pp (best for B). 1 failed sample could not be bounded."
    )


def test_bounds_are_in_order_for_metrics_of_which_lower_is_better() -> None:
    row = gates.make_row(0.15, worst=0.2168, best=0.1049)
    assert "between +10.49 pp (best for B) and +21.68 pp (worst for B)" in compare_text.describe_row(row)


def test_groups_are_in_natural_order_and_tested_after_the_whole() -> None:
    speakers: list[str | None] = ["10", "2", None, "2", "10", "3"]
    a = make_side([1.0, 0.0, 0.0, 0.0, 1.0, None], speaker=speakers)
    rows = make_rows(a, make_side([1.0, 1.0, 1.0, 1.0, 0.0, 1.0]), count=6, by="speaker")
    assert [(row.field, row.group, row.n, row.better) for row in rows] == [
        ("", "all", 5, 3),
        ("speaker", "2", 2, 2),
        ("speaker", "10", 2, 0),
    ]
    assert rows[0].adjusted == rows[0].p
    assert rows[1].adjusted == pytest.approx(max(rows[0].p, min(1.0, 2 * rows[1].p)))


def test_samples_without_a_value_are_their_own_clusters() -> None:
    a = make_side([1.0, 0.0, 0.0, 1.0], speaker=["x", None, None, "x"])
    row = make_row(a, make_side([0.0, 1.0, 1.0, 0.0]), cluster="speaker")
    assert (row.units, row.n, row.method) == (3, 4, "cluster-paired-t")
    alone = make_side([1.0, 0.0, 0.0, 1.0], speaker=["x", "x", "x", "x"])
    assert make_row(alone, make_side([0.0, 1.0, 1.0, 0.0]), cluster="speaker").units == 4
