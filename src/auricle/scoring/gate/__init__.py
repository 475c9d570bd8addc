"""Decide whether a candidate run may replace a baseline: better, not worse, worse, or too few samples to decide."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, TypedDict

from auricle.core.direction import Directed, Direction
from auricle.core.errors import ExitStatus, SpecError
from auricle.core.result_table import ResultTable
from auricle.metrics.intervals import POWER, adjust_holm
from auricle.metrics.power import Design
from auricle.runs.metrics import Metrics
from auricle.scoring.compare import Comparison, ComparisonRow
from auricle.scoring.compare.metric_rows import SIGNIFICANCE_LEVEL
from auricle.scoring.compare.notes import describe_tests
from auricle.scoring.gate.margins import Margin, choose_margin
from auricle.scoring.refusals import group_by_reason

__all__ = ["Gate", "GateKeywords", "GateResult", "Margin", "Verdict", "choose_metrics", "decide"]

MIN_COVERAGE = 0.95
"""Smallest share of the samples that a candidate has to answer, unless another is chosen."""


class GateKeywords(TypedDict, total=False):
    """Further arguments of `auricle.gate`."""

    by: str | None
    """Metadata field whose values are decided on, too."""
    cluster: str | None
    """Metadata field whose values are independent, as in `auricle.compare`."""
    min_coverage: float
    """Smallest share of the samples that the candidate has to answer. [default: 0.95]"""
    min_pairs: int
    """Fewest samples that both runs have to answer. [default: 0]"""


class Verdict(StrEnum):
    """What the samples show about a candidate."""

    BETTER = "better"
    NOT_WORSE = "not worse"
    """A loss of the margin or more is ruled out."""
    WORSE = "worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult(Directed):
    """The verdict on one metric, over all pairs or those with one value of a metadata field."""

    metric: str
    title: str
    field: str
    group: str
    baseline: float
    candidate: float
    difference: float
    """Candidate minus baseline."""
    low: float
    high: float
    margin: float
    """Loss that is tolerated, in the unit of the metric."""
    method: str
    """How the interval was computed."""
    n: int
    """Number of pairs."""
    cluster: str
    """Metadata field whose values are the independent units; empty if pairs are."""
    units: int
    """Number of independent units."""
    adjusted: float
    """The p-value, adjusted by Holm's method for all verdicts of the gate."""
    verdict: Verdict
    needed: int | None = None
    """Independent units that would decide it, with 80 % power; None if it is decided, or if that is unknown."""
    target: float = math.nan
    """Difference that so many units would show."""
    is_open_by_failures: bool = False
    """Whether it would be decided if the samples that failed could not be worse than the others."""
    unit: str
    higher_is_better: bool
    optimum: str = ""

    @property
    def name(self) -> str:
        """The metric and, if it is about a part of the pairs, that part."""
        return f"{self.metric}, {self.field}={self.group}" if self.field else self.metric


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Gate(ResultTable):
    """The verdicts on a candidate, and other reasons for which it does not pass."""

    shown_columns: ClassVar[tuple[str, ...]] = (
        *("metric", "field", "group", "baseline", "candidate", "difference", "low", "high", "margin", "verdict"),
    )
    format: int = 1
    baseline: str
    """Directory of the baseline run."""
    candidate: str
    """Directory of the candidate run."""
    pairs: int
    results: tuple[GateResult, ...]
    failures: tuple[str, ...] = ()
    """Reasons other than a worse metric, such as failed samples."""
    notes: tuple[str, ...] = ()

    def list_rows(self) -> list[dict[str, Any]]:
        """Return a row per metric and group."""
        return [asdict(result) for result in self.results]

    def describe(self) -> str:
        return "; ".join([f"{self.verdict}, {self.pairs:,} pairs", *self.failures])

    @property
    def verdict(self) -> Verdict:
        """The verdict on the candidate: the worst of all metrics."""
        verdicts = {result.verdict for result in self.results}
        if self.failures or Verdict.WORSE in verdicts:
            return Verdict.WORSE
        if Verdict.UNDECIDED in verdicts or not verdicts:
            return Verdict.UNDECIDED
        return Verdict.NOT_WORSE if Verdict.NOT_WORSE in verdicts else Verdict.BETTER

    def exit_status(self, *, allow_undecided: bool = False) -> ExitStatus:
        """Return how a command ends.

        Args:
            allow_undecided: Whether an undecided gate passes.
        """
        if self.verdict is Verdict.WORSE:
            return ExitStatus.GATE
        is_open = self.verdict is Verdict.UNDECIDED and not allow_undecided
        return ExitStatus.UNDECIDED if is_open else ExitStatus.OK


