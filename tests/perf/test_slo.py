from collections.abc import Iterable
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.perf.measures import compute_measures
from auricle.perf.request_records import RequestColumns, RequestRecord
from auricle.perf.slo import Slo, evaluate_requests, evaluate_run, parse_slos
from auricle.runs.perf_files import RunMeasure
from tests.support.simulated_servers import answered_request, streamed_request


def evaluate(text: str, records: Iterable[RequestRecord]) -> tuple[list[int], float | None]:
    """Return the numbers of requests that met, missed and could not be judged, and the attainment."""
    columns = RequestColumns.from_records(records)
    outcomes = evaluate_requests(parse_slos(text), columns, compute_measures(columns))
    return [int(mask.sum()) for mask in (outcomes.met, outcomes.missed, outcomes.not_evaluable)], outcomes.attainment


def build_summary(
    attainment: float | None = None, p95: float | None = None, req_s: float | None = None
) -> dict[str, Any]:
    return {
        "run": {"slo_attainment": RunMeasure(attainment), "req_s": RunMeasure(req_s)},
        "measures": {"ttft_s": {"p95": p95}},
    }


def test_slos_parse_and_format_the_same() -> None:
    slos = parse_slos("p95(ttft_s)<0.3, rtf<=1,req_s>5")
    assert slos == (Slo("ttft_s", "<", 0.3, "p95"), Slo("rtf", "<=", 1.0), Slo("req_s", ">", 5.0))
    assert parse_slos(",".join(map(str, slos))) == slos
    assert [slo.is_per_request for slo in slos] == [False, True, False]


def test_unit_may_be_left_out() -> None:
    assert parse_slos("ttfa<0.5,p99(latency)<2") == (Slo("ttfa_s", "<", 0.5), Slo("latency_s", "<", 2.0, "p99"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ttft", "Invalid SLO 'ttft'. Expected p95"),
        ("p95(ttft_s)<fast", "Invalid SLO 'p95(ttft_s)<fast'"),
        ("p95(ttft_s)<1.2.3", "'1.2.3' is not a number"),
        ("tttf_s<1", "Did you mean 'ttft_s'?"),
        ("p97(ttft_s)<1", "unknown statistic 'p97'. Expected one of: mean"),
        ("p95(req_s)>1", "unknown measure 'req_s'"),
        ("chunk_gap_s<1", "unknown measure 'chunk_gap_s'"),
    ],
)
def test_invalid_slo_is_rejected(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_slos(text)
    assert message in str(caught.value)


def test_request_must_meet_every_slo() -> None:
    records = [
        streamed_request(0, first=0.1),
        streamed_request(1, first=0.5),
        streamed_request(2, first=0.1, gaps=(2.0,)),
    ]
    assert evaluate("ttft_s<0.3,latency_s<1.5", records)[0] == [1, 2, 0]


def test_failed_request_misses_the_slo() -> None:
    records = [answered_request(index, status="failed" if index < 2 else "ok") for index in range(20)]
    assert evaluate("latency_s<5", records) == ([18, 2, 0], 0.9)


def test_cancelled_request_is_left_out() -> None:
    records = [answered_request(0), answered_request(1, status="cancelled")]
    assert evaluate("latency_s<5", records) == ([1, 0, 0], 1.0)


def test_request_with_an_undefined_measure_is_counted_but_not_judged() -> None:
    assert evaluate("ttft_s<5", [answered_request(0), streamed_request(1)]) == ([1, 0, 1], 1.0)


def test_one_missed_slo_decides_even_if_another_is_undefined() -> None:
    assert evaluate("ttft_s<5,latency_s<0.5", [answered_request()])[0] == [0, 1, 0]


def test_attainment_is_unknown_if_no_request_can_be_judged() -> None:
    assert evaluate("ttft_s<5", [answered_request()])[1] is None


@pytest.mark.parametrize(
    ("text", "summary", "met"),
    [
        ("p95(ttft_s)<0.3", build_summary(p95=0.2), True),
        ("p95(ttft_s)<0.3", build_summary(p95=0.3), False),
        ("p95(ttft_s)<0.3", build_summary(), None),
        ("p95(ttft_s)<0.3,req_s>5", build_summary(req_s=4), False),
        ("ttft_s<0.3", build_summary(attainment=0.95), True),
        ("ttft_s<0.3", build_summary(attainment=0.94), False),
        ("ttft_s<0.3,slo_attainment>=0.9", build_summary(attainment=0.94), True),
        ("ttft_s<0.3,slo_attainment>=0.99", build_summary(attainment=0.96), False),
    ],
)
def test_run_meets_its_slos_or_not(text: str, summary: dict[str, Any], met: bool | None) -> None:
    assert evaluate_run(parse_slos(text), summary["measures"], summary["run"]) is met


def test_comparator_includes_or_excludes_the_limit() -> None:
    assert Slo.parse("rtf<=1").is_met_by(1.0)
    assert not Slo.parse("rtf<1").is_met_by(1.0)
    assert Slo.parse("rtf<1").is_met_by(None) is None
