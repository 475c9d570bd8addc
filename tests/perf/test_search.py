from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from typing import cast

import pytest

from auricle.perf.load_patterns import ClosedLoop, FixedRate, Load, LoadPattern, LoadPoint
from auricle.perf.load_syntax import parse_loads
from auricle.perf.report.tables import format_search
from auricle.perf.search import Search, SearchPlan, Sweep
from auricle.perf.slo import Slo, parse_slos
from auricle.perf.summary import summarise
from auricle.runs.perf_files import LoadPointSummary, RunMeasure, SearchResult, TriedValue, Validity
from tests.support.simulated_servers import even_requests, simulate_closed_loop, simulate_queue


def search_for(search: Search, limit: float) -> SearchResult:
    """Run a search on a server that meets its SLOs up to a limit."""
    while (value := search.next_point()) is not None:
        search.record_result(value, value <= limit)
    return search.result()


@pytest.mark.parametrize("limit", [1.0, 3.7, 20.0, 77.7, 127.0])
def test_search_brackets_the_limit_within_the_tolerance(limit: float) -> None:
    result = search_for(Search(1, 128), limit)
    assert result.best is not None
    assert result.beyond is not None
    assert result.best <= limit < result.beyond
    assert result.beyond - result.best <= 0.05 * result.best
    assert len(result.tried) <= 14


@pytest.mark.parametrize("limit", [1, 2, 3, 13, 100])
def test_integer_search_tries_whole_numbers_only(limit: int) -> None:
    result = search_for(Search(1, 128, integer_only=True), limit)
    assert result.best is not None
    assert result.beyond is not None
    assert result.best <= limit < result.beyond
    assert result.beyond - result.best <= max(1, 0.05 * result.best)
    assert all(tried.value == int(tried.value) for tried in result.tried)


def test_search_has_no_best_value_if_the_lowest_fails() -> None:
    result = search_for(Search(4, 128), 2)
    assert (result.best, result.beyond) == (None, 4)
    assert [tried.value for tried in result.tried] == [4]


def test_search_has_no_failing_value_if_the_highest_passes() -> None:
    result = search_for(Search(1, 100), 1e9)
    assert (result.best, result.beyond) == (100, None)
    assert [tried.value for tried in result.tried] == [1, 2, 4, 8, 16, 32, 64, 100]


def test_inconclusive_value_is_repeated_and_then_counts_as_failed() -> None:
    search = Search(8, 12)
    search.record_result(8, True)
    for _ in range(3):
        assert search.next_point() == 12
        search.record_result(12, None)
    assert search.next_point() == 10
    assert search.result().beyond == 12
    assert search.result().tried == (TriedValue(8, (True,)), TriedValue(12, (None, None, None)))


def test_inconclusive_lowest_value_is_skipped() -> None:
    search = Search(1, 128)
    for value in (1, 1, 1, 2, 2, 2):
        assert search.next_point() == value
        search.record_result(value, None)
    result = search_for(search, 20)
    assert result.best is not None
    assert result.beyond is not None
    assert result.best <= 20 < result.beyond


def test_search_without_conclusive_runs_ends_at_the_highest_value() -> None:
    search = Search(1, 3)
    for value in (1, 1, 1, 2, 2, 2, 3, 3, 3):
        assert search.next_point() == value
        search.record_result(value, None)
    assert search.next_point() is None
    assert (search.result().best, search.result().beyond) == (None, 3)


def test_majority_of_repeats_decides() -> None:
    search = Search(8, 8, repeat=3)
    for met in (True, False, True):
        assert search.next_point() == 8
        search.record_result(8, met)
    assert search.next_point() is None
    assert search.result().best == 8


def test_two_agreeing_repeats_of_three_suffice() -> None:
    search = Search(8, 8, repeat=3)
    search.record_result(8, True)
    search.record_result(8, True)
    assert search.next_point() is None


def test_result_has_the_name_of_the_search() -> None:
    search = Search(1, 1)
    search.record_result(1, True)
    assert search.result("search:rate") == SearchResult("search:rate", 1, None, (TriedValue(1, (True,)),))


def run_plan(plan: LoadPattern, slos: tuple[Slo, ...], measure: Callable[[Load], LoadPointSummary]) -> SearchResult:
    """Run the points of a search on a simulated server, and return its result."""
    points = plan.points(slos)
    try:
        point = next(points)
        while True:
            point = points.send(replace(measure(point.load), validity=Validity(True)))
    except StopIteration as end:
        return cast(SearchResult, end.value)


