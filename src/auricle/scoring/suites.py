"""Combine the numbers of a suite's parts.

Parts that are conditions of one task are not averaged; see `suite_kinds`. The combined numbers have the form of
those of a run, broken down by `part`, `language` or `family`, so that everything that shows the numbers of a run shows
those of a suite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from auricle.core.errors import SpecError
from auricle.core.signature import MetricSignature, Signature
from auricle.core.value_text import pluralise
from auricle.engine.suites import CONDITIONS, choose_metrics, compute_shares
from auricle.metrics.base import Metric
from auricle.metrics.combined import PartStats, compute_combined_interval
from auricle.metrics.intervals import Interval
from auricle.runs.health import JournalHealth
from auricle.runs.metrics import LANGUAGE_FIELD, PART_FIELD, Metrics, Number, PartFacts, TaskFacts, Usage
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.suites import PartRun, SuiteRun
from auricle.scoring.clusters import join_clusters
from auricle.scoring.compare.loading import load_compared_run
from auricle.scoring.compare.metric_selection import load_metrics
from auricle.scoring.compare.unpaired import SampleGroup
from auricle.scoring.suite_kinds import SuiteNumbers, find_suite_kind

NOT_RUN = "it has not been run yet"


@dataclass(frozen=True)
class ScoredPart:
    """A part whose run was scored."""

    part: PartRun
    path: Path
    metrics: Metrics

    @cached_property
    def numbers(self) -> dict[str, Number]:
        return {number.metric: number for number in self.metrics.overall}

    @cached_property
    def metric_by_name(self) -> dict[str, Metric]:
        """The metrics behind the numbers, except those that the task no longer has."""
        signatures = {name: number.signature.metric for name, number in self.numbers.items()}
        return {metric.name: metric for metric in load_metrics((self.path, self.path), signatures)}

    @cached_property
    def samples(self) -> SampleGroup:
        """The samples of the run with their statistics; read once for all metrics."""
        cluster = self.metrics.task.cluster
        return SampleGroup.select(
            load_compared_run(self.path, self.metrics, list(self.metric_by_name.values()), (cluster,))
        )

    def collect_stats(self, name: str, share: float) -> PartStats | None:
        """Return the statistics behind a number; None if its task no longer has the metric."""
        if name not in self.metric_by_name:
            return None
        metric, run, cluster = self.metric_by_name[name], self.samples.side, self.metrics.task.cluster
        places = self.samples.places(metric)
        places = places[np.argsort(np.array(run.rows)[places], kind="stable")]  # whatever order they were answered in
        codes = self.samples.clusters(cluster, places)
        index = np.frombuffer(run.scored[name].stat_index, dtype=np.int64)
        return PartStats(run.scored[name].stats[index[places]], metric.aggregate, share, codes)


def combine_suite(
    path: Path, suite: SuiteRun, metrics_by_part: Mapping[str, Metrics | None]
) -> tuple[Metrics, Mapping[str, Sequence[dict[str, Any]]]]:
    """Combine the numbers of a suite's parts.

    Args:
        path: Folder of the suite.
        suite: What was run.
        metrics_by_part: The numbers of each part, by its name; None for a part that was not run.

    Returns:
        The combined numbers, and the lines of further files by the names of the files.
    """
    scored = {
        part.name: ScoredPart(part, path / part.folder, metrics)
        for part in suite.parts
        if (metrics := metrics_by_part.get(part.name)) is not None
    }
    problems = {part.name: NOT_RUN for part in suite.parts if part.name not in scored}
    problems |= {name: "none of its samples was scored" for name, part in scored.items() if not part.numbers}
    if kind := find_suite_kind(suite.purpose) or find_suite_kind(suite.average):
        combined = kind.compute(suite, {name: (part.path, part.metrics) for name, part in scored.items()})
    else:
        combined = _average_numbers(suite, scored, problems)
    return _build_metrics(suite, scored, problems, combined), combined.lines


def _build_metrics(
    suite: SuiteRun, scored: Mapping[str, ScoredPart], problems: Mapping[str, str], combined: SuiteNumbers
) -> Metrics:
    unanswered = combined.unanswered
    task = _describe_task(suite, scored)
    has_shares = not problems and suite.average != CONDITIONS
    shares = compute_shares(*_list_weights(suite), suite.average) if has_shares else {}
    return Metrics(
        task=task,
        model=suite.model,
        auricle=version("auricle"),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        complete=not problems.keys() - unanswered
        and all(part.metrics.complete for name, part in scored.items() if name not in unanswered),
        rows=_sum_or_none([part.metrics.rows for part in scored.values()]) if not problems else None,
        notes=tuple(_collect_notes(scored, combined.numbers, is_averaged=suite.average != CONDITIONS)),
        outcomes=_sum_fields(OutcomeCounts, [part.metrics.outcomes for part in scored.values()]),
        failures=tuple(
            replace(failure, kind=f"{name}: {failure.kind}")
            for name, part in scored.items()
            for failure in part.metrics.failures
        ),
        not_computed=dict(combined.not_computed),
        numbers=tuple(combined.numbers),
        usage=_add_usage([part.metrics.usage for part in scored.values()]),
        journal=_add_health([part.metrics.journal for part in scored.values()]),
        parts=tuple(
            PartFacts(
                part.name,
                part.folder,
                shares.get(part.name),
                part.language,
                part.name in scored and (part.name in unanswered or scored[part.name].metrics.complete),
                combined.not_computed.get(part.name, "") or problems.get(part.name, ""),
            )
            for part in suite.parts
        ),
        families=combined.families,
        purpose=suite.purpose,
    )


def _average_numbers(suite: SuiteRun, scored: Mapping[str, ScoredPart], problems: Mapping[str, str]) -> SuiteNumbers:
    """Return the weighted means over the parts, and those that cannot be computed with the reason."""
    try:
        return SuiteNumbers(*Combination.choose(suite, scored).compute(problems))
    except SpecError as error:
        return SuiteNumbers([], {"the combined number": str(error)})


@dataclass(frozen=True)
class Combination:
    """Which numbers of the parts are combined."""

    suite: SuiteRun
    scored: Mapping[str, ScoredPart]
    chosen: Mapping[str, Mapping[str, str]]
    """The metric of each part, by the name of the combined number."""

    @classmethod
    def choose(cls, suite: SuiteRun, scored: Mapping[str, ScoredPart]) -> Combination:
        """Choose among the numbers that the parts have.

        Raises:
            SpecError: if they cannot be combined.
        """
        available = {name: part.numbers for name, part in scored.items() if part.numbers}
        if not available:
            raise SpecError("no part has a number.")
        own = {part.name: part.metric for part in suite.parts}
        return cls(suite, scored, choose_metrics(suite.metric, own, available))

    def compute(self, problems: Mapping[str, str]) -> tuple[list[Number], dict[str, str]]:
        """Return all numbers, and the combined ones that cannot be computed with the reason."""
        reason = "; ".join(f"part {name}: {problem}" for name, problem in problems.items())
        refused = dict.fromkeys(self.chosen, f"not combined, because a part is missing: {reason}.") if reason else {}
        whole: list[Number] = []
        parts: list[Number] = []
        languages: list[Number] = []
        for name, by_part in self.chosen.items():
            if not reason:
                whole.append(self._combine(name, by_part, [part.name for part in self.suite.parts]))
            parts += [
                self._copy_part(name, by_part, part, PART_FIELD, part)
                for part, scored in self.scored.items()
                if by_part[part] in scored.numbers
            ]
            languages += self._combine_languages(name, by_part, problems)
        return [*whole, *parts, *languages], refused

    def _combine(self, name: str, by_part: Mapping[str, str], parts: Sequence[str], language: str = "") -> Number:
        weights, languages = _list_weights(self.suite)
        average = "parts" if language else self.suite.average
        shares = compute_shares({part: weights[part] for part in parts}, languages, average)
        numbers = {part: self.scored[part].numbers[by_part[part]] for part in parts}
        first = numbers[parts[0]]
        interval = self._compute_interval(by_part, shares)

        def mean(field: str) -> float | None:
            values = [getattr(numbers[part], field) for part in parts]
            return None if None in values else sum(shares[part] * getattr(numbers[part], field) for part in parts)

        counts = (
            "scored",
            "total",
            "not_applicable",
            "failed",
            "unbounded",
            "unreadable",
            "refused",
            "truncated",
            "counted_wrong",
        )
        return Number(
            metric=name,
            title=" / ".join(dict.fromkeys(number.title for number in numbers.values())),
            field=LANGUAGE_FIELD if language else "",
            group=language or "all",
            value=mean("value"),
            worst=mean("worst"),
            best=mean("best"),
            unread_wrong=_mean_of_bounds(numbers, shares, "unread_wrong"),
            unread_right=_mean_of_bounds(numbers, shares, "unread_right"),
            readings=_sum_counts([number.readings for number in numbers.values()]),
            low=_defined(interval.low),
            high=_defined(interval.high),
            interval=interval.method,
            cluster=join_clusters(number.cluster for number in numbers.values()),
            units=interval.units,
            **{count: sum(getattr(number, count) for number in numbers.values()) for count in counts},
            higher_is_better=first.higher_is_better,
            optimum=first.optimum,
            unit=first.unit,
            signature=self._build_signature(name, numbers, shares),
            details={},
        )

    def _compute_interval(self, by_part: Mapping[str, str], shares: Mapping[str, float]) -> Interval:
        stats = [self.scored[part].collect_stats(by_part[part], share) for part, share in shares.items()]
        known = [part for part in stats if part is not None]
        if len(known) < len(stats):
            return Interval(float("nan"), float("nan"), "none", 0)
        return compute_combined_interval(known)

    def _copy_part(self, name: str, by_part: Mapping[str, str], part: str, field: str, group: str) -> Number:
        number = self.scored[part].numbers[by_part[part]]
        return replace(number, metric=name, field=field, group=group, details={}, plot="")

    def _combine_languages(
        self, name: str, by_part: Mapping[str, str], problems: Mapping[str, str]
    ) -> Iterator[Number]:
        """Yield the mean of each language, if there are several; of those whose parts all have a number."""
        members: dict[str, list[str]] = {}
        for part in self.suite.parts:
            members.setdefault(part.language, []).append(part.name)
        if len(members) < 2 or "" in members:
            return
        for language, parts in members.items():
            if problems.keys() & set(parts):
                continue
            if len(parts) == 1:
                yield self._copy_part(name, by_part, parts[0], LANGUAGE_FIELD, language)
            else:
                yield self._combine(name, by_part, parts, language)

    def _build_signature(self, name: str, numbers: Mapping[str, Number], shares: Mapping[str, float]) -> Signature:
        """Return a signature that is the same only if parts, data, prompts, metrics and shares are the same."""
        signatures = {part: number.signature for part, number in numbers.items()}
        facts = self.suite.provenance
        metrics = {part: f"{signature.metric} {shares[part]:.9f}" for part, signature in signatures.items()}
        return Signature(
            metric=MetricSignature(name, 1, (f"mean-of-{len(numbers)}#{_digest(metrics)}",)),
            task=f"{self.suite.name}:{facts.get('version', 1)}",
            revision=f"suite#{_digest({part: f'{each.task} {each.revision}' for part, each in signatures.items()})}",
            inferencer=f"suite#{_digest({part: each.inferencer for part, each in signatures.items()})}",
            model=numbers[next(iter(numbers))].signature.model,
            auricle=f"auricle {version('auricle')}",
        )


def _mean_of_bounds(numbers: Mapping[str, Number], shares: Mapping[str, float], field: str) -> float | None:
    """Return the mean of a bound over parts, with the value of parts that need no bound; None if none of them does."""
    bounds = {
        name: getattr(number, field if number.unreadable or number.truncated else "value")
        for name, number in numbers.items()
    }
    if not any(number.unreadable or number.truncated for number in numbers.values()):
        return None
    return None if None in bounds.values() else sum(share * bounds[name] for name, share in shares.items())


def _sum_counts(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add up counts by name, in the order in which the names occur."""
    names = dict.fromkeys(name for counts in parts for name in counts)
    return {name: sum(counts.get(name, 0) for counts in parts) for name in names}


