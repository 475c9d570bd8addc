"""Measure how often intervals of load tests contain the true number, and how often equal servers are found to differ.

A queue is simulated: eight servers, first come first served, empty at the start, without warm-up. Service times are
exponential (SCV 1) or log-normal (SCV 0.25), one second on average. An open load has Poisson arrivals at a share of the
capacity, a closed one users who send again at once. The true number is that of a server that has been under the load
for long: what a team that will run it under that load needs, and more than the mean of tests that begin with
an empty queue.

    python bench/coverage_load.py [-r REPETITIONS]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from coverage_table import CoverageTable

from auricle.metrics.intervals import adjust_holm
from auricle.perf.compare import compare_numbers
from auricle.perf.intervals import IntervalEstimator
from auricle.perf.load_patterns import ClosedLoop, FixedRate, Load
from auricle.perf.percentiles import describe_values
from auricle.perf.request_records import RequestColumns
from auricle.perf.windows import accumulate_at, choose_window
from auricle.runs.perf_files import RunMeasure

SERVERS = 8
REQUEST_COUNTS = (100, 300, 1000)
STATISTICS = ("mean", "p50", "p95", "p99")
NUMBERS = (*STATISTICS, "throughput")
OPEN_LOADS, CLOSED_LOADS = (0.5, 0.7, 0.8, 0.9), (8, 16)
GATED = ("throughput", "p50", "p95", "p50", "p95")
"""The numbers that the gate tests if answers are not streamed: latency from sent and from due are the same here."""
MIN_RESULTS = 0.2
"""Share of tests with a result below which no share of hits is shown."""
QUEUE = "Eight servers, empty at the start; Poisson arrivals at a share of the capacity, or users without think time."


@dataclass(frozen=True)
class Server:
    """A simulated server under a load."""

    load: float | int
    """Share of the capacity that arrives, or the number of users."""
    scv: float = 1.0
    """Squared coefficient of variation of the service time."""
    slowness: float = 1.0

    def __str__(self) -> str:
        return f"{self.load:.0%}" if isinstance(self.load, float) else f"{self.load} users"

    @property
    def pattern(self) -> Load:
        return FixedRate("poisson", self.load * SERVERS) if isinstance(self.load, float) else ClosedLoop(self.load)

    def simulate(self, rng: np.random.Generator, runs: int, count: int) -> tuple[Any, Any]:
        """Return start and end of `count` requests, one row per run; all runs advance together."""
        variance = np.log1p(self.scv)
        service = (
            rng.exponential(1, (runs, count))
            if self.scv == 1
            else rng.lognormal(-variance / 2, np.sqrt(variance), (runs, count))
        )
        service *= self.slowness
        is_open, all_runs = isinstance(self.load, float), np.arange(runs)
        arrivals = np.cumsum(rng.exponential(1 / (self.load * SERVERS), (runs, count)), axis=1)
        users, free = np.zeros((runs, 1 if is_open else int(self.load))), np.zeros((runs, SERVERS))
        starts, ends = np.empty((runs, count)), np.empty((runs, count))
        for index in range(count):
            user, server = users.argmin(axis=1), free.argmin(axis=1)
            starts[:, index] = arrivals[:, index] if is_open else users[all_runs, user]
            ends[:, index] = np.maximum(starts[:, index], free[all_runs, server]) + service[:, index]
            free[all_runs, server] = users[all_runs, user] = ends[:, index]
        return starts, ends

    @cache  # noqa: B019 - a few servers, which live as long as the program
    def true_numbers(self) -> dict[str, float]:
        starts, ends = self.simulate(np.random.default_rng(1), 300, 8000)
        latency = (ends - starts)[:, 4000:]
        rate = np.mean(4000 / (starts[:, -1] - starts[:, 4000]))
        quantiles = np.quantile(latency, [0.5, 0.95, 0.99])
        return dict(zip(NUMBERS, (latency.mean(), *quantiles, rate), strict=True))

    def measure(self, rng: np.random.Generator, runs: int, count: int) -> Iterator[dict[str, RunMeasure]]:
        """Yield what load tests report: mean and percentiles of the latency, and throughput."""
        starts, ends = self.simulate(rng, runs, count)
        blank = RequestColumns.from_records([{"index": index} for index in range(count)])
        nothing, users = np.full(count, np.nan), np.arange(count) % (self.pattern.users or 1)
        for start, end in zip(starts, ends, strict=True):
            due, user = (start, nothing) if self.pattern.has_schedule else (nothing, users)
            times = {"due": due, "user": user, "sent": start, "done": end}
            yield summarise_requests(replace(blank, numeric={**blank.numeric, **times}), self.pattern)


def summarise_requests(columns: RequestColumns, load: Load) -> dict[str, RunMeasure]:
    """Compute the numbers of a load test as `auricle perf` does, but only those that are simulated."""
    latency = columns["done"] - columns["sent"]
    window = choose_window(columns, latency, load)
    rows = window.select_requests(columns)
    estimator = IntervalEstimator(columns, window, load)
    statistics = estimator.add_intervals(describe_values(latency[rows]), latency[rows])
    amount = accumulate_at(columns["done"], np.ones(len(columns)))
    first, last = amount(np.array([window.start, window.end])).tolist()
    throughput = estimator.estimate_rate((last - first) / window.length, amount)
    numbers = {
        name: RunMeasure(statistics[name], statistics.intervals.get(name), statistics.errors.get(name))
        for name in STATISTICS
    }
    return numbers | {"throughput": throughput}


@dataclass
class Count:
    """How many tests have a result, and in how many it is a hit."""

    results: int = 0
    hits: int = 0

    def add(self, is_hit: bool) -> None:
        self.results += 1
        self.hits += is_hit

    def share(self, tests: int) -> float | str:
        """Return the share of hits; a word if hardly any test has a result."""
        return self.hits / self.results if self.results >= MIN_RESULTS * tests else "refused"


def count_covered(server: Server, count: int, repetitions: int) -> dict[str, Count]:
    """Count the intervals of each number, and those that contain the true one."""
    counts, truth = {name: Count() for name in NUMBERS}, server.true_numbers()
    for numbers in server.measure(np.random.default_rng(count), repetitions, count):
        for name, number in numbers.items():
            if number.interval:
                counts[name].add(number.interval[0] <= truth[name] <= number.interval[1])
    return counts


def count_differences(a: Server, b: Server, count: int, repetitions: int) -> dict[str, Count]:
    """Count the pairs of tests that can be compared and those with p < 0.05; `gate` is that B does not pass."""
    counts = {name: Count() for name in (*NUMBERS, "gate")}
    rng = np.random.default_rng(count)
    tests = zip(a.measure(rng, repetitions, count), b.measure(rng, repetitions, count), strict=True)
    for numbers_a, numbers_b in tests:
        p_values = {name: compare_numbers(numbers_a[name], numbers_b[name]).p for name in NUMBERS}
        for name, p in p_values.items():
            if p is not None:
                counts[name].add(p < 0.05)
        gated = [name for name in GATED if p_values[name] is not None]
        worse = [(numbers_b[name].value < numbers_a[name].value) == (name == "throughput") for name in gated]
        adjusted = adjust_holm([p_values[name] for name in gated])
        counts["gate"].add(any(p < 0.05 and is_worse for p, is_worse in zip(adjusted, worse, strict=True)))
    return counts


def name_cell(server: Server, count: int) -> str:
    return f"{server}, {count:,} requests"


def tables(repetitions: int) -> Iterator[CoverageTable]:
    """Simulate all tables: coverage, tests without an interval, rejections of equal servers, and power."""
    head = "load"
    for scv, kind, servers in (
        (1.0, "exponential service times", [*OPEN_LOADS, *CLOSED_LOADS]),
        (0.25, "log-normal service times", OPEN_LOADS),
    ):
        counted = [
            (name_cell(server, count), count_covered(server, count, repetitions))
            for server in (Server(load, scv) for load in servers)
            for count in REQUEST_COUNTS
        ]
        note = f"{QUEUE} {kind.capitalize()}."
        yield CoverageTable(
            f"Load tests: coverage of 95 % intervals, {kind}",
            NUMBERS,
            [(cell, [counts[name].share(repetitions) for name in NUMBERS]) for cell, counts in counted],
            head,
            f'{note} "refused": fewer than {MIN_RESULTS:.0%} of the tests give an interval.',
        )
        yield CoverageTable(
            f"Load tests: tests without an interval, {kind}",
            NUMBERS,
            [(cell, [1 - counts[name].results / repetitions for name in NUMBERS]) for cell, counts in counted],
            head,
        )
        yield CoverageTable(
            f"Load tests: tests that print an interval without the true number, {kind}",
            NUMBERS,
            [
                (cell, [(counts[name].results - counts[name].hits) / repetitions for name in NUMBERS])
                for cell, counts in counted
            ],
            head,
        )
    for slowness, title in ((1.0, "equal servers"), (1.1, "B is 10 % slower"), (1.2, "B is 20 % slower")):
        compared = [
            (
                name_cell(server, count),
                count_differences(server, replace(server, slowness=slowness), count, repetitions),
            )
            for server in (Server(load, 0.25) for load in (*OPEN_LOADS, *CLOSED_LOADS))
            for count in REQUEST_COUNTS
        ]
        columns = (*NUMBERS, "gate")
        yield CoverageTable(
            f"Load tests: comparisons with p < 0.05, {title}",
            columns,
            [(cell, [counts[name].share(repetitions) for name in columns]) for cell, counts in compared],
            head,
            "Log-normal service times, different arrivals. The gate fails if B is worse in throughput, p50 or p95 after"
            " Holm's adjustment.",
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-r", "--repetitions", type=int, default=600, help="simulated load tests per figure")
    for table in tables(parser.parse_args().repetitions):
        print(f"\n{table.to_markdown()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
