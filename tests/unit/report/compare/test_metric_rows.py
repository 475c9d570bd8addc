"""Differences metric by metric."""

from typing import Any

import pytest

from auricle import compare
from auricle.report.compare import text as compare_text
from tests.support.comparisons import find_row

pytestmark = pytest.mark.slow


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
    assert "With failed samples" in compare_text.describe_row(comparison.rows[0])


def test_p_values_are_adjusted_over_all_metrics(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = (run(n, data, metrics="wer,cer", wrong=w) for n, w in (("a", 0.1), ("b", 0.2)))
    comparison = compare(a, b)
    smallest = min(comparison.rows, key=lambda row: row.p)
    assert smallest.adjusted == pytest.approx(2 * smallest.p)
    assert any("Holm" in note for note in comparison.notes)


def test_a_field_breaks_the_comparison_down(run: Any, quiz: Any) -> None:
    data = quiz()
    comparison = compare(run("a", data), run("b", data, wrong=0.1), by="speaker")
    groups = [row for row in comparison.rows if row.field and row.metric == "exact_match"]
    assert [row.group for row in groups] == [f"s{at}" for at in range(8)]
    assert sum(row.n for row in groups) == 40
    assert sum(row.worse for row in groups) == find_row(comparison, "exact_match").worse


def test_clusters_are_resampled_whole(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = (run(n, data, cluster="speaker", wrong=w) for n, w in (("a", 0.0), ("b", 0.1)))
    comparison = compare(a, b)
    row = find_row(comparison, "exact_match")
    assert row.method == "paired-cluster-bootstrap:1000"
    assert row.units == 8
    assert any("only 8 values of speaker" in note for note in comparison.notes)