def choose_metrics(baseline: Metrics, candidate: Metrics) -> tuple[str, ...]:
    """Return the first metric of a baseline that the candidate has, too.

    Raises:
        SpecError: if there is none.
    """
    if not candidate.overall:
        raise SpecError("The candidate has no numbers: none of its samples was answered and scored.")
    names = {number.metric for number in candidate.overall}
    shared = next((number.metric for number in baseline.overall if number.metric in names), None)
    if shared is None:
        raise SpecError("The runs have no metric in common.")
    return (shared,)


def decide(
    comparison: Comparison, margins: Sequence[Margin] = (), min_coverage: float = MIN_COVERAGE, min_pairs: int = 0
) -> Gate:
    """Decide on the candidate of a comparison.

    Args:
        comparison: Baseline A and candidate B, with the metrics and the breakdown to decide on.
        margins: Losses that are tolerated; one without a metric applies to every metric without its own.
        min_coverage: Smallest share of the samples that the candidate has to answer.
        min_pairs: Fewest pairs; with less, the candidate does not pass.

    Raises:
        SpecError: if nothing can be compared, or a margin is that of a metric which is not compared.
    """
    if not comparison.rows:
        refused = [f"{', '.join(names)}: {reason}" for names, reason in group_by_reason(comparison.refused)]
        reasons = "; ".join(refused).rstrip(".") or "The runs have no metric in common"
        raise SpecError(f"Nothing can be compared. {reasons}.")
    if not comparison.pairs.count:
        raise SpecError("No sample was answered in both runs. Evaluate the candidate on the data of the baseline.")
    _check_directions(comparison.rows)
    _check_margins(margins, comparison.rows)
    adjusted = adjust_holm([row.p for row in comparison.rows])
    designs = comparison.designs or [None] * len(adjusted)
    results = [
        _judge_row(row, p, choose_margin(margins, row), design)
        for row, p, design in zip(comparison.rows, adjusted, designs, strict=True)
    ]
    return Gate(
        baseline=comparison.a.run,
        candidate=comparison.b.run,
        pairs=comparison.pairs.count,
        results=tuple(results),
        failures=tuple(_find_failures(comparison, min_coverage, min_pairs)),
        notes=tuple(_list_notes(comparison)),
    )


def _list_notes(comparison: Comparison) -> Iterator[str]:
    """Yield the notes of a comparison, but for how it adjusts p-values: a gate does that on its own."""
    replaced = set(describe_tests(comparison.rows))
    yield from (note for note in comparison.notes if note not in replaced)
    if len(comparison.rows) > 1:
        yield f"Worse is what has a p-value below {SIGNIFICANCE_LEVEL} after Holm's adjustment over all rows."


def _check_directions(rows: Sequence[ComparisonRow]) -> None:
    """Raise `SpecError` if a metric has no direction: no difference of it is a loss."""
    for row in rows:
        if row.direction is Direction.ZERO:
            raise SpecError(
                f"A gate cannot decide on {row.metric}, which is best at zero. Choose another metric with --metric, "
                "such as the error without a sign."
            )
        if row.direction is Direction.NONE:
            raise SpecError(
                f"A gate cannot decide on {row.metric}: neither higher nor lower is better. Choose another metric with "
                "--metric."
            )


def _check_margins(margins: Sequence[Margin], rows: Sequence[ComparisonRow]) -> None:
    compared = list(dict.fromkeys(row.metric for row in rows))
    for index, margin in enumerate(margins):
        if any(margin.metric == other.metric for other in margins[:index]):
            raise SpecError(f"There are two margins for {margin.metric or 'every metric'}. Remove one of them.")
        if margin.metric and margin.metric not in compared:
            raise SpecError(f"There is a margin for {margin.metric!r}, but compared are: {', '.join(compared)}.")


