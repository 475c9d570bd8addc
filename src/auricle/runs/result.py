"""What `evaluate` and `score` return."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import ExitStatus
from auricle.runs.health import DamagedLine
from auricle.runs.metrics import Metrics, Number
from auricle.runs.number_table import NumberTable
from auricle.runs.outcome_counts import OutcomeCounts


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunResult(NumberTable):
    """The result of a run: its numbers, and whether everything succeeded.

    Examples:
        >>> from auricle import Spec, evaluate
        >>> result = evaluate(Spec(task="demo", model="echo"), "runs/demo")  # doctest: +SKIP
        >>> result["wer"].value  # doctest: +SKIP
        1.0
    """

    path: Path
    """The run directory."""
    outcomes: OutcomeCounts
    """How many samples of this pass were answered and how many failed."""
    complete: bool = True
    """Whether all samples were processed; otherwise the run can be resumed."""
    metrics: Metrics | None = None
    """The numbers; None if the answers were not scored."""
    unscored: tuple[str, ...] = ()
    """Metrics of the task that have no value."""
    missing_headline: str = ""
    """The metric by which the task ranks models, if it could not be computed."""
    judge_requested: bool = False
    """Whether verdicts were requested in this pass."""
    moved_lines: tuple[DamagedLine, ...] = ()
    """Damaged lines that were moved out of the journal; their samples were sent again."""
    stop_reason: str = ""
    """Why the run was stopped before its end, unless it was interrupted."""

    def list_numbers(self) -> Iterable[Number]:
        return self.metrics.numbers if self.metrics else ()

    def list_rows(self) -> list[dict[str, Any]]:
        return [{"run": str(self.path), **row} for row in (self.metrics.list_rows() if self.metrics else ())]

    def describe(self) -> str:
        counts = f"{self.answers.answered:,} answered, {self.answers.failed:,} failed"
        state = self.stop_reason or ("" if self.complete else "interrupted: the same call continues it")
        return ": ".join(filter(None, [f"{self.path}: {counts}", state]))

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers over all samples."""
        return self.metrics.overall if self.metrics else ()

    @property
    def answers(self) -> OutcomeCounts:
        """The outcomes of all samples if they were scored, else those of this pass."""
        return self.metrics.outcomes if self.metrics else self.outcomes

    @property
    def exit_status(self) -> ExitStatus:
        """How a command that ends with this result should exit."""
        if not self.complete:
            return ExitStatus.FAILURES if self.stop_reason else ExitStatus.INTERRUPTED
        missing, failed = (self.metrics.missing_verdicts, self.metrics.failed_verdicts) if self.metrics else (0, 0)
        if missing and self.judge_requested and not self.stop_reason:
            return ExitStatus.INTERRUPTED
        has_failures = self.outcomes.failed or self.unscored or self.missing_headline or missing or failed
        has_failures = has_failures or self.answers.is_nearly_all_empty
        is_intact = self.metrics is None or self.metrics.journal.is_intact
        return ExitStatus.FAILURES if has_failures or not is_intact else ExitStatus.OK

    def __getitem__(self, metric: str) -> Number:
        """Return the number of a metric over all samples."""
        if self.metrics is None:
            raise KeyError(metric)
        return self.metrics[metric]

    def __iter__(self) -> Iterator[Number]:
        return iter(self.numbers)
