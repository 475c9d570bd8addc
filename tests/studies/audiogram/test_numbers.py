"""The numbers of a task under conditions: differences to clean, thresholds, areas and degradation."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from auricle.api import load_metrics
from auricle.metrics.intervals import adjust_holm
from auricle.runs.metrics import FAMILY_FIELD, PART_FIELD, Metrics, Number, read_metrics
from auricle.runs.suites import read_suite_run
from auricle.studies.audiogram.numbers import compute_condition_numbers
from auricle.studies.leaderboards.table import build_leaderboard
from tests.support.condition_suites import run_conditions, write_task

pytestmark = pytest.mark.thorough

LEVELS = (20, 10, 5, 0, -10)
PERTURB = ("noise:snr=" + ",".join(map(str, LEVELS)), "gain:db=-6")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conditions")
    write_task(folder)
    return run_conditions(folder, PERTURB, slip=0)


@pytest.fixture(scope="module")
def metrics(suite: Path) -> Metrics:
    return read_metrics(suite)


def find(metrics: Metrics, metric: str, group: str) -> Number:
    (number,) = [number for number in metrics.numbers if (number.metric, number.group) == (metric, group)]
    return number


def values(metrics: Metrics) -> list[float]:
    return [find(metrics, "wer", f"noise:snr={level}").value or 0.0 for level in LEVELS]


def test_headline_is_the_clean_number_and_not_a_mean(metrics: Metrics, suite: Path) -> None:
    clean = load_metrics(suite / "clean")["wer"]
    assert metrics["wer"] == clean
    assert metrics["wer"].value == pytest.approx(0.1)
    assert metrics.overall[0].metric == "wer"
    assert all(part.share is None for part in metrics.parts)


def test_every_condition_has_its_paired_difference_to_clean_adjusted_over_all(metrics: Metrics) -> None:
    changes = [number for number in metrics.numbers if number.metric == "wer_change"]
    assert [number.group for number in changes] == [part.name for part in metrics.parts[1:]]
    for change in changes:
        condition = find(metrics, "wer", change.group)
        assert change.value == pytest.approx((condition.value or 0) - 0.1)
        assert change.field == PART_FIELD
    p_values = [change.details["p"] for change in changes]
    assert [change.details["adjusted_p"] for change in changes] == pytest.approx(adjust_holm(p_values))
    assert find(metrics, "wer_change", "gain:db=-6").details["adjusted_p"] == 1.0
    assert find(metrics, "wer_change", "noise:snr=-10").details["adjusted_p"] < 0.05


def test_threshold_is_where_the_error_rate_is_twice_the_clean_one_plus_a_point(metrics: Metrics) -> None:
    curve, criterion = values(metrics), 2 * 0.1 + 0.01
    after = next(index for index, value in enumerate(curve) if value >= criterion)
    low, high = curve[after - 1], curve[after]
    expected = LEVELS[after - 1] + (criterion - low) / (high - low) * (LEVELS[after] - LEVELS[after - 1])
    threshold = find(metrics, "wer_threshold", "noise")
    assert threshold.value == pytest.approx(expected)
    assert (threshold.unit, threshold.field, threshold.higher_is_better) == ("dB", FAMILY_FIELD, False)
    assert threshold.details["criterion"] == pytest.approx(criterion)
    assert threshold.low is not None
    assert threshold.high is not None
    assert threshold.low <= expected <= threshold.high
    assert "noise at 20, 10, 5, 0, -10 dB" in str(threshold.signature)


def test_area_and_degradation_are_means_over_levels(metrics: Metrics) -> None:
    curve = values(metrics)
    widths = [a - b for a, b in pairwise(LEVELS)]
    heights = [(a + b) / 2 for a, b in pairwise(curve)]
    area = sum(width * height for width, height in zip(widths, heights, strict=True)) / 30
    assert find(metrics, "wer_area", "noise").value == pytest.approx(area)
    degradation = sum(curve) / 5 - 0.1
    assert find(metrics, "wer_degradation", "noise").value == pytest.approx(degradation)
    relative = find(metrics, "wer_relative_degradation", "noise")
    assert relative.value == pytest.approx(degradation / 0.1)
    assert not relative.higher_is_better
    assert find(metrics, "wer_degradation", "gain").value == pytest.approx(0.0)


def test_threshold_needs_several_levels(metrics: Metrics) -> None:
    assert "at least 3 levels" in metrics.not_computed["wer_threshold of gain"]
    assert "wer_threshold of noise" not in metrics.not_computed


def test_worst_condition_is_named(metrics: Metrics) -> None:
    (worst,) = [number for number in metrics.numbers if number.metric == "wer_worst"]
    assert worst.value == pytest.approx(max(values(metrics)))
    assert find(metrics, "wer", worst.group).value == pytest.approx(worst.value)


def test_model_that_hears_everything_has_a_censored_threshold_that_few_words_do_not_prove(tmp_path: Path) -> None:
    write_task(tmp_path, samples=6, speakers=3)
    metrics = read_metrics(run_conditions(tmp_path, ("noise:snr=20,10,0",), limit=-60.0))
    threshold = find(metrics, "wer_threshold", "noise")
    assert (threshold.value, threshold.censored, threshold.low, threshold.high) == (0.0, "<", None, None)
    assert (threshold.cluster, threshold.units) == ("speaker", 3)
    leaderboard = build_leaderboard([("run", metrics)])
    titles = list(leaderboard.column_titles().values())
    assert titles == ["asr-tones WER ↓", "asr-tones WER threshold, noise ↓"]
    assert [cell.text for cell in leaderboard.rows[0].cells.values()] == ["0.00 %†", "< 0 dB†"]
    assert [cell.interval for cell in leaderboard.rows[0].cells.values()][1] == "[< 0, > 20]"


def test_suite_without_a_clean_part_has_no_numbers(suite: Path) -> None:
    runs = {"noise:snr=0": (suite / "noise-snr-0", read_metrics(suite / "noise-snr-0"))}
    computed = compute_condition_numbers(read_suite_run(suite), runs)
    assert not computed.numbers
    assert "part without a condition" in computed.not_computed["the numbers of the conditions"]


def test_family_with_an_unfinished_condition_has_no_threshold(suite: Path) -> None:
    described = read_suite_run(suite)
    runs = {part.name: (suite / part.folder, read_metrics(suite / part.folder)) for part in described.parts[:3]}
    computed = compute_condition_numbers(described, runs)
    names = {(number.metric, number.group) for number in computed.numbers}
    assert ("wer_threshold", "noise") not in names
    assert ("wer_change", "noise:snr=10") in names


def test_summaries_cover_the_samples_that_were_scored_under_all_conditions(suite: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(suite, copy)
    scores = copy / "noise-snr-20" / "scores.jsonl"
    scores.write_text("".join(scores.read_text().splitlines(keepends=True)[:5]))
    described = read_suite_run(copy)
    runs = {part.name: (copy / part.folder, read_metrics(copy / part.folder)) for part in described.parts}
    computed = compute_condition_numbers(described, runs)
    (threshold,) = [n for n in computed.numbers if (n.metric, n.group) == ("wer_threshold", "noise")]
    assert threshold.units == 5
