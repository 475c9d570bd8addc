from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError
from auricle.perf.recompute import recompute_summary
from auricle.perf.request_columns import RequestColumns
from auricle.perf.serving_cost import Pricing
from auricle.perf.summary import summarise
from auricle.runs.perf_files import read_perf_summary
from auricle.runs.usage import Price
from auricle.testing.fake_server import Script
from tests.unit.perf.conftest import RunMeasurement

pytestmark = [pytest.mark.slow, pytest.mark.flaky(reruns=2)]  # depends on the timing of a busy machine


def test_measures_follow_from_the_recorded_requests(run_measurement: RunMeasurement) -> None:
    result = run_measurement("constant:50", Script(latency=0.02), count=30)
    columns = RequestColumns.read(result.folder / result.point.folder / "requests.jsonl")
    assert summarise(columns, "constant:50").measures == result.point.measures


def test_summary_is_recomputed_with_another_slo_and_window(run_measurement: RunMeasurement) -> None:
    result = run_measurement("closed:2", count=6)
    summary = recompute_summary(result.folder, slo="p50(latency_s)<9", window="all")
    assert summary == read_perf_summary(result.folder)
    (point,) = summary.points
    assert point.slo
    assert point.slo.met is True
    assert point.window.kind == "all"
    assert point.counts.all == result.point.counts.all
    assert point.accuracy == result.point.accuracy


def test_prices_are_kept_or_replaced(run_measurement: RunMeasurement) -> None:
    pricing = Pricing(Price("fake", currency="EUR"), 2.0)
    folder = run_measurement("closed:2", count=4, pricing=pricing).folder
    (point,) = recompute_summary(folder).points
    assert (point.run["cost_hour"].value, point.currency) == (2.0, "EUR")
    (point,) = recompute_summary(folder, find_pricing=lambda *_: Pricing(Price("fake"), 5.0)).points
    assert (point.run["cost_hour"].value, point.currency) == (5.0, "USD")


def test_measurement_is_priced_afterwards_by_the_command(
    run_measurement: RunMeasurement, auricle: Callable[..., Any], tmp_path: Path
) -> None:
    folder = run_measurement("closed:2", count=4).folder
    (tmp_path / "prices.yaml").write_text("fake: {request: 0.5}\n")
    priced = auricle("perf", folder, "--prices", "prices.yaml")
    assert "closed:2: " in priced.stdout
    assert "500 USD per thousand requests." in priced.stdout
    assert "500 USD per thousand requests." in auricle("perf", folder).stdout


def test_model_without_a_price_is_an_error(
    run_measurement: RunMeasurement, auricle: Callable[..., Any], tmp_path: Path
) -> None:
    folder = run_measurement("closed:1", count=2).folder
    (tmp_path / "prices.yaml").write_text("other: {request: 0.5}\n")
    done = auricle("perf", folder, "--prices", "prices.yaml")
    assert done.returncode == 2
    assert "fake" in done.stderr


def test_folder_without_a_summary_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No summary\.json in .*: no load point was completed"):
        recompute_summary(tmp_path)
