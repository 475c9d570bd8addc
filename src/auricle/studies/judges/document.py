"""`judge_check.json`: what was measured about the judges of a run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from auricle.runs.documents import read_document, write_document
from auricle.runs.extras import Extra
from auricle.runs.metrics import Metrics

CHECK_FILE = "judge_check.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One number about a judge, or why there is none."""

    check: str
    """position, verbosity, self-preference, consistency or agreement."""
    measure: str
    judge: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    unit: str = ""
    neutral: float | None = None
    """The value of a judge without this bias; None if there is no such value."""
    note: str = ""
    """Why there is no number, or what to keep in mind."""

    @property
    def finding(self) -> str:
        """Whether the interval excludes the value of a judge without bias; empty if the check has no such value."""
        if self.neutral is None or self.low is None or self.high is None:
            return ""
        return "no bias shown" if self.low <= self.neutral <= self.high else "biased"


@dataclass(frozen=True, slots=True)
class JudgeChecks:
    """The checks of one metric, judge by judge."""

    metric: str = ""
    results: tuple[CheckResult, ...] = ()

    @classmethod
    def load(cls, run_path: Path) -> JudgeChecks:
        """Read the checks of a run; none if there are none."""
        with suppress(FileNotFoundError):
            return read_document(run_path / CHECK_FILE, cls)
        return cls()

    def save(self, run_path: Path) -> None:
        write_document(run_path / CHECK_FILE, self)


class JudgeChecksExtra(Extra):
    """What `auricle judge-check` measured about the judges of a run."""

    kind: ClassVar[Any] = tuple[CheckResult, ...]
    file = CHECK_FILE

    def make_empty(self) -> tuple[CheckResult, ...]:
        return ()

    def load(self, run_path: Path, metrics: Metrics) -> tuple[CheckResult, ...]:
        return JudgeChecks.load(run_path).results if metrics.judges else ()

    def check(self, run_path: Path) -> None:
        JudgeChecks.load(run_path)
