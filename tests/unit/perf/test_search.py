from typing import Any

import pytest

from auricle.perf.loads import ClosedLoop, FixedRate, SearchPlan, SweepPlan, parse_loads
from auricle.perf.search import Search
from auricle.perf.slo import parse_slos as promised
from auricle.perf.summary import summarise
from auricle.perf.sweep import Sweep
from tests.support.simulated_servers import closed_loop, queueing_inside


def found(search: Any, limit: Any) -> Any:
    """Search where the truth is a limit."""
    while (value := search.next_point()) is not None:
        search.told(value, value <= limit)
    return search.result()


@pytest.mark.parametrize("limit", [1.0, 3.7, 20.0, 77.7, 127.0])
def test_a_limit_is_found_by_doubling_and_halving(limit: float) -> None:
    result = found(Search((), 1, 128), limit)
    assert result.best <= limit < result.beyond
    assert result.beyond - result.best <= 0.05 * result.best
    assert len(result.tried) <= 14


@pytest.mark.parametrize("limit", [1, 2, 3, 13, 100])
def test_users_are_counted_exactly_while_they_are_few(limit: int) -> None:
    result = found(Search((), 1, 128, integer_only=True), limit)
    assert result.best <= limit < result.beyond
    assert result.beyond - result.best <= max(1, 0.05 * result.best)
    assert all(value == int(value) for value, _ in result.tried)


def test_where_the_lowest_is_too_much_nothing_is_found() -> None:
    result = found(Search((), 4, 128), 2)
    assert (result.best, result.beyond) == (None, 4)
    assert [value for value, _ in result.tried] == [4]


def test_where_the_highest_is_met_the_limit_is_beyond() -> None:
    result = found(Search((), 1, 100), 1e9)
    assert (result.best, result.beyond) == (100, None)
    assert [value for value, _ in result.tried] == [1, 2, 4, 8, 16, 32, 64, 100]


def test_a_run_that_cannot_be_judged_is_run_again_and_then_not_met() -> None:
    search = Search((), 8, 12)
    search.record_result(8, True)
    for _ in range(3):
        assert search.next_point() == 12
        search.record_result(12, None)
    assert search.next_point() == 10
    assert search.result().beyond == 12
    assert search.result().tried == ((8, (True,)), (12, (None, None, None)))


def test_a_lowest_point_of_too_few_requests_is_left_for_a_higher_one() -> None:
    search = Search((), 1, 128)
    for value in (1, 2):
        assert search.next_point() == value
        search.record_result(value, None)
    result = found(search, 20)
    assert result.best <= 20 < result.beyond


def test_where_nothing_can_be_judged_it_ends_at_the_highest() -> None:
    search = Search((), 1, 3)
    for value in (1, 2, 3, 3, 3):
        assert search.next_point() == value
        search.record_result(value, None)
    assert search.next_point() is None
    assert (search.result().best, search.result().beyond) == (None, 3)


def test_most_of_several_runs_decide() -> None:
    search = Search((), 8, 8, repeat=3)
    for met in (True, False, True):
        assert search.next_point() == 8
        search.record_result(8, met)
    assert search.next_point() is None
    assert search.result().best == 8


def test_two_that_agree_need_no_third() -> None:
    search = Search((), 8, 8, repeat=3)
    search.record_result(8, True)
    search.record_result(8, True)
    assert search.next_point() is None


def test_the_result_is_plain_json() -> None:
    search = Search((), 1, 1)
    search.record_result(1, True)
    assert search.result().to_dict() == {"best": 1, "beyond": None, "tried": [{"value": 1, "met": [True]}]}


def test_the_capacity_of_a_server_is_found() -> None:
    slos = promised("p95(latency_s)<0.8")
    (plan,) = parse_loads("search:rate,low=1,high=64")
    search = Search.from_plan(plan, slos)
    while (rate := search.next_point()) is not None:
        load = plan.load_at(rate)
        due = load.due_times(duration=120, seed=1)
        search.record_result(rate, summarise(queueing_inside(due, 8, 0.4), load, slos=slos)["slo"]["met"])
    # 8 places of 0.4 s each serve 20 a second, and wait little until shortly before.
    assert 16.5 < search.result().best < 20


def test_the_users_a_server_can_bear_are_found() -> None:
    slos = promised("mean(latency_s)<=0.805")
    plan = SearchPlan("closed", 1, 100)
    search = Search.from_plan(plan, slos)
    while (users := search.next_point()) is not None:
        load = plan.load_at(users)
        took = 0.4 * max(1.0, load.users / 8)
        run = closed_loop(load.users, 20 * load.users, lambda took=took: took)
        search.record_result(users, summarise(run, load, slos=slos)["slo"]["met"])
    assert search.result().best == 16


def test_a_sweep_goes_from_one_user_to_all_and_then_between() -> None:
    sweep, seen = Sweep(SweepPlan(4, max_users=32)), []
    gives = {"closed:1": 2.0, "closed:32": 12.0}
    while (load := sweep.next_point()) is not None:
        seen.append(load)
        sweep.record_result(load, gives.get(str(load), 1.0))
    assert seen[:2] == [ClosedLoop(1), ClosedLoop(32)]
    assert seen[2:] == [FixedRate("poisson", rate) for rate in (4.0, 6.0, 8.0, 10.0)]


def test_a_sweep_of_a_server_that_one_user_fills_stays_below() -> None:
    sweep = Sweep(SweepPlan(3))
    sweep.record_result(ClosedLoop(1), 10.0)
    sweep.record_result(ClosedLoop(128), 10.0)
    assert sweep.next_point() == FixedRate("poisson", 6.25)


def test_a_sweep_ends_where_nothing_is_answered() -> None:
    sweep = Sweep(SweepPlan(3))
    sweep.record_result(ClosedLoop(1), None)
    sweep.record_result(ClosedLoop(128), None)
    assert sweep.next_point() is None
