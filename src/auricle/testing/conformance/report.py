"""What the checks of a model result in, and the error that a failed one raises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

CheckOutcome = Literal["passed", "failed", "skipped"]


class CheckFailed(Exception):
    """A model does not do what a check expects.

    Args:
        expected: What a model should do.
        actual: What this one did.
    """

    def __init__(self, expected: str, actual: str) -> None:
        super().__init__(f"expected {expected}; got {actual}")
        self.expected = expected
        self.actual = actual


class CheckSkipped(Exception):
    """A check does not apply to a model, for the reason in its message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check.

    Args:
        name: Method of the model and name of the check, such as `generate.order`.
        outcome: `passed`, `failed` or `skipped`.
        expected: What a failed check expected of the model.
        actual: What the model did instead.
        reason: Why a check was skipped.

    Examples:
        >>> print(CheckResult(name="generate.batch", outcome="skipped", reason="batch_size = 1"))
        skipped  generate.batch: batch_size = 1
    """

    name: str
    outcome: CheckOutcome
    expected: str = ""
    actual: str = ""
    reason: str = ""

    def __str__(self) -> str:
        head = f"{self.outcome:<7}  {self.name}"
        if self.outcome == "failed":
            return f"{head}\n           expected {self.expected}\n           got {self.actual}"
        return f"{head}: {self.reason}" if self.reason else head


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The results of all checks of a model; printed, failures come first.

    Args:
        model: Name of the model.
        results: Results in the order of the checks.

    Examples:
        >>> report = ModelReport("echo", (CheckResult(name="generate.answers", outcome="passed"),))
        >>> report.passed, report.failed
        (['generate.answers'], [])
    """

    model: str
    results: Sequence[CheckResult]

    @property
    def passed(self) -> list[str]:
        """Names of the checks that passed."""
        return self._names("passed")

    @property
    def failed(self) -> list[str]:
        """Names of the checks that failed."""
        return self._names("failed")

    @property
    def skipped(self) -> dict[str, str]:
        """Reasons of the checks that were skipped, by name."""
        return {result.name: result.reason for result in self.results if result.outcome == "skipped"}

    def _names(self, outcome: CheckOutcome) -> list[str]:
        return [result.name for result in self.results if result.outcome == outcome]

    def __str__(self) -> str:
        counts = f"{len(self.passed)} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"
        failures = [str(result) for result in self.results if result.outcome == "failed"]
        reasons = dict.fromkeys(self.skipped.values())
        skipped = [f"skipped  {self._join_names('skipped', reason)}: {reason}" for reason in reasons]
        return "\n".join([f"{self.model}: {counts}", *failures, f"passed   {self._join_names('passed')}", *skipped])

    def _join_names(self, outcome: CheckOutcome, reason: str = "") -> str:
        return ", ".join(result.name for result in self.results if (result.outcome, result.reason) == (outcome, reason))


class ModelCheckError(AssertionError):
    """A model failed a check; `report` has all results.

    Args:
        report: The results, of which at least one is a failure.

    Examples:
        >>> error = ModelCheckError(ModelReport(model="loudness", results=()))
        >>> error.report.model
        'loudness'
    """

    def __init__(self, report: ModelReport) -> None:
        super().__init__(str(report))
        self.report = report
