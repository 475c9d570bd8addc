"""A reduced version of bench/coverage_conditions.py: intervals of thresholds, medians and trials contain the truth."""

import importlib
import math
from types import ModuleType

import pytest

from tests.support import paths

REPETITIONS = 150
"""With fixed seeds the figures never change."""
FEWEST = 0.92


@pytest.fixture(scope="module")
def coverage() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(paths.ROOT / "bench"))
        return importlib.import_module("coverage_conditions")


@pytest.mark.parametrize("speakers", [5, 10])
@pytest.mark.parametrize("name", ["WER, three levels", "accuracy, just beyond the hardest level"])
def test_threshold_is_in_its_interval(coverage: ModuleType, name: str, speakers: int) -> None:
    assert coverage.THRESHOLDS[name].measure_threshold(speakers, REPETITIONS) >= FEWEST


@pytest.mark.parametrize("speakers", [5, 10])
@pytest.mark.parametrize("name", ["WER, one condition is the worst", "WER, ten equal conditions"])
def test_worst_condition_is_in_its_interval(coverage: ModuleType, name: str, speakers: int) -> None:
    assert coverage.WORST[name].measure_worst(speakers, REPETITIONS) >= FEWEST


def test_median_of_a_listening_test_is_in_its_interval(coverage: ModuleType) -> None:
    rows = dict(coverage.tabulate_mushra(REPETITIONS, panels=((10, 10), (20, 10))).rows)
    assert min(*rows["median, around 60"], *rows["median, around 92"]) >= FEWEST


@pytest.mark.parametrize("name", ["eer", "eer_interpolated"])
def test_equal_error_rate_of_few_trials_is_in_its_interval(coverage: ModuleType, name: str) -> None:
    assert coverage.measure_trials(getattr(coverage, name), 0.1587, (100, 100), 1.0, REPETITIONS) >= FEWEST


def test_detection_cost_of_few_trials_has_no_interval(coverage: ModuleType) -> None:
    assert coverage.measure_trials(coverage.min_dcf_05, math.nan, (100, 100), 1.0, 1) == coverage.WITHHELD
