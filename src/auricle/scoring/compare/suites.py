"""Compare two suites: each part sample by sample, and the combined numbers with one test over all parts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import partial
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.core.gc_tuning import infrequent_gc
from auricle.engine.suites import choose_metrics, compute_shares
from auricle.metrics.combined import PairedPartStats, compare_combined
from auricle.runs.metrics import LANGUAGE_FIELD, PART_FIELD, Metrics
from auricle.runs.run_directory import contains_run
from auricle.runs.suites import SuiteRun, contains_suite, read_suite_run
from auricle.scoring.clusters import join_clusters
from auricle.scoring.compare import Comparison, ComparisonRow, Side
from auricle.scoring.compare.loading import check_cluster, choose_cluster, load_compared_run
from auricle.scoring.compare.metric_rows import PairClusters, adjust_p_values, build_rows, pair_stats
from auricle.scoring.compare.metric_selection import choose_metrics as choose_comparable
from auricle.scoring.compare.metric_selection import load_metrics
from auricle.scoring.compare.notes import collect_notes, describe_tests
from auricle.scoring.compare.own_numbers import list_run_numbers
from auricle.scoring.compare.pairing import PairCounts, pair_samples
from auricle.scoring.suite_kinds import find_suite_kind

Paths = tuple[Path, Path]
Results = tuple[Metrics, Metrics]


@dataclass(frozen=True)
class ComparedPart:
    """A part of two suites: its paired statistics and differences by metric, or why it has none."""

    name: str
    stats: Mapping[str, PairedPartStats]
    rows: Mapping[str, ComparisonRow]
    counts: PairCounts
    total: int
    """Number of samples of the part."""
    refused: Mapping[str, str]
    notes: Sequence[str]

    @classmethod
    def load(cls, name: str, paths: Paths, results: Results, requested_cluster: str | None) -> ComparedPart:
        """Pair the samples of the part in both suites and compare them by every metric that both have."""
        signatures, refused = choose_comparable(paths, results, ())
        metrics = [metric for metric in load_metrics(paths, signatures) if not metric.is_model_independent]
        cluster = choose_cluster(requested_cluster, results)
        with infrequent_gc():
            a, b = (load_compared_run(*side, metrics, (cluster,)) for side in zip(paths, results, strict=True))
        if requested_cluster:
            check_cluster(cluster, a, b)
        pairs = pair_samples(a, b)
        matched = [pair_stats(metric, a, b, pairs) for metric in metrics]
        rows = build_rows(matched, (a, b), pairs, "", cluster)
        clusters = PairClusters.encode(a, pairs, cluster)
        return cls(
            name,
            {
                each.metric.name: PairedPartStats(
                    each.a, each.b, each.metric.aggregate, 1.0, clusters.restrict(each.pairs).codes
                )
                for each in matched
            },
            {row.metric: row for row in rows},
            pairs.counts,
            max(pairs.counts.count, a.results.journal.total, b.results.journal.total),
            refused,
            collect_notes(a, b, pairs, rows[:1]),
        )


def find_common_parts(paths: Paths) -> dict[str, Paths]:
    """Return the folders of the parts that two suites have run, by the names of the parts.

    Raises:
        SpecError: if only one of the folders contains a suite.
    """
    for path, other in (paths, paths[::-1]):
        if not contains_suite(path):
            raise SpecError(f"{other} contains a suite, but {path} does not. Compare it with a run in {other}.")
    a, b = ({part.name: path / part.folder for part in read_suite_run(path).parts} for path in paths)
    return {
        name: (folder, b[name])
        for name, folder in a.items()
        if name in b and contains_run(folder) and contains_run(b[name])
    }


def compare_suites(
    paths: Paths,
    results: Results,
    parts: Mapping[str, tuple[Paths, Results]],
    metrics: Sequence[str] = (),
    cluster: str | None = None,
) -> Comparison:
    """Compare two suites, the first being the baseline.

    Args:
        paths: The two folders.
        results: Their combined numbers.
        parts: Run directories and numbers of each part that both suites have and that was scored in both.
        metrics: Combined numbers to compare; all that the suites share if none are named.
        cluster: Metadata field whose values are independent, or `none`. Default: that which both runs of a part were
            scored by.
    """
    suites = read_suite_run(paths[0]), read_suite_run(paths[1])
    loaded = {name: ComparedPart.load(name, *part, cluster) for name, part in parts.items()}
    refused: dict[str, str] = {}
    rows: list[ComparisonRow] = []
    notes: list[str] = []
    try:
        chosen = _choose_metrics(suites[0], loaded)
    except SpecError as error:
        refused["the combined number"] = str(error)
    else:
        rows, refused, notes = _build_all_rows(suites, parts, loaded, _select(chosen, metrics), cluster)
    a, b = (_describe_side(path, result) for path, result in zip(paths, results, strict=True))
    return Comparison(
        a=a,
        b=b,
        pairs=_add_counts(loaded.values()),
        rows=tuple(rows),
        refused=refused,
        notes=(*notes, *_collect_notes(suites, loaded), *describe_tests(rows)),
    )


def _choose_metrics(suite: SuiteRun, loaded: Mapping[str, ComparedPart]) -> dict[str, dict[str, str]]:
    available = {name: part.rows for name, part in loaded.items() if part.rows}
    if not available:
        raise SpecError("the suites have no part in common that was scored in both.")
    return choose_metrics(suite.metric, {part.name: part.metric for part in suite.parts}, available)


def _select(chosen: Mapping[str, Mapping[str, str]], requested: Sequence[str]) -> dict[str, Mapping[str, str]]:
    """Return the combined numbers that were requested, or all.

    Raises:
        SpecError: if there is no such number.
    """
    if unknown := [name for name in requested if name not in chosen]:
        raise SpecError(f"There is no combined number {unknown[0]!r}. Available: {', '.join(chosen)}.")
    return {name: by_part for name, by_part in chosen.items() if not requested or name in requested}


def _build_all_rows(
    suites: tuple[SuiteRun, SuiteRun],
    parts: Mapping[str, tuple[Paths, Results]],
    loaded: Mapping[str, ComparedPart],
    chosen: Mapping[str, Mapping[str, str]],
    cluster: str | None,
) -> tuple[list[ComparisonRow], dict[str, str], list[str]]:
    """Compare combined numbers and parts, or a task under conditions; return rows, what is refused, and notes."""
    kind = find_suite_kind(suites[0].average)  # a suite of conditions with a purpose is compared like any other
    if kind is None or suites[0].average != suites[1].average:
        return *_build_rows(suites, loaded, chosen), []
    a, b = ({name: (paths[side], results[side]) for name, (paths, results) in parts.items()} for side in (0, 1))
    families = kind.compare(suites, (a, b), list(chosen), cluster)
    clean = next((part.name for part in suites[0].parts if not part.condition), "")
    rows = [(part, row) for name in chosen for part, compared in loaded.items() if (row := compared.rows.get(name))]
    whole = [row for part, row in rows if part == clean]
    conditions = [replace(row, field=PART_FIELD, group=part) for part, row in rows if part != clean]
    return adjust_p_values([*whole, *families.rows, *conditions]), families.refused, families.notes


def _build_rows(
    suites: tuple[SuiteRun, SuiteRun], loaded: Mapping[str, ComparedPart], chosen: Mapping[str, Mapping[str, str]]
) -> tuple[list[ComparisonRow], dict[str, str]]:
    """Compare the combined numbers, then each part and each language."""
    refused: dict[str, str] = {}
    whole: list[ComparisonRow] = []
    parts: list[ComparisonRow] = []
    languages: list[ComparisonRow] = []
    for name, by_part in chosen.items():
        combine = partial(_combine_rows, name, by_part, loaded, suites[0])
        if reason := _explain_refusal(suites, loaded, by_part):
            refused[name] = reason
        else:
            whole.append(combine([part.name for part in suites[0].parts], suites[0].average))
        parts += [
            replace(row, metric=name, field=PART_FIELD, group=part)
            for part, compared in loaded.items()
            if (row := compared.rows.get(by_part[part]))
        ]
        for language, members in _list_languages(suites[0], loaded, by_part):
            languages.append(replace(combine(members, "parts"), field=LANGUAGE_FIELD, group=language))
    return adjust_p_values([*whole, *parts, *languages]), refused


def _explain_refusal(
    suites: tuple[SuiteRun, SuiteRun], loaded: Mapping[str, ComparedPart], by_part: Mapping[str, str]
) -> str:
    """Explain why the combined numbers cannot be compared, or return ""."""
    a, b = suites
    names_a, names_b = ([part.name for part in suite.parts] for suite in suites)
    if set(names_a) != set(names_b):
        return f"the suites have different parts: {', '.join(names_a)} in A, {', '.join(names_b)} in B."
    weights = [({part.name: part.weight for part in suite.parts}, suite.average) for suite in suites]
    if weights[0] != weights[1]:
        return f"the suites combine their parts differently ({a.average} and {b.average}, or other weights)."
    for part in names_a:
        if part not in loaded:
            return f"part {part} was not run or scored in both."
        compared = loaded[part]
        if reason := compared.refused.get(by_part[part]):
            return f"part {part}: {reason}"
        if by_part[part] not in compared.rows or not len(compared.stats[by_part[part]].a):
            return f"part {part} has no sample that was scored in both."
    return ""


def _list_languages(
    suite: SuiteRun, loaded: Mapping[str, ComparedPart], by_part: Mapping[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each language with its parts, if there are several languages and one of them has several parts."""
    members: dict[str, list[str]] = {}
    for part in suite.parts:
        members.setdefault(part.language, []).append(part.name)
    if len(members) < 2 or "" in members or len(members) == len(suite.parts):
        return
    for language, names in members.items():
        if all(name in loaded and by_part[name] in loaded[name].rows for name in names):
            yield language, names