def _judge_row(row: ComparisonRow, adjusted: float, margin: float, design: Design | None) -> GateResult:
    verdict = _choose_verdict(row, adjusted, margin)
    is_undecided = verdict is Verdict.UNDECIDED
    answered = replace(row, worst=row.difference, unbounded=0)
    is_open_by_failures = is_undecided and _choose_verdict(answered, adjusted, margin) is not Verdict.UNDECIDED
    can_count = is_undecided and not is_open_by_failures
    needed, target = _plan_units(row, margin, design) if can_count else (None, math.nan)
    return GateResult(
        metric=row.metric,
        title=row.title,
        field=row.field,
        group=row.group,
        baseline=row.value_a,
        candidate=row.value_b,
        difference=row.difference,
        low=row.low,
        high=row.high,
        margin=margin,
        method=row.method,
        n=row.n,
        cluster=row.cluster,
        units=row.units,
        adjusted=adjusted,
        verdict=verdict,
        needed=needed,
        target=target,
        is_open_by_failures=is_open_by_failures,
        unit=row.unit,
        higher_is_better=row.higher_is_better,
        optimum=row.optimum,
    )


def _choose_verdict(row: ComparisonRow, adjusted: float, margin: float) -> Verdict:
    """Choose a verdict from the interval of the loss, which is positive if the candidate is worse.

    Passing needs no adjustment for several tests, because all of them have to pass. Samples that failed count as the
    worst possible for the candidate: the upper end is raised by as much as they could raise the loss.
    """
    sign = -1 if row.higher_is_better else 1
    loss = sign * row.difference
    low, high = sorted((sign * row.low, sign * row.high))
    if math.isnan(loss) or math.isnan(low):
        return Verdict.UNDECIDED
    if low > 0 and loss >= margin and adjusted < SIGNIFICANCE_LEVEL:
        return Verdict.WORSE
    failed_loss = math.inf if row.unbounded or math.isnan(row.worst) else sign * (row.worst - row.difference)
    upper = high + max(0.0, failed_loss)
    if upper < 0:
        return Verdict.BETTER
    return Verdict.NOT_WORSE if upper < margin else Verdict.UNDECIDED


def _plan_units(row: ComparisonRow, margin: float, design: Design | None) -> tuple[int | None, float]:
    """Return how many units would decide a row that is undecided, and the difference that they would show.

    Usually that is the margin. With as many units already, the observed loss is near a limit: what has to be shown is
    its distance from the margin or, of a larger loss, from zero.

    Args:
        row: The row.
        margin: Loss that is tolerated.
        design: How precisely a unit shows the difference; None to derive it from what the row can detect.
    """
    if design is None:
        has_spread = not math.isnan(row.detectable)
        design = Design.detecting(row.detectable, row.units, POWER) if has_spread else Design(variance=0.0)
    loss = -row.difference if row.higher_is_better else row.difference
    if margin and loss == 0 and not design.unit_variance:  # no pair differs: the interval shrinks with their number
        return math.ceil(row.units * max(abs(row.low), abs(row.high)) / margin), margin
    for target in (margin or abs(loss), margin - loss if loss < margin else loss):
        needed = design.count_units(target, POWER) if target > 0 else None
        if needed is not None and needed > row.units:
            return needed, target
    return None, math.nan


def _find_failures(comparison: Comparison, min_coverage: float, min_pairs: int) -> list[str]:
    outcomes, failures = comparison.b.outcomes, []
    total = outcomes.total + comparison.pairs.only_a  # samples of the baseline that the candidate lacks
    coverage = outcomes.answered / total if total else 0.0
    if coverage < min_coverage:
        failures.append(
            f"The candidate answered {outcomes.answered} of {total} samples ({100 * coverage:.1f} %); "
            f"at least {100 * min_coverage:g} % are required."
        )
    if comparison.pairs.count < min_pairs:
        failures.append(f"Only {comparison.pairs.count} samples are in both runs; at least {min_pairs} are required.")
    failures += [
        f"The journal of {side.run} is damaged. See `auricle verify {side.run}`."
        for side in (comparison.a, comparison.b)
        if not side.journal.is_intact
    ]
    if not comparison.b.complete:
        failures.append("The candidate run is not complete. Resume it with the command that started it.")
    return failures
