import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auricle.perf.compare import ComparedRow, PerfComparison, build_comparison, compare_numbers, format_comparison
from auricle.perf.report.tables import name_number
from auricle.runs.perf_files import REQUESTS_FILE, RunMeasure, StandardError, read_perf_summary, write_perf_summary
from auricle.testing.fake_server import Script
from tests.perf.conftest import RunMeasurement
from tests.support.cli_types import RunAuricle
from tests.support.report_pages import assert_policy_admits_only_the_page, visible_text

pytestmark = [pytest.mark.slow, pytest.mark.flaky(reruns=2)]  # depends on the timing of a busy machine

MeasureTwice = Callable[..., tuple[Path, Path]]


@pytest.fixture
def measure_twice(run_measurement: RunMeasurement, questions: Callable[..., Path]) -> MeasureTwice:
    """Measure a fast server and a slow one; return the two folders."""
    data = questions(10)

    def run(load: str = "closed:2,4", slow_load: str | None = None, **options: Any) -> tuple[Path, Path]:
        options = {"count": 40, "stream": True, "data": data} | options
        fast = run_measurement(load, Script(latency=0.02, pace=500), **options)
        slow = run_measurement(slow_load or load, Script(latency=0.12, pace=500), **options)
        return fast.folder, slow.folder

    return run


def get_row(comparison: PerfComparison, name: str) -> ComparedRow:
    """Return a row of the first point."""
    (row,) = [row for row in comparison.points[0].rows if row.name == name]
    return row


def test_points_with_the_same_load_are_compared(measure_twice: MeasureTwice) -> None:
    comparison = build_comparison(*measure_twice())
    assert [point.load for point in comparison.points] == ["closed:2", "closed:4"]
    ttft = get_row(comparison, "ttft_s p50")
    assert 1 < (ttft.ratio or 0) < 7  # 6 on a quiet machine; a busy one delays both
    throughput = get_row(comparison, "req_s")
    assert (throughput.ratio or 1) < 1
    assert throughput.is_worse
    assert throughput.difference_interval
    assert throughput.difference_interval[1] < 0
    assert "B is worse" in "\n".join(format_comparison(comparison))


def test_metrics_are_compared_too(measure_twice: MeasureTwice) -> None:
    row = get_row(build_comparison(*measure_twice("closed:4", count=12)), "exact_match")
    assert row.a == row.b
    assert row.p == 1


def test_measurement_equals_itself(run_measurement: RunMeasurement) -> None:
    folder = run_measurement("closed:2", count=10, stream=True).folder
    comparison = build_comparison(folder, folder)
    assert comparison.differs == ()
    assert all(row.ratio in (1, None) for row in comparison.points[0].rows)
    text = "\n".join(format_comparison(comparison))
    assert "Different setup" not in text
    assert "B is" not in text


def test_a_number_without_an_error_is_not_tested() -> None:
    tested = RunMeasure(1.0, None, StandardError(0.1, 9.0))
    assert compare_numbers(tested, RunMeasure(9.0, (8.0, 10.0))) == (None, None)


def test_the_test_of_a_difference_is_that_of_welch() -> None:
    generator = np.random.default_rng(0)
    samples = generator.normal(0, 1, 12), generator.normal(1, 2, 8)
    a, b = (RunMeasure(sample.mean(), None, StandardError(stats.sem(sample), len(sample) - 1)) for sample in samples)
    expected = stats.ttest_ind(samples[1], samples[0], equal_var=False)
    test = compare_numbers(a, b)
    assert test.p == pytest.approx(expected.pvalue)
    assert test.interval == pytest.approx(tuple(expected.confidence_interval()), rel=1e-2)


