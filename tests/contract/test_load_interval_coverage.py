"""A reduced version of bench/coverage_load.py: intervals of load tests contain the true number or are refused."""

import importlib
from types import ModuleType

import pytest

from tests.support import paths

REPETITIONS = 250
"""With the fixed seeds the figures never change; their standard error is .014."""
SERVERS = {"50 % load": 0.5, "16 users": 16}


@pytest.fixture(scope="module")
def coverage() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(paths.ROOT / "bench"))
        return importlib.import_module("coverage_load")


@pytest.mark.slow
@pytest.mark.parametrize("load", SERVERS.values(), ids=SERVERS)
def test_intervals_contain_the_true_number(coverage: ModuleType, load: float) -> None:
    counts = coverage.count_covered(coverage.Server(load, scv=0.25), 300, REPETITIONS)
    for name in ("mean", "p50", "p95", "throughput"):
        assert counts[name].hits / counts[name].results >= 0.92, name
        assert counts[name].results >= 0.6 * REPETITIONS, name


@pytest.mark.slow
@pytest.mark.parametrize("load", [0.8, 0.9])
def test_a_queue_that_changes_too_slowly_is_refused(coverage: ModuleType, load: float) -> None:
    counts = coverage.count_covered(coverage.Server(load, scv=0.25), 300, REPETITIONS)
    for name in coverage.STATISTICS:
        assert counts[name].results <= 0.15 * REPETITIONS, name
    assert counts["throughput"].hits >= 0.92 * REPETITIONS


@pytest.mark.slow
@pytest.mark.parametrize("load", [0.5, 0.9])
def test_equal_servers_rarely_differ(coverage: ModuleType, load: float) -> None:
    server = coverage.Server(load, scv=0.25)
    counts = coverage.count_differences(server, server, 300, REPETITIONS // 2)
    assert counts["gate"].hits <= 0.05 * counts["gate"].results
