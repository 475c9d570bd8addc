"""Caveats of a comparison, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from auricle.core.value_text import pluralise
from auricle.metrics.label_alignment import display_label
from auricle.scoring.compare.loading import ComparedRun
from auricle.scoring.compare.metric_rows import SIGNIFICANCE_LEVEL, ComparisonRow, find_first_test
from auricle.scoring.compare.pairing import Pairs
from auricle.scoring.compare.predictions import get_known_labels

MIN_COVERAGE = 0.5
"""With a smaller share of pairs, the notes suggest an unpaired comparison."""


def collect_notes(a: ComparedRun, b: ComparedRun, pairs: Pairs, rows: Sequence[ComparisonRow]) -> list[str]:
    """Collect notes about the runs, the pairs and the tests."""
    return [*_run_notes(a, b, pairs), *_label_notes(a, b), *_pair_notes(a, b, pairs), *describe_tests(rows)]


def collect_group_notes(a: ComparedRun, b: ComparedRun, rows: Sequence[ComparisonRow]) -> list[str]:
    """Collect notes about two groups of different samples and the tests."""
    return [*_side_notes(a, b), *_label_notes(a, b), *_unreadable_notes(a, b), *describe_tests(rows)]


def _run_notes(a: ComparedRun, b: ComparedRun, pairs: Pairs) -> Iterator[str]:
    if a.path.resolve() == b.path.resolve():
        yield "A and B are the same run."
    tasks = [f"{side.results.task.name}, version {side.results.task.version}" for side in (a, b)]
    if tasks[0] != tasks[1]:
        yield (
            f"The tasks differ ({tasks[0]}; {tasks[1]}): only samples with the same {pairs.matched_by} and reference "
            "are compared."
        )
    if a.results.overall and b.results.overall:
        first, second = (side.results.overall[0].signature for side in (a, b))
        different = first.differences(second)
        if "revision" in different and not pairs.have_same_rows:
            yield f"The data differs: {first.revision} in A, {second.revision} in B."
        if "inferencer" in different:
            yield (
                f"The prompts or inferencers differ ({first.inferencer}; {second.inferencer}): the "
                "difference is that of model and prompt together."
            )
    yield from _side_notes(a, b)


def _side_notes(a: ComparedRun, b: ComparedRun) -> Iterator[str]:
    """Note if a run is unfinished or damaged, or clustered by another field than the other one."""
    clusters = [side.results.task.cluster for side in (a, b)]
    if clusters[0] != clusters[1] and not (a.fields.keys() & set(clusters)):
        by_a, by_b = (f"by {name}" if name else "by none" for name in clusters)
        yield (
            f"Samples are clustered {by_a} in A and {by_b} in B: they are treated as independent here. "
            "Choose a field with --cluster."
        )
    for name, side in zip("AB", (a, b), strict=True):
        if not side.results.complete:
            yield f"{name} is not finished: it has {pluralise(len(side.rows), 'sample')} so far."
        yield from (f"{name}: {sentence}" for sentence in side.results.journal.describe())


def _label_notes(a: ComparedRun, b: ComparedRun) -> Iterator[str]:
    """Note if the models have different labels: some metrics then cover different classes."""
    known = [get_known_labels(side.results) for side in (a, b)]
    if known[0] is None or known[1] is None or known[0] == known[1]:
        return
    differ = ", ".join(sorted(map(display_label, known[0] ^ known[1])))
    yield (
        f"Only one of the models has a label for {differ}: metrics over the classes a model has "
        "(uar, accuracy_matched, and macro and weighted averages) cover different classes; accuracy and "
        "uar_all cover the same."
    )


def _pair_notes(a: ComparedRun, b: ComparedRun, pairs: Pairs) -> Iterator[str]:
    counts = pairs.counts
    yield from _coverage_notes(pairs)
    if not counts.count:  # samples that both runs have, all failed or different
        yield "No sample was answered in both runs, so there are no pairs to compare."
    for count, where in ((counts.only_a, "A"), (counts.only_b, "B")):
        if count:
            yield f"{pluralise(count, 'sample')} only in {where}: left out."
    if counts.changed:
        yield (
            f"{pluralise(counts.changed, 'sample')} with the same id but different content "
            "(the inputs differ): left out."
        )
    if counts.corrected:
        yield (
            f"{pluralise(counts.corrected, 'sample')} with the same content but a different reference: "
            "left out. Run the command of the run with the older data again; no request is sent twice."
        )
    if pairs.failed:
        yield (
            f"{pluralise(len(pairs.failed), 'sample')} failed ({counts.failed_a} in A, "
            f"{counts.failed_b} in B): left out."
        )
    yield from _unreadable_notes(a, b)


def _coverage_notes(pairs: Pairs) -> Iterator[str]:
    """Note if samples are paired by id, or if few are paired."""
    if pairs.matched_by == "id":
        yield (
            "No sample has the same content in both runs: those with the same id and reference are paired, such as the "
            "human and the generated version of a sentence."
        )
    if 0 < pairs.counts.coverage < MIN_COVERAGE:
        yield (
            f"Only {100 * pairs.counts.coverage:.1f} % of all samples are paired. --unpaired compares all samples of "
            "both runs, as independent groups."
        )


def _unreadable_notes(a: ComparedRun, b: ComparedRun) -> Iterator[str]:
    """Describe unreadable and refused answers, with one sentence for all metrics that treat them alike."""
    like: dict[str, list[str]] = {}
    for name, scored in a.scored.items():
        other = b.scored[name]
        if not scored.unreadable and not other.unreadable:
            continue
        problem = f"{scored.unreadable} answers in A and {other.unreadable} in B could not be read"
        if scored.refused or other.refused:
            problem += f" ({scored.refused} and {other.refused} of them refused)"
        is_wrong = a.results[name].signature.metric.unreadable_wrong
        like.setdefault(f"{problem}: {'counted as wrong in' if is_wrong else 'left out of'}", []).append(name)
    yield from (f"{problem} {', '.join(names)}." for problem, names in like.items())


def describe_tests(rows: Sequence[ComparisonRow]) -> Iterator[str]:
    """Describe how the p-values of a table with several tests are adjusted, and what that means for the others."""
    first = find_first_test(rows)
    others = [row for row in rows if row is not first and not math.isnan(row.p)]
    if not others:
        return
    if first is None:
        yield f"All tests of the table share the level of {SIGNIFICANCE_LEVEL} by Holm's method."
        return
    yield (
        f"{first.metric} is tested first and alone, at the level of {SIGNIFICANCE_LEVEL}. All other tests of the table "
        "share that level by Holm's method, and count only if the first is significant (serial gatekeeping)."
        + ("" if first.adjusted < SIGNIFICANCE_LEVEL else f" {first.metric} is not, so no other difference is.")
    )
