from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.perf.measures import compute_measures
from auricle.perf.request_columns import RequestColumns
from auricle.perf.slo import Slo, evaluate_requests, evaluate_run, parse_slos
from tests.support.simulated_servers import answered, streamed


def judged(text: Any, exchanges: Any) -> Any:
    columns = RequestColumns.from_records(exchanges)
    found = evaluate_requests(parse_slos(text), columns, compute_measures(columns))
    return [int(each.sum()) for each in (found.met, found.missed, found.not_evaluable)], found.attainment


def summary(attainment: Any = None, p95: Any = None, req_s: Any = None) -> Any:
    return {
        "run": {"slo_attainment": {"value": attainment}, "req_s": {"value": req_s}},
        "measures": {"ttft_s": {"p95": p95}},
    }


def test_promises_are_read_and_written_the_same() -> None:
    found = parse_slos("p95(ttft_s)<0.3, rtf<=1,req_s>5")
    assert found == (Slo("ttft_s", "<", 0.3, "p95"), Slo("rtf", "<=", 1.0), Slo("req_s", ">", 5.0))
    assert parse_slos(",".join(map(str, found))) == found
    assert [slo.is_per_request for slo in found] == [False, True, False]


def test_the_unit_may_be_left_out() -> None:
    assert parse_slos("ttfa<0.5,p99(latency)<2") == (Slo("ttfa_s", "<", 0.5), Slo("latency_s", "<", 2.0, "p99"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ttft", "cannot be read. Write p95"),
        ("p95(ttft_s)<fast", "cannot be read"),
        ("p95(ttft_s)<1.2.3", "'1.2.3' is no number"),
        ("tttf_s<1", "Did you mean ttft_s?"),
        ("p97(ttft_s)<1", "p97 is not one of mean"),
        ("p95(req_s)>1", "no measure is called req_s"),
        ("chunk_gap_s<1", "no measure is called chunk_gap_s"),
    ],
)
def test_a_wrong_promise_is_refused(text: str, words: str) -> None:
    with pytest.raises(SpecError) as refused:
        parse_slos(text)
    assert words in str(refused.value)


def test_every_promise_must_be_kept() -> None:
    said = [streamed(0, first=0.1), streamed(1, first=0.5), streamed(2, first=0.1, gaps=(2.0,))]
    assert judged("ttft_s<0.3,latency_s<1.5", said)[0] == [1, 2, 0]


def test_a_failed_request_broke_its_promise() -> None:
    said = [answered(at, status="failed" if at < 2 else "ok") for at in range(20)]
    assert judged("latency_s<5", said) == ([18, 2, 0], 0.9)


def test_a_cancelled_request_is_left_out() -> None:
    said = [answered(0), answered(1, status="cancelled")]
    assert judged("latency_s<5", said) == ([1, 0, 0], 1.0)


def test_what_cannot_be_judged_is_left_out_and_counted() -> None:
    said = [answered(0), streamed(1)]
    assert judged("ttft_s<5", said) == ([1, 0, 1], 1.0)


def test_one_broken_promise_is_enough_even_if_another_cannot_be_judged() -> None:
    assert judged("ttft_s<5,latency_s<0.5", [answered()])[0] == [0, 1, 0]


def test_with_nothing_to_judge_no_share_is_known() -> None:
    assert judged("ttft_s<5", [answered()])[1] is None


@pytest.mark.parametrize(
    ("text", "found", "met"),
    [
        ("p95(ttft_s)<0.3", summary(p95=0.2), True),
        ("p95(ttft_s)<0.3", summary(p95=0.3), False),
        ("p95(ttft_s)<0.3", summary(), None),
        ("p95(ttft_s)<0.3,req_s>5", summary(req_s=4), False),
        ("ttft_s<0.3", summary(attainment=0.95), True),
        ("ttft_s<0.3", summary(attainment=0.94), False),
        ("ttft_s<0.3,slo_attainment>=0.9", summary(attainment=0.94), True),
        ("ttft_s<0.3,slo_attainment>=0.99", summary(attainment=0.96), False),
    ],
)
def test_a_run_keeps_its_promises_or_not(text: str, found: Any, met: bool | None) -> None:
    assert evaluate_run(parse_slos(text), found) is met


def test_a_limit_is_compared_as_it_is_written() -> None:
    assert np.all([Slo.parse("rtf<=1").is_met_by(1.0), not Slo.parse("rtf<1").is_met_by(1.0)])
