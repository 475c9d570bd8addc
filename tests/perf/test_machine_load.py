import pytest

from auricle.perf.machine_load import MachineLoad, compare_cpu_times

BEFORE = "cpu 100 0 50 800 50 0 0 0 0 0\ncpu0 0 0 0 0\ncpu1 0 0 0 0\nintr 5\n"


def test_busy_cores_are_the_share_of_time_that_was_not_idle() -> None:
    after = BEFORE.replace("cpu 100 0 50 800 50", "cpu 140 0 60 920 80")  # 50 of 200 ticks on two cores
    assert compare_cpu_times(BEFORE, after) == MachineLoad(0.5, 2)


def test_load_is_unknown_if_no_time_has_passed() -> None:
    assert compare_cpu_times(BEFORE, BEFORE) is None


@pytest.mark.parametrize(
    ("busy_cores", "cores", "is_busy"), [(0.2, 2, False), (0.3, 2, True), (5.0, 8, False), (0.3, 1, True)]
)
def test_machine_is_busy_if_two_cores_are_not_left(busy_cores: float, cores: int, is_busy: bool) -> None:
    assert MachineLoad(busy_cores, cores).is_busy == is_busy
