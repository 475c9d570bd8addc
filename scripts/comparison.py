"""Count what is equal, different or refused when Auricle and another framework do the same work.

Shared by the `compare_*.py` scripts, each of which takes a checkout of the framework:

    python scripts/compare_kimi.py ~/src/Kimi-Audio-Evalkit
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EQUAL, DIFFERENT, REFUSED = "equal", "different", "refused"
OUTCOMES = (EQUAL, DIFFERENT, REFUSED)


@dataclass
class Comparison:
    """Outcomes of single comparisons, grouped by subject such as "prompts" or "metric values"."""

    framework: str
    tolerance: float = 1e-9
    """Largest relative or absolute difference of two numbers that count as equal."""
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, subject: str, name: str, ours: Any, theirs: Any) -> None:
        """Compare one value of both frameworks."""
        equal = self._equal(ours, theirs)
        self._count(subject, EQUAL if equal else DIFFERENT)
        if not equal:
            self.notes.append(f"{DIFFERENT}  {subject}: {name}: ours {ours!r}, theirs {theirs!r}")

    def refuse(self, subject: str, name: str, reason: str) -> None:
        """Record that Auricle rejects a case, with its error message."""
        self._count(subject, REFUSED)
        self.notes.append(f"{REFUSED}  {subject}: {name}: {reason}")

    @property
    def exit_code(self) -> int:
        """1 if anything differs; a refusal is a documented answer."""
        return int(any(count[DIFFERENT] for count in self.counts.values()))

    def format(self) -> str:
        """Format the notes and one line of counts per subject."""
        width = max(map(len, self.counts), default=0)
        lines = [f"{subject:{width}}  {_format_counts(count)}" for subject, count in self.counts.items()]
        total = sum(self.counts.values(), Counter[str]())
        return "\n".join([*self.notes, "", f"{self.framework}:", *lines, f"{'total':{width}}  {_format_counts(total)}"])

    def _count(self, subject: str, outcome: str) -> None:
        self.counts.setdefault(subject, Counter())[outcome] += 1

    def _equal(self, ours: Any, theirs: Any) -> bool:
        if isinstance(ours, dict) and isinstance(theirs, dict):
            return ours.keys() == theirs.keys() and all(self._equal(ours[key], theirs[key]) for key in ours)
        if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
            return len(ours) == len(theirs) and all(map(self._equal, ours, theirs))
        if isinstance(ours, float) or isinstance(theirs, float):
            return _close(ours, theirs, self.tolerance)
        return bool(ours == theirs)


def checkout_argument(description: str | None, arguments: Sequence[str] | None = None) -> Path:
    """Parse a command line whose only argument is the folder of a checkout."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="folder of the other framework's repository")
    checkout = Path(parser.parse_args(arguments).checkout).expanduser().resolve()
    if not checkout.is_dir():
        parser.error(f"{checkout} is not a folder")
    return checkout


def _close(ours: object, theirs: object, tolerance: float) -> bool:
    if not isinstance(ours, int | float) or not isinstance(theirs, int | float):
        return False
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance)


def _format_counts(count: Counter[str]) -> str:
    return "  ".join(f"{count[outcome]:6d} {outcome}" for outcome in OUTCOMES)
