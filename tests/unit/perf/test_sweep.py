from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from auricle.perf.load_patterns import ClosedLoop, FixedRate, Load
from auricle.perf.summary import summarise
from auricle.perf.sweep import Sweep
from auricle.runs.perf_files import RunMeasure
from tests.support.simulated_servers import even_requests


def run_sweep(sweep: Sweep, throughputs: Mapping[str, float | None], interrupt_after: int | None = None) -> list[Load]:
    """Return the loads that a sweep measures on a server with these throughputs."""
    points, loads = sweep.points(()), []
    with suppress(StopIteration):
        loads.append(next(points))
        while True:
            throughput = RunMeasure(throughputs.get(str(loads[-1]), 1.0))
            summary = replace(summarise(even_requests(), loads[-1]), run={"req_s": throughput})
            loads.append(points.send(None if len(loads) == interrupt_after else summary))
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
