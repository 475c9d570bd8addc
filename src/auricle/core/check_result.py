"""What a check of a judge found."""

from __future__ import annotations

from dataclasses import dataclass


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
