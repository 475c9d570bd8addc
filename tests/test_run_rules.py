"""Rules for whole test runs: time limits, skips in CI, reruns, and the order of collecting."""

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support import paths
from tests.support.run_rules import ALLOWED_SKIPS, RunRules, load_allowed_skips, one_collects_first

pytestmark = pytest.mark.slow

SKIPS = """
import pytest

def test_listed():
    pytest.skip("chromium is not installed")

def test_not_listed():
    pytest.skip("no time today")

@pytest.mark.xfail(reason="known")
def test_expected_failure():
    assert False
"""


def run_tests(folder: Path, source: str, *options: str, ci: str = "") -> subprocess.CompletedProcess[str]:
    file = folder / "tests" / "browser" / "test_it.py"
    file.parent.mkdir(parents=True)
    file.write_text(source, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow: slow\ntimeout = 1\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "tests.support.run_rules", *options, str(file)]
    environment = {**os.environ, "CI": ci, "PYTHONPATH": str(paths.ROOT)}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=100)


def test_skips_are_allowed_outside_ci(tmp_path: Path) -> None:
    process = run_tests(tmp_path, SKIPS)
    assert "2 skipped, 1 xfailed" in process.stdout
    assert process.returncode == 0


@pytest.mark.parametrize("options", [(), ("--numprocesses", "1")])
def test_a_skip_that_is_not_listed_fails_in_ci(tmp_path: Path, options: tuple[str, ...]) -> None:
    process = run_tests(tmp_path, SKIPS, *options, ci="true")
    assert "1 failed, 1 skipped, 1 xfailed" in process.stdout
    assert "no time today\nA skipped test fails in CI unless allowed_skips.toml lists it." in process.stdout


def test_a_skipped_file_that_is_not_listed_fails_in_ci(tmp_path: Path) -> None:
    source = "from tests.support import extras\nextras.is_installed = lambda _: False\nextras.require_extra('ui')\n"
    process = run_tests(tmp_path, source, ci="true")
    assert "needs the extra 'ui': pip install -e '.[ui]'" in process.stdout
    assert process.returncode != 0


def test_every_allowed_skip_has_a_reason() -> None:
    skips = load_allowed_skips(ALLOWED_SKIPS)
    assert all(skip.tests and skip.message and skip.reason for skip in skips)


def test_a_test_that_hangs_is_stopped_and_a_slow_one_has_more_time(tmp_path: Path) -> None:
    source = """
import time, pytest

def test_hanging():
    time.sleep(60)

@pytest.mark.slow
def test_slow():
    time.sleep(1.5)
"""
    process = run_tests(tmp_path, source)
    assert "Timeout (>1.0s)" in process.stdout
    assert "1 failed, 1 passed" in process.stdout


def test_the_time_limit_of_the_command_line_wins(tmp_path: Path) -> None:
    source = "import time, pytest\n\n@pytest.mark.slow\ndef test_slow():\n    time.sleep(60)\n"
    assert "Timeout (>2.0s)" in run_tests(tmp_path, source, "--timeout", "2").stdout


def test_a_test_that_calls_the_command_line_is_thorough(tmp_path: Path) -> None:
    source = """
import pytest

@pytest.fixture
def auricle():
    pass

def test_command(auricle):
    pass

def test_function():
    pass
"""
    process = run_tests(tmp_path, source, "-m", "not thorough")
    assert "1 passed, 1 deselected" in process.stdout


def test_reruns_are_counted_and_named(tmp_path: Path) -> None:
    source = """
import pytest
attempts = []

@pytest.mark.flaky(reruns=3)
def test_flaky():
    attempts.append(1)
    assert len(attempts) > 2
"""
    process = run_tests(tmp_path, source)
    assert "Reruns of flaky tests: 2\n  tests/browser/test_it.py::test_flaky: 2" in process.stdout
    assert "1 passed, 2 rerun" in process.stdout


@pytest.mark.parametrize(("ci", "count"), [("true", 1), ("", 0)])
def test_ci_prints_the_count_even_without_reruns(tmp_path: Path, ci: str, count: int) -> None:
    process = run_tests(tmp_path, "def test_fine():\n    pass\n", ci=ci)
    assert process.stdout.count("Reruns of flaky tests: 0") == count


def test_one_process_collects_before_the_others(tmp_path: Path) -> None:
    order: list[str] = []

    def collect_second() -> None:
        with one_collects_first(tmp_path):
            order.append("second")

    with one_collects_first(tmp_path):
        thread = threading.Thread(target=collect_second)
        thread.start()
        thread.join(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_the_others_collect_at_the_same_time(tmp_path: Path) -> None:
    with one_collects_first(tmp_path):
        pass
    with one_collects_first(tmp_path), one_collects_first(tmp_path):
        pass  # would wait forever for itself


def test_what_was_collected_is_not_searched_for_garbage() -> None:
    gc.unfreeze()  # code under test may have done so before
    RunRules(ALLOWED_SKIPS, in_ci=False).pytest_collection_finish()
    assert gc.get_freeze_count() > 1000
