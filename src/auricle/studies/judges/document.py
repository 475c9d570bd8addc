"""`judge_check.json`: what was measured about the judges of a run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from auricle.core.check_result import CheckResult
from auricle.runs.documents import read_document, write_document

CHECK_FILE = "judge_check.json"


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
