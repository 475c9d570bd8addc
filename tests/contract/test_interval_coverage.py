"""A reduced version of bench/coverage.py: intervals contain the true number, and tests rarely reject equal models."""

import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.support import paths

REPETITIONS = 400
"""With the fixed seed the figures never change. By chance alone, 95 % would be below 92 % in 1 of 300 seeds."""
CELLS = [(10, 0), (20, 0), (6, 8)]
"""Numbers of samples without clusters, and of clusters of eight samples."""
CEILING_CELLS = [(10, 0), (20, 0), (100, 0), (5, 8)]


@pytest.fixture(scope="module")
def coverage() -> Iterator[ModuleType]:
    sys.path.insert(0, str(paths.ROOT / "bench"))
    spec = importlib.util.spec_from_file_location("interval_coverage", paths.ROOT / "bench" / "coverage.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(paths.ROOT / "bench"))


@pytest.mark.parametrize("units", CELLS)
@pytest.mark.parametrize(
    "name", ["WER 10 %", "WER 2 %", "accuracy 97 %", "rating 1-5", "judge score 0-1", "UAR", "SRCC", "RMSE"]
)
def test_intervals_contain_the_true_number(coverage: ModuleType, name: str, units: tuple[int, int]) -> None:
    family = next(family for family in coverage.FAMILIES if family.name == name)
    assert coverage.measure_coverage(family, *units, REPETITIONS) >= 0.92


@pytest.mark.parametrize("units", CEILING_CELLS)
@pytest.mark.parametrize("name", ["1-5, 5 in 95 %, else 3", "1-5, 5 in 99 %, else 3", "0-100, 100 in 90 %, else any"])
def test_intervals_of_ratings_near_a_limit_contain_the_true_number(
    coverage: ModuleType, name: str, units: tuple[int, int]
) -> None:
    family = next(family for family in coverage.CEILINGS if family.name == name)
    assert coverage.measure_coverage(family, *units, REPETITIONS) >= 0.92


@pytest.mark.parametrize("is_paired", [True, False])
def test_intervals_of_differences_near_a_limit_contain_the_true_one(coverage: ModuleType, is_paired: bool) -> None:
    assert coverage.measure_difference(coverage.CEILINGS[:2], 20, REPETITIONS // 2, is_paired=is_paired) >= 0.92


@pytest.mark.parametrize("units", CELLS)
@pytest.mark.parametrize("measure", ["measure_paired_rejection", "measure_unpaired_rejection"])
@pytest.mark.parametrize("name", ["WER 10 %", "accuracy 80 %", "UAR"])
def test_equal_models_rarely_differ(coverage: ModuleType, name: str, measure: str, units: tuple[int, int]) -> None:
    family = next(family for family in coverage.FAMILIES if family.name == name)
    assert getattr(coverage, measure)(family, *units, REPETITIONS // 2) <= 0.09


def test_a_combined_number_is_covered_and_rarely_differs(coverage: ModuleType) -> None:
    covered, rejected = coverage.measure_suite(coverage.SUITES["suite of WER and accuracy"], 10, 0, REPETITIONS // 2)
    assert covered >= 0.92
    assert rejected <= 0.09
