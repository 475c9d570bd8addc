"""Correlate the metrics of runs with what people answered in a listening test of the same sounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from auricle.core.errors import DataError, SpecError
from auricle.metrics import correlation
from auricle.metrics.base import Aggregator, Array, Codes
from auricle.metrics.intervals import compute_interval
from auricle.runs.metrics import Metrics, Number, read_metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores
from auricle.scoring.stored_stats import load_stats
from auricle.studies.people.analysis import Ratings
from auricle.studies.people.correlations_document import PeopleCorrelation, PeopleCorrelations
from auricle.studies.people.description import ListeningTest, read_test
from auricle.studies.people.run import RUN_FOLDER, score_test
from auricle.studies.people.sources import sanitise, split_name
from auricle.studies.people.two_way import encode_names

COEFFICIENTS: Mapping[str, Aggregator] = {
    "pearson": correlation.lcc,
    "spearman": correlation.srcc,
    "kendall": correlation.ktau,
}
MIN_PAIRS = 3


@dataclass(frozen=True)
class PeopleMeans:
    """What people answered: for each system, and for each item of a system or of a pair."""

    by_system: dict[str, float]
    by_item: dict[tuple[str, ...], float]
    """Keys are (item, system), or (item, first, second) for pairs, whose value is in favour of the first."""


@dataclass(frozen=True)
class RunScores:
    """The metrics of one run: over all items, and of each item."""

    numbers: dict[str, Number]
    by_item: dict[str, dict[str, float]]
    """Metric → item → value."""


def correlate_test(folder: Path, sources: Sequence[str]) -> PeopleCorrelations:
    """Correlate every metric that all runs have with the answers of people, and add it to the report of the test.

    Args:
        folder: Folder of the test.
        sources: Scored runs of the systems, each as PATH or SYSTEM=PATH.
    """
    test = read_test(folder)
    if test.kind == "abx":
        raise SpecError("An ABX test shows whether systems differ, not which is better: there is nothing to correlate.")
    runs = match_runs(test, sources)
    path, metrics = score_test(folder)
    people = average_people(test, path, metrics)
    scores = {system: _read_run(run) for system, run in runs.items()}
    names = [
        name for name in next(iter(scores.values())).numbers if all(name in run.numbers for run in scores.values())
    ]
    if not names:
        raise SpecError("The runs have no metric in common. Score them with the same metrics first.")
    rows = [row for name in names for row in _correlate_metric(name, people, scores)]
    notes = () if len(runs) >= MIN_PAIRS else (f"{len(runs)} systems are too few for correlations between systems.",)
    result = PeopleCorrelations(rows=tuple(rows), runs={name: str(run) for name, run in runs.items()}, notes=notes)
    result.save(path)
    score_test(folder)
    return result


def match_runs(test: ListeningTest, sources: Sequence[str]) -> dict[str, Path]:
    """Return the run of each system, by its name, its folder or its model."""
    names = [system.name for system in test.systems]
    runs: dict[str, Path] = {}
    for source in sources:
        name, path = split_name(source)
        system = name or _find_system(test, path)
        if system not in names:
            raise SpecError(f"{path} belongs to none of the systems {', '.join(names)}. Name it: SYSTEM={path}.")
        if system in runs:
            raise SpecError(f"{path} and {runs[system]} both belong to {system!r}. Name them: SYSTEM=PATH.")
        runs[system] = path
    return runs


def _find_system(test: ListeningTest, path: Path) -> str:
    for system in test.systems:
        if system.source and Path(system.source).resolve() == path.resolve():
            return system.name
    run = Run.load(path)
    candidates = [sanitise(run.spec.model_name or run.spec.model), sanitise(path.resolve().name)]
    names = {system.name for system in test.systems}
    return next((name for name in candidates if name in names), "")


# --- people -------------------------------------------------------------------------------------------------------


def average_people(test: ListeningTest, run_path: Path, metrics: Metrics) -> PeopleMeans:
    """Average the ratings that count, relative to their listeners' means where single sounds are rated."""
    stats = [line.stats["alpha"] for line in read_scores(run_path) if "alpha" in line.stats]
    ratings = Ratings.of(stats).counted
    if not len(ratings):
        raise DataError(f"{run_path}: no rating counts after screening.")
    facts = test.facts
    values = ratings.values if facts.is_paired else ratings.centred + ratings.values.mean()
    keys: list[tuple[str, ...]] = []
    for item, first, second in zip(ratings.items, ratings.first, ratings.second, strict=True):
        other = (facts.systems[second],) if facts.is_paired else ()
        keys.append((test.items[item], facts.systems[first], *other))
    by_item = _average(keys, values)
    if facts.is_paired:
        tables = metrics["alpha"].details["listening_test"]
        by_system = {row["name"]: row["value"] for row in tables["systems"] if row["value"] is not None}
    else:
        by_system = {key[0]: value for key, value in _average([(key[1],) for key in keys], values).items()}
    return PeopleMeans(by_system, by_item)


