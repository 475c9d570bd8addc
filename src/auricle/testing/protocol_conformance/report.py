"""The results of checking a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Outcome: TypeAlias = Literal["supported", "missing", "wrong", "unknown"]
"""`unknown` is what could not be observed, such as an interruption of a response that was complete before."""


@dataclass(frozen=True, slots=True)
class ProtocolCheck:
    """One property of a server."""

    name: str
    outcome: Outcome
    explanation: str = ""
    is_optional: bool = False
    """Whether a server without it conforms, too."""

    @property
    def is_failure(self) -> bool:
        return self.outcome in ("missing", "wrong") and not self.is_optional


class ConformanceReport:
    """Collects the results of checks.

    Args:
        names: All checks, in the order in which they are shown, and whether each is optional.
    """

    def __init__(self, names: Mapping[str, bool]) -> None:
        self.names = names
        self._checks: dict[str, ProtocolCheck] = {}

    def add(self, name: str, outcome: Outcome, explanation: str = "") -> None:
        """Record a check; its first result counts."""
        self._checks.setdefault(name, ProtocolCheck(name, outcome, explanation, self.names[name]))

    def require(self, name: str, is_present: object, explanation: str, *, problem: str = "") -> bool:
        """Record a check that fails if something is missing, or if there is a problem with it."""
        outcome: Outcome = "wrong" if is_present and problem else "supported" if is_present else "missing"
        self.add(name, outcome, problem if outcome == "wrong" else explanation if outcome == "missing" else "")
        return outcome == "supported"

    def add_unknown(self, names: Iterable[str], reason: str) -> None:
        """Record those checks that have no result yet as unknown."""
        for name in names:
            self.add(name, "unknown", reason)

    @property
    def checks(self) -> list[ProtocolCheck]:
        return [self._checks[name] for name in self.names if name in self._checks]

    @property
    def is_conformant(self) -> bool:
        return not any(check.is_failure for check in self.checks)

    def to_document(self) -> dict[str, Any]:
        """Return the results for JSON."""
        rows = [
            {
                "check": check.name,
                "outcome": check.outcome,
                "explanation": check.explanation,
                "optional": check.is_optional,
            }
            for check in self.checks
        ]
        return {"conformant": self.is_conformant, "checks": rows}
