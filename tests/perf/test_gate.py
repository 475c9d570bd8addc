"""Gates: which measurements and comparisons do not pass, and their exit codes."""

from dataclasses import replace

import pytest

from auricle.core.errors import ExitStatus
from auricle.perf.compare import ComparedPoint, ComparedRow, ComparedSide, PerfComparison
from auricle.perf.gate import choose_exit_status, find_regressions, find_violations
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise
from auricle.runs.perf_files import LoadPointSummary, PerfManifest, PerfSummary, SearchResult
from tests.support.simulated_servers import answered_request, even_requests

SIDE = ComparedSide("run", "task", "model", "")


def build_summary(
    *points: LoadPointSummary, loads: tuple[str, ...] = (), searches: tuple[SearchResult, ...] = ()
) -> PerfSummary:
    about = PerfManifest(spec={}, wanted={"loads": loads})
    return PerfSummary(task="task", model="model", points=points, searches=searches, about=about)


def measure(slo: str = "", load: str = "poisson:10") -> LoadPointSummary:
    """Summarise requests that take half a second."""
    return summarise(even_requests(300, seconds=0.5), load, slos=parse_slos(slo))


def cancel_all() -> LoadPointSummary:
    requests = [answered_request(index, due=index / 10, sent=index / 10, status="cancelled") for index in range(30)]
    return summarise(requests, "poisson:10")


@pytest.mark.parametrize(
    ("slo", "violations"),
    [
        ("", []),
        ("p95(latency_s)<0.6", []),
        ("p95(latency_s)<0.4", ["poisson:10: p95(latency_s)<0.4 was not met."]),
        ("latency_s<0.4", ["poisson:10: latency_s<0.4 was not met."]),
        (
            "p95(ttfa_s)<0.4",
            ["poisson:10: p95(ttfa_s)<0.4 cannot be judged: ttfa_s is unknown (no audio was received)."],
        ),
        (
            "p99.9(latency_s)<1",
            ["poisson:10: p99.9(latency_s)<1 cannot be judged: too few requests for p99.9 (n = 294, needs 1000)."],
        ),
    ],
)
def test_broken_and_unjudged_slos_do_not_pass(slo: str, violations: list[str]) -> None:
    summary = build_summary(measure(slo))
    assert find_violations(summary) == violations
    assert choose_exit_status(summary, violations) == (ExitStatus.GATE if violations else ExitStatus.OK)


def test_without_a_gate_a_missed_slo_is_no_failure() -> None:
    assert choose_exit_status(build_summary(measure("p95(latency_s)<0.4")), None) == ExitStatus.OK


def test_point_that_is_not_valid_does_not_pass() -> None:
    summary = build_summary(measure(), cancel_all())
    assert find_violations(summary) == ["poisson:10 is not valid: No request of the measured phase succeeded."]


def test_measurement_without_a_valid_point_never_ends_with_0() -> None:
    assert choose_exit_status(build_summary(cancel_all()), None) == ExitStatus.FAILURES
    assert choose_exit_status(build_summary(), None) == ExitStatus.FAILURES
    assert choose_exit_status(build_summary(measure(), cancel_all()), None) == ExitStatus.OK


def test_interruption_comes_before_the_gate() -> None:
    summary = replace(build_summary(measure("p95(latency_s)<0.4")), interrupted=True)
    assert choose_exit_status(summary, find_violations(summary)) == ExitStatus.INTERRUPTED


def test_loads_tried_by_a_search_may_miss_the_slos() -> None:
    tried = measure("p95(latency_s)<0.4", "poisson:8")
    search = SearchResult("search:rate,low=1,high=8", best=4.0, beyond=8.0)
    assert find_violations(build_summary(tried, loads=("search:rate,low=1,high=8",), searches=(search,))) == []
    requested = build_summary(tried, loads=("search:rate,low=1,high=8", "poisson:8"), searches=(search,))
    assert find_violations(requested) == ["poisson:8: p95(latency_s)<0.4 was not met."]


def test_search_that_finds_no_load_does_not_pass() -> None:
    search = SearchResult("search:rate", best=None, beyond=1.0)
    summary = build_summary(measure(), loads=("search:rate",), searches=(search,))
    assert find_violations(summary) == ["search:rate: no load met the SLOs."]


def build_row(a: float, b: float, *, p: float | None = 0.01, higher_is_better: bool = False) -> ComparedRow:
    return ComparedRow(
        name="ttft_s p50",
        unit="s",
        higher_is_better=higher_is_better,
        a=a,
        b=b,
        a_interval=None,
        b_interval=None,
        ratio=b / a,
        p=p,
    )


@pytest.mark.parametrize(
    ("row", "worse"),
    [
        (build_row(0.1, 0.2), True),
        (build_row(0.2, 0.1), False),
        (build_row(0.1, 0.2, p=0.2), False),
        (build_row(0.1, 0.2, p=None), False),
        (build_row(0.2, 0.1, higher_is_better=True), True),
    ],
)
def test_only_numbers_that_are_significantly_worse_are_regressions(row: ComparedRow, worse: bool) -> None:
    points = (ComparedPoint("closed:4", (True, True), (row,)),)
    comparison = PerfComparison(a=SIDE, b=SIDE, differs=(), points=points, only_a=(), only_b=("closed:8",))
    expected = [f"closed:4: ttft_s p50 is worse in B ({row.a:g} → {row.b:g} s)."] if worse else []
    assert find_regressions(comparison) == expected


def test_missing_and_invalid_loads_of_the_candidate_do_not_pass() -> None:
    points = (ComparedPoint("closed:4", (True, False), ()),)
    comparison = PerfComparison(a=SIDE, b=SIDE, differs=(), points=points, only_a=("closed:8",), only_b=())
    assert find_regressions(comparison) == ["closed:4 is not valid in B.", "Not measured in B: closed:8."]