def _combine_rows(
    name: str,
    by_part: Mapping[str, str],
    loaded: Mapping[str, ComparedPart],
    suite: SuiteRun,
    parts: Sequence[str],
    average: str,
) -> ComparisonRow:
    weights = {part.name: part.weight for part in suite.parts if part.name in parts}
    shares = compute_shares(weights, {part.name: part.language for part in suite.parts}, average)
    difference = compare_combined([replace(loaded[part].stats[by_part[part]], weight=shares[part]) for part in parts])
    rows = [loaded[part].rows[by_part[part]] for part in parts]
    return ComparisonRow(
        *astuple(difference),
        metric=name,
        title=" / ".join(dict.fromkeys(row.title for row in rows)),
        adjusted=difference.p,
        better=sum(row.better for row in rows),
        worse=sum(row.worse for row in rows),
        cluster=join_clusters(row.cluster for row in rows),
        worst=sum(shares[part] * row.worst for part, row in zip(parts, rows, strict=True)),
        best=sum(shares[part] * row.best for part, row in zip(parts, rows, strict=True)),
        unbounded=sum(row.unbounded for row in rows),
        higher_is_better=rows[0].higher_is_better,
        optimum=rows[0].optimum,
        unit=rows[0].unit,
        signature=f"{name}:1.mean-of-{len(parts)}",
        right_or_wrong=False,
    )


def _add_counts(compared: Collection[ComparedPart]) -> PairCounts:
    names = [field.name for field in fields(PairCounts) if field.name != "coverage"]
    total, count = sum(part.total for part in compared), sum(part.counts.count for part in compared)
    return PairCounts(
        **{name: sum(getattr(part.counts, name) for part in compared) for name in names},
        coverage=count / total if total else math.nan,
    )


def _collect_notes(suites: tuple[SuiteRun, SuiteRun], loaded: Mapping[str, ComparedPart]) -> Iterator[str]:
    versions = [f"{suite.name}, version {suite.provenance.get('version', 1)}" for suite in suites]
    if versions[0] != versions[1]:
        yield f"The suites differ ({versions[0]}; {versions[1]}): only what both have is compared."
    for name, part in loaded.items():
        yield from (f"{name}: {note}" for note in part.notes)
    if loaded:
        yield "To list the samples that changed, compare the folders of a part: auricle compare A/PART B/PART."


def _describe_side(path: Path, results: Metrics) -> Side:
    return Side(
        str(path),
        results.task,
        results.model,
        results.complete,
        results.outcomes,
        results.journal,
        samples=results.outcomes.answered,
        numbers=list_run_numbers(results),
    )
