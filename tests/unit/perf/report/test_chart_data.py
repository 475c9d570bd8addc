import pytest

from auricle.perf.report.chart_data import IN_FLIGHT_BINS, MAX_BARS, MAX_DOTS, QUANTILES, build_chart_data
from auricle.perf.request_columns import RequestColumns
from tests.support.simulated_servers import streamed_request
from tests.unit.perf.report.conftest import PointWithChartData, build_columns, build_request


@pytest.mark.slow
def test_chart_data_is_small_however_many_requests_there_are() -> None:
    chart_data = build_chart_data(build_columns(20_000, spoken=True))
    assert len(chart_data["bars"]) == MAX_BARS
    assert len(chart_data["rtfx"]) == MAX_DOTS
    assert len(chart_data["in_flight"]["most"]) == IN_FLIGHT_BINS
    assert len(chart_data["spread"]["latency_s"]) == len(QUANTILES)
    assert len(chart_data["rates"]["sent"]) <= 60


@pytest.mark.slow
def test_short_peak_of_requests_in_flight_is_kept() -> None:
    records = [build_request(index) for index in range(10_000)]
    records += [build_request(0, sent=500.0, done=500.001) for _ in range(70)]
    chart_data = build_chart_data(RequestColumns.from_records(records))
    assert max(chart_data["in_flight"]["most"]) >= 70


def test_rates_are_those_of_the_load(points: list[PointWithChartData]) -> None:
    rates = points[1][1]["rates"]
    assert rates["due"][3] == pytest.approx(10)
    assert rates["sent"][3] == pytest.approx(10)


def test_few_requests_have_wide_bins() -> None:
    records = [streamed_request(index, due=index + 0.5, sent=index + 0.5) for index in range(12)]
    rates = build_chart_data(RequestColumns.from_records(records))["rates"]
    assert rates["width_s"] == 5.0
    assert rates["sent"] == [1.0, 1.0]


def test_quantiles_are_ascending(points: list[PointWithChartData]) -> None:
    quantiles = points[1][1]["spread"]["sched_latency_s"]
    assert quantiles == sorted(quantiles)
    assert quantiles[QUANTILES.index(0.5)] == pytest.approx(0.3)
    assert points[1][1]["spread"]["ttfa_s"] == []


def test_chart_data_without_requests_is_empty() -> None:
    chart_data = build_chart_data(RequestColumns.from_records([]))
    assert chart_data["bars"] == []
    assert chart_data["rates"]["width_s"] is None
