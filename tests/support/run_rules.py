"""Rules for whole test runs: time limits, no unexpected skips in CI, counted reruns, and what saves time."""

from __future__ import annotations

import fnmatch
import gc
import os
import tomllib
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auricle.core.file_lock import wait_for_lock

ALLOWED_SKIPS = Path(__file__).resolve().parents[1] / "allowed_skips.toml"
SLOW_TIMEOUT_SECONDS = 600
"""Limit of a test marked `slow`; that of others is in `pyproject.toml`."""
STARTS_COMMANDS = frozenset({"auricle", "begin", "warm"})
"""Fixtures that call the command line; a test that uses one is `thorough`."""


@dataclass(frozen=True)
class AllowedSkip:
    """Skips that may happen in CI: which tests, for which message, and why that is acceptable."""

    tests: str
    message: str
    reason: str

    def covers(self, nodeid: str, message: str) -> bool:
        return fnmatch.fnmatchcase(nodeid, self.tests) and self.message in message


def load_allowed_skips(path: Path) -> list[AllowedSkip]:
    return [AllowedSkip(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["skip"]]


@contextmanager
def one_collects_first(folder: Path) -> Iterator[None]:
    """Let one of several processes collect alone, and then the others, which read what it has compiled.

    Args:
        folder: Folder that the processes share.
    """
    collected = folder / "collected"
    with (folder / "collecting.lock").open("w") as lock:
        wait_for_lock(lock)  # released when a process ends, however it ends
        if not collected.exists():
            yield
            collected.touch()
            return
    yield


class RunRules:
    """Plugin that applies the rules."""

    def __init__(self, allowed_skips: Path, in_ci: bool) -> None:
        self._allowed, self._in_ci = load_allowed_skips(allowed_skips), in_ci

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        for item in items:
            if STARTS_COMMANDS & {*getattr(item, "fixturenames", ())}:
                item.add_marker(pytest.mark.thorough)
        if config.getoption("timeout", None) is not None:
            return  # chosen on the command line
        for item in items:
            if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT_SECONDS))

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, object, object]:
        is_worker = hasattr(session.config, "workerinput")
        if not (is_worker and self._in_ci):  # elsewhere, everything is compiled after the first run
            return (yield)
        with one_collects_first(Path(session.config.option.basetemp).parent):
            return (yield)

    def pytest_collection_finish(self) -> None:
        """Exclude what exists from garbage collection: it is needed to the end, and searching it takes a second."""
        gc.collect()
        gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if not hasattr(report, "wasxfail"):
            self._refuse_unexpected_skip(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        self._refuse_unexpected_skip(report)
        return report

    def _refuse_unexpected_skip(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not (self._in_ci and report.outcome == "skipped"):
            return
        message = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not any(skip.covers(report.nodeid, message) for skip in self._allowed):
            report.outcome = "failed"
            report.longrepr = f"{message}\nA skipped test fails in CI unless {ALLOWED_SKIPS.name} lists it."

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        counts = Counter(report.nodeid for report in terminalreporter.stats.get("rerun", ()))
        if not (counts or self._in_ci):
            return
        terminalreporter.write_line(f"Reruns of flaky tests: {counts.total()}")
        for nodeid, count in counts.most_common():
            terminalreporter.write_line(f"  {nodeid}: {count}")


def pytest_configure(config: pytest.Config) -> None:
    in_ci = os.environ.get("CI", "").lower() in ("true", "1")
    config.pluginmanager.register(RunRules(ALLOWED_SKIPS, in_ci), "run-rules")