@pytest.mark.slow
def test_search_finds_the_capacity_of_a_queue() -> None:
    slos = parse_slos("p95(latency_s)<0.8")

    def measure(load: Load) -> LoadPointSummary:
        assert isinstance(load, FixedRate)
        return summarise(simulate_queue(load.due_times(duration=120, seed=1), 8, 0.4), load, slos=slos)

    result = run_plan(parse_loads("search:rate,low=1,high=64")[0], slos, measure)
    # 8 slots of 0.4 s serve 20 requests per second; waits are short until shortly below that.
    assert result.best
    assert 16.5 < result.best < 20
    assert result.search == "search:rate,low=1,high=64"


def test_search_finds_the_number_of_users() -> None:
    slos = parse_slos("mean(latency_s)<=0.805")

    def measure(load: Load) -> LoadPointSummary:
        assert load.users
        latencies = repeat(0.4 * max(1.0, load.users / 8))
        return summarise(simulate_closed_loop(load.users, 20 * load.users, latencies.__next__), load, slos=slos)

    assert run_plan(SearchPlan("closed", 1, 100), slos, measure).best == 16


def test_interrupted_search_returns_what_it_found() -> None:
    points = SearchPlan("closed", 1, 100).points(parse_slos("p50(latency_s)<1"))
    assert next(points) == LoadPoint(ClosedLoop(1))
    with pytest.raises(StopIteration) as end:
        points.send(None)
    assert end.value.value == SearchResult("search:closed,low=1,high=100", None, None)


def test_search_measures_a_point_with_too_few_requests_for_longer_with_another_seed() -> None:
    slos = parse_slos("p99(latency_s)<2")  # needs 100 requests
    points = SearchPlan("rate", 4, 4).points(slos)
    load = FixedRate("poisson", 4)
    assert next(points) == LoadPoint(load)
    short, long = (replace(summarise(even_requests(n), load), validity=Validity(True)) for n in (50, 200))
    assert points.send(short) == LoadPoint(load, seed_offset=1, length_factor=2)
    with pytest.raises(StopIteration) as end:
        points.send(long)
    assert end.value.value.best == 4


def test_search_repeats_an_invalid_point_with_another_seed() -> None:
    points = SearchPlan("rate", 4, 4).points(parse_slos("p50(latency_s)<2"))
    load = FixedRate("poisson", 4)
    assert next(points) == LoadPoint(load)
    invalid = replace(summarise(even_requests(), load), validity=Validity(False, ("The sender was late.",)))
    assert points.send(invalid) == LoadPoint(load, seed_offset=1)


def test_search_ends_if_no_response_has_the_measure_of_an_slo() -> None:
    points = SearchPlan("rate", 1, 4).points(parse_slos("p50(gen_rtf)<1"))
    next(points)
    with pytest.raises(StopIteration) as end:
        points.send(summarise(even_requests(), "poisson:1"))
    result = end.value.value
    assert result.tried == (TriedValue(1.0, (None,)),)
    assert format_search(result) == "search:rate,low=1,high=4: no load could be judged."


def run_sweep(sweep: Sweep, throughputs: Mapping[str, float | None], interrupt_after: int | None = None) -> list[Load]:
    """Return the loads that a sweep measures on a server with these throughputs."""
    points, loads = sweep.points(()), []
    with suppress(StopIteration):
        loads.append(next(points).load)
        while True:
            throughput = RunMeasure(throughputs.get(str(loads[-1]), 1.0))
            summary = replace(summarise(even_requests(), loads[-1]), run={"req_s": throughput})
            loads.append(points.send(None if len(loads) == interrupt_after else summary).load)
    return loads


def test_sweep_runs_one_user_then_many_then_rates_between_their_throughputs() -> None:
    loads = run_sweep(Sweep(4, max_users=32), {"closed:1": 2.0, "closed:32": 12.0})
    assert loads[:2] == [ClosedLoop(1), ClosedLoop(32)]
    assert loads[2:] == [FixedRate("poisson", rate) for rate in (4.0, 6.0, 8.0, 10.0)]


def test_sweep_starts_at_half_the_maximum_if_one_user_saturates_the_server() -> None:
    assert run_sweep(Sweep(3), {"closed:1": 10.0, "closed:128": 10.0})[2] == FixedRate("poisson", 6.25)


def test_sweep_ends_if_no_request_succeeds() -> None:
    assert run_sweep(Sweep(3), {"closed:1": None, "closed:128": None}) == [ClosedLoop(1), ClosedLoop(128)]


def test_sweep_ends_with_an_interrupt() -> None:
    throughputs = {"closed:1": 1.0, "closed:128": 9.0}
    assert len(run_sweep(Sweep(3), throughputs, interrupt_after=1)) == 1
    assert len(run_sweep(Sweep(3), throughputs, interrupt_after=3)) == 3
