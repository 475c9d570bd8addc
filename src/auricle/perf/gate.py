"""Decide whether a measurement passes as a gate of a pipeline, and which exit code it ends with."""

from __future__ import annotations

from collections.abc import Iterator

from auricle.core.errors import ExitStatus
from auricle.perf.compare import PerfComparison, format_number_pair
from auricle.perf.load_syntax import parse_loads
from auricle.runs.perf_files import LoadPointSummary, PerfSummary


def find_violations(summary: PerfSummary) -> list[str]:
    """Return why a measurement does not pass: SLOs that were not met, and load points that are not valid.

    Loads that a search tried are expected to miss the SLOs: there, a search that found no load does not pass.
    """
    if not summary.points:
        return ["No load point was measured."]
    violations = [text for point in _points_outside_searches(summary) for text in _check_point(point)]
    return violations + [
        f"{search.search}: no load met the SLOs." for search in summary.searches if search.best is None
    ]


def _points_outside_searches(summary: PerfSummary) -> Iterator[LoadPointSummary]:
    if not summary.searches:
        yield from summary.points
        return
    requested = {str(load) for text in summary.about.wanted.get("loads", ()) for load in parse_loads(text)}
    yield from (point for point in summary.points if point.load in requested)


def _check_point(point: LoadPointSummary) -> Iterator[str]:
    for reason in point.validity.reasons:
        yield f"{point.load} is not valid: {reason}"
    if not point.slo or point.slo.met:
        return
    missed = [result for result in point.slo.promises if result.met is point.slo.met]
    reasons = "; ".join(dict.fromkeys(result.reason for result in missed))
    verdict = "was not met" if point.slo.met is False else f"cannot be judged: {reasons}"
    yield f"{point.load}: {', '.join(result.slo for result in missed) or 'an SLO'} {verdict}."


def find_regressions(comparison: PerfComparison) -> list[str]:
    """Return why candidate B does not pass: numbers significantly worse than in A, and loads without one."""
    regressions = [
        f"{point.load}: {row.name} is worse in B ({format_number_pair(row)})."
        for point in comparison.points
        for row in point.rows
        if row.is_worse
    ]
    regressions += [f"{point.load} is not valid in B." for point in comparison.points if not point.valid[1]]
    if missing := ", ".join(comparison.only_a):
        regressions.append(f"Not measured in B: {missing}.")
    return regressions


def choose_exit_status(summary: PerfSummary, violations: list[str] | None) -> ExitStatus:
    """Return the exit code of a measurement.

    Args:
        summary: The measurement.
        violations: What `find_violations` returned; None if the measurement is not used as a gate.
    """
    if summary.interrupted:
        return ExitStatus.INTERRUPTED
    if violations:
        return ExitStatus.GATE
    failed = any(point.counts.all.failed for point in summary.points)
    useless = not any(point.validity.valid and point.counts.all.ok for point in summary.points)
    return ExitStatus.FAILURES if failed or useless else ExitStatus.OK