def _average(keys: Sequence[tuple[str, ...]], values: Array) -> dict[tuple[str, ...], float]:
    codes = encode_names(keys)
    means = np.bincount(codes, weights=values) / np.bincount(codes)
    return dict(zip(dict.fromkeys(keys), means.tolist(), strict=True))


# --- metrics ------------------------------------------------------------------------------------------------------


def _read_run(path: Path) -> RunScores:
    metrics = read_metrics(path)
    numbers = {number.metric: number for number in metrics.overall if number.value is not None}
    by_item = {name: dict(_read_items(path, number)) for name, number in numbers.items()}
    return RunScores(numbers, by_item)


def _read_items(path: Path, number: Number) -> Iterator[tuple[str, float]]:
    stored = load_stats(path, number)
    for item, stat in zip(stored.ids, stored.stats, strict=True) if stored else ():
        values = stat.tolist() if hasattr(stat, "tolist") else stat
        value = stored.metric.sample_value(values) if stored else math.nan
        if math.isfinite(value):
            yield item, value


def _correlate_metric(name: str, people: PeopleMeans, scores: Mapping[str, RunScores]) -> Iterator[PeopleCorrelation]:
    number = next(iter(scores.values())).numbers[name]
    systems = [system for system in scores if system in people.by_system]
    values = [(scores[system].numbers[name].value or 0.0, people.by_system[system]) for system in systems]
    yield from _correlate(number, "system", values, None)
    pairs, items = [], []
    for key, rating in people.by_item.items():
        sides = [scores[system].by_item[name].get(key[0]) for system in key[1:] if system in scores]
        present = [value for value in sides if value is not None]
        if len(present) == len(key) - 1:
            pairs.append((present[0] - (present[1] if len(present) > 1 else 0.0), rating))
            items.append(key[0])
    yield from _correlate(number, "item", pairs, encode_names(items))


def _correlate(
    number: Number, level: str, pairs: Sequence[tuple[float, float]], clusters: Codes | None
) -> Iterator[PeopleCorrelation]:
    for name, aggregate in COEFFICIENTS.items():
        value = low = high = math.nan
        if len(pairs) >= MIN_PAIRS:
            value = float(aggregate(pairs))
            interval = compute_interval(pairs, aggregate, clusters=clusters)
            low, high = interval.low, interval.high
        yield PeopleCorrelation(
            metric=number.metric,
            title=number.title,
            higher_is_better=number.higher_is_better,
            optimum=number.optimum,
            level=level,
            coefficient=name,
            n=len(pairs),
            value=_defined(value),
            low=_defined(low),
            high=_defined(high),
        )


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None


def find_report(folder: Path) -> Path:
    """Return the report of the run of a test."""
    return folder / RUN_FOLDER / "report.html"
