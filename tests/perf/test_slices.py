import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.perf.request_records import RequestColumns
from auricle.perf.slices import add_slices, compute_slices, format_slices, parse_slice
from auricle.perf.summary import summarise
from tests.support.simulated_servers import answered_request, even_requests, even_streams


def test_slices_partition_the_requests() -> None:
    slices = compute_slices(RequestColumns.from_records(even_requests(200)), 5)  # 20 s, answers after 1 s
    assert [(entry.start_s, entry.end_s) for entry in slices] == [(0, 5), (5, 10), (10, 15), (15, 20.9)]
    assert [entry.requests for entry in slices] == [50, 50, 50, 50]
    assert sum(entry.ok for entry in slices) == 200


@pytest.mark.parametrize(("seconds", "ends"), [(8.0, [8.0, 16.0, 20.9]), (10.0, [10.0, 20.9]), (60.0, [20.9])])
def test_short_rest_is_added_to_the_last_slice(seconds: float, ends: list[float]) -> None:
    slices = compute_slices(RequestColumns.from_records(even_requests(200)), seconds)
    assert [entry.end_s for entry in slices] == pytest.approx(ends)


def test_rates_count_what_arrived_in_a_slice() -> None:
    slices = compute_slices(RequestColumns.from_records(even_requests(200)), 5)
    completed = [(entry.rates["req_s"] or 0.0) * (entry.end_s - entry.start_s) for entry in slices]
    assert completed == pytest.approx([41, 50, 50, 59])
    assert slices[1].in_flight_mean == pytest.approx(10)


def test_percentiles_are_those_of_the_requests_of_a_slice() -> None:
    requests = [
        answered_request(index, due=index / 10, sent=index / 10, seconds=1.0 if index < 100 else 2.0 + index / 1000)
        for index in range(200)
    ]
    first, second, *_ = compute_slices(RequestColumns.from_records(requests), 10)
    assert first.measures["latency_s"].p95 == pytest.approx(1.0)
    expected = np.percentile([2.0 + index / 1000 for index in range(100, 200)], 95)
    assert second.measures["latency_s"].p95 == pytest.approx(expected)
    assert "ttft_s" not in second.measures


def test_failures_belong_to_the_slice_in_which_they_were_due() -> None:
    requests = [*even_requests(100), *even_requests(0)]
    requests[70:80] = [
        answered_request(index, due=index / 10, sent=index / 10, status="failed") for index in range(70, 80)
    ]
    slices = compute_slices(RequestColumns.from_records(requests), 5)
    assert [entry.failed for entry in slices[:2]] == [0, 10]


def test_slices_are_computed_only_if_requested() -> None:
    columns = RequestColumns.from_records(even_requests())
    point = summarise(columns, "constant:10")
    assert add_slices(point, columns, None).slices == ()
    assert len(add_slices(point, columns, 10.0).slices) == 2


def test_table_has_a_row_per_slice() -> None:
    columns = RequestColumns.from_records(even_streams(100))
    point = add_slices(summarise(columns, "constant:10"), columns, 5.0)
    title, header, *rows = format_slices([point])
    assert "constant:10 over time" in title
    assert "TTFT p95" in header
    assert len(rows) == len(point.slices)
    assert format_slices([summarise(even_requests(), "constant:10")]) == []


def test_length_is_parsed_with_or_without_its_unit() -> None:
    assert (parse_slice("10s"), parse_slice("2.5")) == (10.0, 2.5)
    for text in ("", "x", "0", "-3s", "0.01", "inf", "nan"):
        with pytest.raises(SpecError, match="must be at least"):
            parse_slice(text)
