from auricle.perf.load_patterns import ClosedLoop, FixedRate, Load, SweepPlan
from auricle.perf.sweep import Sweep


def test_sweep_runs_one_user_then_many_then_rates_between_their_throughputs() -> None:
    sweep = Sweep(SweepPlan(4, max_users=32))
    loads: list[Load] = []
    throughputs = {"closed:1": 2.0, "closed:32": 12.0}
    while (load := sweep.next_point()) is not None:
        loads.append(load)
        sweep.record_result(load, throughputs.get(str(load), 1.0))
    assert loads[:2] == [ClosedLoop(1), ClosedLoop(32)]
    assert loads[2:] == [FixedRate("poisson", rate) for rate in (4.0, 6.0, 8.0, 10.0)]


def test_sweep_starts_at_half_the_maximum_if_one_user_saturates_the_server() -> None:
    sweep = Sweep(SweepPlan(3))
    sweep.record_result(ClosedLoop(1), 10.0)
    sweep.record_result(ClosedLoop(128), 10.0)
    assert sweep.next_point() == FixedRate("poisson", 6.25)


def test_sweep_ends_if_no_request_succeeds() -> None:
    sweep = Sweep(SweepPlan(3))
    sweep.record_result(ClosedLoop(1), None)
    sweep.record_result(ClosedLoop(128), None)
    assert sweep.next_point() is None
