"""Two models under the same conditions, compared family by family."""

import math
from pathlib import Path

import pytest

from auricle.api import compare
from auricle.report.comparison_text import format_comparison
from auricle.scoring.compare import Comparison, ComparisonRow
from tests.support.condition_suites import run_conditions, write_task

pytestmark = pytest.mark.thorough

NOISE = "noise:snr=20,10,0,-10,-20"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    write_task(folder)
    run_conditions(folder, (NOISE, "loss:rate=0.1"), "a", limit=12.0)
    run_conditions(folder, (NOISE, "gain:db=-6"), "b", limit=8.0)
    run_conditions(folder, (NOISE,), "deaf", limit=100.0)
    return folder


@pytest.fixture(scope="module")
def comparison(folder: Path) -> Comparison:
    return compare(folder / "a", folder / "b")


def find(comparison: Comparison, metric: str, group: str) -> ComparisonRow:
    (row,) = [row for row in comparison.rows if (row.metric, row.group) == (metric, group)]
    return row


def test_clean_numbers_come_first_then_families_and_conditions(comparison: Comparison) -> None:
    fields = list(dict.fromkeys(row.field for row in comparison.rows))
    assert fields == ["", "family", "part"]
    assert [row.metric for row in comparison.overall] == ["wer", "cer"]
    assert comparison.overall[0].difference == 0
    assert "clean" not in {row.group for row in comparison.rows}


def test_better_model_has_a_lower_threshold_with_an_interval_over_the_same_samples(comparison: Comparison) -> None:
    row = find(comparison, "wer_threshold", "noise")
    assert row.value_b < row.value_a
    assert row.low <= row.difference <= row.high <= 0
    assert row.p < 0.05
    assert (row.unit, row.higher_is_better, row.units, row.n) == ("dB", False, 12, 12)


def test_area_and_degradation_differ_as_the_numbers_do(comparison: Comparison) -> None:
    degradation = find(comparison, "wer_degradation", "noise")
    conditions = [row for row in comparison.rows if row.metric == "wer" and row.field == "part"]
    assert degradation.difference == pytest.approx(sum(row.difference for row in conditions) / 5)
    assert degradation.low < degradation.difference < degradation.high
    assert find(comparison, "wer_area", "noise").difference < 0


def test_conditions_of_one_suite_only_are_named_and_not_compared(comparison: Comparison) -> None:
    assert "Only A was run under these conditions: loss:rate=0.1." in comparison.notes
    assert "Only B was run under these conditions: gain:db=-6." in comparison.notes
    assert {row.group for row in comparison.rows if row.field == "family"} == {"noise"}


def test_threshold_beyond_the_levels_is_refused_with_the_reason(folder: Path) -> None:
    comparison = compare(folder / "a", folder / "deaf")
    reason = comparison.refused["wer_threshold of noise"]
    assert reason == "in B, the clean number is not better than chance." or "beyond the levels" in reason
    assert not [row for row in comparison.rows if row.metric == "wer_threshold"]
    assert find(comparison, "wer_area", "noise").difference > 0


def test_same_suite_differs_by_nothing(folder: Path) -> None:
    row = find(compare(folder / "a", folder / "a"), "wer_threshold", "noise")
    assert (row.difference, row.low, row.high) == (0.0, 0.0, 0.0)
    assert row.p == 1.0
    assert math.isnan(row.detectable)


def test_text_has_units_and_no_counts_of_pairs_for_families(comparison: Comparison) -> None:
    (line,) = [line for line in format_comparison(comparison) if line.startswith("wer_threshold ↓")]
    assert "family=noise" in line
    assert " dB" in line