def _digest(values: Mapping[str, str]) -> str:
    text = "\n".join(f"{name}\t{value}" for name, value in values.items())
    return blake2b(text.encode(), digest_size=4).hexdigest()


def _list_weights(suite: SuiteRun) -> tuple[dict[str, float], dict[str, str]]:
    return {part.name: part.weight for part in suite.parts}, {part.name: part.language for part in suite.parts}


def _defined(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _describe_task(suite: SuiteRun, scored: Mapping[str, ScoredPart]) -> TaskFacts:
    facts = suite.provenance
    languages = dict.fromkeys(facts.get("languages") or (part.language for part in suite.parts if part.language))
    revisions = {name: part.metrics.task.revision for name, part in scored.items()}
    return TaskFacts(
        name=suite.name,
        version=facts.get("version", 1),
        licence=facts.get("licence", ""),
        source=facts.get("source", ""),
        revision=f"suite#{_digest(revisions)}" if all(revisions.values()) else "",
        citation=facts.get("citation", ""),
        languages=tuple(languages),
    )


def _collect_notes(scored: Mapping[str, ScoredPart], numbers: Sequence[Number], *, is_averaged: bool) -> Iterator[str]:
    """Yield notes of the parts, and a note if numbers that are averaged were computed differently.

    Conditions have the notes of their task in common, which are those of the first part.
    """
    if not is_averaged:
        yield from next((part.metrics.notes for part in scored.values()), ())
        return
    for name in dict.fromkeys(number.metric for number in numbers):
        by_part = {number.group: number for number in numbers if number.metric == name and number.field == PART_FIELD}
        signatures = {part: str(number.signature.metric) for part, number in by_part.items()}
        if len(set(signatures.values())) > 1:
            listed = "; ".join(f"{signature} in {part}" for part, signature in signatures.items())
            yield f"{name} is computed differently in the parts: {listed}."
    yield from _describe_shared_samples(scored, numbers)
    for name, part in scored.items():
        yield from (f"{name}: {note}" for note in part.metrics.notes)


def _describe_shared_samples(scored: Mapping[str, ScoredPart], numbers: Sequence[Number]) -> Iterator[str]:
    """Yield a note if parts have samples in common, because intervals assume that they have none."""
    if all(number.field for number in numbers):
        return
    counts = Counter(key for part in scored.values() for key in {*part.samples.side.content_keys} - {""})
    if shared := sum(count > 1 for count in counts.values()):
        yield (
            f"{pluralise(shared, 'sample')} occur{'s' if shared == 1 else ''} in several parts. Intervals of combined "
            "numbers treat the parts as independent, so they are too narrow."
        )


def _sum_fields(kind: type[OutcomeCounts], items: Sequence[OutcomeCounts]) -> OutcomeCounts:
    return kind(**{name: sum(getattr(item, name) for item in items) for name in kind.__slots__})


def _sum_or_none(values: Sequence[Any]) -> Any:
    return None if None in values else sum(values)


def _add_usage(items: Sequence[Usage]) -> Usage:
    """Add up usage; an amount that is unknown for a part is unknown for the suite."""
    currencies = {item.currency for item in items}
    names = [name for name in Usage.__slots__ if name != "currency"]
    totals = {name: _sum_or_none([getattr(item, name) for item in items]) for name in names}
    if len(currencies) > 1:
        totals["cost"] = None
    return Usage(**totals, currency=currencies.pop() if len(currencies) == 1 else None)


def _add_health(items: Sequence[JournalHealth]) -> JournalHealth:
    return JournalHealth(
        records=sum(item.records for item in items),
        rows=_sum_or_none([item.rows for item in items]),
        damaged_records=sum(item.damaged_records for item in items),
        damaged_verdicts=sum(item.damaged_verdicts for item in items),
    )
