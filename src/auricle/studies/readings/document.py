"""`audit.json`: replies that were drawn to check how their answers were read, and what people decided about them.

All replies that state their answer weakly are in, and a random sample of the others, so the two kinds are strata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from auricle.core.errors import DataError, SpecError
from auricle.core.result_table import format_number
from auricle.runs.documents import read_document, write_document
from auricle.runs.extras import Extra
from auricle.runs.metrics import Metrics, Number

AUDIT_FILE = "audit.json"
FORMAT = 1
STATEMENT = "statement"


class AuditLabel(StrEnum):
    """What a person decided about a reading."""

    RIGHT = "right"
    """The reply gives the answer that was read; or it gives none, and none was read."""
    WRONG = "wrong"
    OTHER = "other"
    """It cannot be decided; such replies are left out."""

    @classmethod
    def read(cls, text: str) -> str:
        """Return the label that a text names by its word or its first letter, or an empty text.

        Raises:
            SpecError: if it names none.
        """
        word = text.strip().casefold()
        matching = [label.value for label in cls if word in (label.value, label.value[0])]
        if word and not matching:
            raise SpecError(f"Unknown label {text!r}. Use {', '.join(cls)}, or leave it empty.")
        return matching[0] if word else ""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A reply that was drawn, and how it was read."""

    id: str
    reading: str
    """How the answer was read: a strength, `refused` or `unread`."""
    value: str = ""
    """The answer that was read."""
    label: str = ""
    """An `AuditLabel`; empty until it is labelled."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """How often the reader of a metric is right, from the replies that were labelled."""

    metric: str
    labelled: int
    drawn: int
    accuracy: float | None = None
    """Share of all replies that were read right, with every reply weighted by how likely it was to be drawn; None
    until both kinds of replies are labelled."""
    low: float | None = None
    high: float | None = None
    wrong: int = 0
    undecided: int = 0
    statements: int = 0
    """Replies of the run whose answer was read from a statement."""
    population: int = 0
    """All replies of the run."""
    is_outdated: bool = False
    """Whether the answers were read differently since the replies were drawn."""
    problem: str = ""
    """Why the audit could not be read."""

    def describe(self) -> str:
        """Return the result in one sentence."""
        if self.problem:
            return self.problem
        if self.is_outdated:
            outdated = f"The audit of {self.metric} is outdated: answers were read differently since."
            return f"{outdated} Run `auricle audit` again."
        counts = f"{self.labelled} of {self.drawn} replies labelled, {self.wrong} read wrongly"
        undecided = f", {self.undecided} undecided" if self.undecided else ""
        if self.accuracy is None or self.low is None or self.high is None:
            return (
                f"Audit of {self.metric}: {counts}{undecided}; label some of both, replies read from a statement and "
                "others."
            )
        low, high = (format_number(end, "share") for end in (self.low, self.high))
        share = format_number(self.accuracy, "share")
        return f"Answers read right ({self.metric}): {share} (95 % interval {low} … {high}; {counts}{undecided})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The replies that were drawn from a run."""

    format: int = FORMAT
    metric: str
    signature: str
    """Signature of the metric whose reader is audited."""
    seed: int
    readings: dict[str, int]
    """How many replies of the run were read how."""
    items: tuple[AuditItem, ...] = field(default_factory=tuple)

    @property
    def labelled(self) -> tuple[AuditItem, ...]:
        return tuple(item for item in self.items if item.label)

    @property
    def wrong(self) -> tuple[AuditItem, ...]:
        return tuple(item for item in self.items if item.label == AuditLabel.WRONG)

    def with_labels(self, labels: Mapping[str, str]) -> Audit:
        """Return the audit with the labels of some samples, by id; the others keep theirs.

        Raises:
            SpecError: if a sample was not drawn.
        """
        if unknown := labels.keys() - {item.id for item in self.items}:
            raise SpecError(
                f"{len(unknown)} labelled samples were not drawn for this audit, such as {min(unknown)!r}. "
                "Use the sheet that `auricle audit` wrote for this run."
            )
        items = (replace(item, label=labels.get(item.id) or item.label) for item in self.items)
        return replace(self, items=tuple(items))

    def keep_labels(self, earlier: Audit) -> Audit:
        """Return this audit with the labels of an earlier one, for replies that were read the same."""
        labels = {(item.id, item.reading, item.value): item.label for item in earlier.items}
        items = (replace(item, label=labels.get((item.id, item.reading, item.value), "")) for item in self.items)
        return replace(self, items=tuple(items))

    def summarise(self) -> AuditResult:
        """Estimate how often the reader is right."""
        from auricle.studies.readings.stratified_share import Stratum, estimate_share

        statements, population = self.readings.get(STATEMENT, 0), sum(self.readings.values())
        strata = []
        for size, is_stated in ((statements, True), (population - statements, False)):
            labels = [item.label for item in self.labelled if (item.reading == STATEMENT) == is_stated]
            right, decided = labels.count(AuditLabel.RIGHT), len(labels) - labels.count(AuditLabel.OTHER)
            # As many of the whole stratum are taken to be undecided as of its labelled replies.
            strata.append(Stratum(round(size * decided / len(labels)) if labels else size, decided, right))
        accuracy, low, high = estimate_share(strata) or (None, None, None)
        return AuditResult(
            metric=self.metric,
            labelled=len(self.labelled),
            drawn=len(self.items),
            accuracy=accuracy,
            low=low,
            high=high,
            wrong=len(self.wrong),
            undecided=sum(item.label == AuditLabel.OTHER for item in self.items),
            statements=statements,
            population=population,
        )


def read_audit(run_path: Path) -> Audit | None:
    """Read the audit of a run; None if none was started.

    Raises:
        DataError: if the file is damaged.
    """
    try:
        return read_document(run_path / AUDIT_FILE, Audit, FORMAT, remedy="Restore it, or delete it to start over.")
    except FileNotFoundError:
        return None


def write_audit(run_path: Path, audit: Audit) -> None:
    write_document(run_path / AUDIT_FILE, audit)


def summarise_audit(run_path: Path, numbers: Iterable[Number]) -> AuditResult | None:
    """Return the result of a run's audit, or what is wrong with it; None if none was started or nothing is labelled.

    Args:
        run_path: Run directory.
        numbers: The current numbers of the run over all samples.
    """
    try:
        audit = read_audit(run_path)
    except DataError as error:
        return AuditResult("", 0, 0, problem=str(error))
    if audit is None or not audit.labelled:
        return None
    is_current = any(number.metric == audit.metric and number.readings == audit.readings for number in numbers)
    return replace(audit.summarise(), is_outdated=not is_current)


class AuditExtra(Extra):
    """How often answers were read right, if replies were labelled. Labels may change without a new score."""

    kind: ClassVar[Any] = AuditResult | None
    file = AUDIT_FILE

    def load(self, run_path: Path, metrics: Metrics) -> AuditResult | None:
        return summarise_audit(run_path, metrics.overall)

    def refresh(self, document: AuditResult | None, run_path: Path, metrics: Metrics) -> AuditResult | None:
        return summarise_audit(run_path, metrics.overall)

    def describe(self, document: AuditResult | None) -> str:
        return document.describe() if document else ""

    def check(self, run_path: Path) -> None:
        read_audit(run_path)