def test_an_earlier_measurement_gets_todays_intervals_from_its_requests(run_measurement: RunMeasurement) -> None:
    folder = run_measurement("closed:2", count=60).folder
    current = read_perf_summary(folder)
    outdated = [
        replace(
            point,
            method={"intervals": "an earlier method"},
            run=point.run | {"req_s": replace(point.run["req_s"], interval=(1.0, 1.1), error=None)},
        )
        for point in current.points
    ]
    write_perf_summary(folder, replace(current, points=tuple(outdated)))
    row = get_row(build_comparison(folder, folder), "req_s")
    assert row.a_interval == current.points[0].run["req_s"].interval
    (folder / current.points[0].folder / REQUESTS_FILE).unlink()
    row = get_row(build_comparison(folder, folder), "req_s")
    assert (row.a_interval, row.p) == (None, None)


def test_differences_in_setup_come_first(run_measurement: RunMeasurement, questions: Callable[..., Path]) -> None:
    first = run_measurement("closed:2", count=6, data=questions(10)).folder
    second = run_measurement("closed:2", count=9, seed=3, data=questions(12)).folder
    comparison = build_comparison(first, second)
    differences = {entry.what: (entry.a, entry.b) for entry in comparison.differs}
    assert differences["count"] == (6, 9)
    assert differences["seed"] == (0, 3)
    assert "data" in differences
    lines = format_comparison(comparison)
    table_start = next(index for index, line in enumerate(lines) if line.startswith("closed:2"))
    assert lines.index("Different setup:") < table_start


def test_loads_of_one_side_are_listed(measure_twice: MeasureTwice) -> None:
    comparison = build_comparison(*measure_twice("closed:1,2", "closed:2,3", count=5))
    assert [point.load for point in comparison.points] == ["closed:2"]
    assert (comparison.only_a, comparison.only_b) == (("closed:1",), ("closed:3",))
    assert "Only in B: closed:3" in format_comparison(comparison)


def test_command_compares_measurements(measure_twice: MeasureTwice, auricle: Callable[..., Any]) -> None:
    folders = measure_twice("closed:4", count=20)
    done = auricle("compare", *folders)
    assert done.returncode == 0, done.stderr
    assert "Time to first token p50, s" in done.stdout
    assert json.loads(auricle("compare", *folders, "--json").stdout)["points"]


def test_measurement_cannot_be_compared_with_a_run(
    run_measurement: RunMeasurement, auricle: Callable[..., Any]
) -> None:
    folder = run_measurement("closed:2", count=2).folder
    assert auricle("compare", folder, folder / "00-closed-2").returncode == 2


def test_the_page_has_the_numbers_of_the_terminal(run_measurement: RunMeasurement, tmp_path: Path) -> None:
    first = run_measurement("closed:1,2", count=6).folder
    second = run_measurement("closed:2", count=6, seed=3).folder
    comparison = build_comparison(first, second)
    comparison.write_html(tmp_path / "compare.html")
    page = visible_text((tmp_path / "compare.html").read_text(encoding="utf-8"))
    text = " ".join("\n".join(format_comparison(comparison)).split())
    for row in comparison.points[0].rows:
        assert name_number(row.name) in page
    assert "seed 0 3" in page
    assert "Only in A: closed:1" in page
    assert "A closed B closed" in page  # the curves of both, over each other
    numbers = re.findall(r"Latency p50, s +(\S+)", text)
    assert numbers
    assert all(f"Latency p50, s {number}" in page for number in numbers)


def test_the_command_writes_the_page(auricle: RunAuricle, run_measurement: RunMeasurement, tmp_path: Path) -> None:
    folder = run_measurement("closed:1", count=3).folder
    done = auricle("compare", folder, folder, "--html", "compare.html")
    assert done.returncode == 0, done.stderr
    assert f"Page: {tmp_path / 'compare.html'}" in done.stdout
    assert_policy_admits_only_the_page((tmp_path / "compare.html").read_text(encoding="utf-8"))


def test_options_about_samples_are_refused(auricle: RunAuricle, run_measurement: RunMeasurement) -> None:
    folder = run_measurement("closed:1", count=3).folder
    done = auricle("compare", folder, folder, "--metric", "wer")
    assert done.returncode == 2
    assert "--metric applies to runs, not to measurements" in done.stderr
