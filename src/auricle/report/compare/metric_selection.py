"""Select the metrics of two runs that can be compared, and explain why others cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.metrics.base import Metric
from auricle.runs.run_directory import Run
from auricle.text import PROFILES

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ParsedSignature:
    """The parts of a signature: data revision, inferencer, metric and judge."""

    task: str
    revision: str
    inferencer: str
    metric: str

    @classmethod
    def parse(cls, signature: str) -> ParsedSignature:
        parts = signature.split("|")
        return cls(parts[0], "|".join(parts[1:-4]), parts[-4], parts[-3])


def overall_numbers(document: Document) -> dict[str, Mapping[str, Any]]:
    """Return a run's results over all samples, by metric."""
    return {each["metric"]: each for each in document["numbers"] if not each["field"]}


def choose_metrics(
    paths: tuple[Path, Path], documents: tuple[Document, Document], requested: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """Return the names of comparable metrics, and the reasons why others are not."""
    known = [overall_numbers(document) for document in documents]
    failed = [document.get("refused", {}) for document in documents]
    names = list(requested) or [*known[0], *(name for name in known[1] if name not in known[0])]
    chosen: list[str] = []
    refused: dict[str, str] = {}
    for name in names:
        if not any(name in side for side in (*known, *failed)):
            there = ", ".join(dict.fromkeys([*known[0], *known[1]])) or "none"
            raise SpecError(f"Neither run has the metric {name!r}. Available: {there}.")
        why = _explain_missing(name, known, failed) or _explain_difference(paths, *(side[name] for side in known))
        if why:
            refused[name] = why
        elif name not in chosen:
            chosen.append(name)
    return chosen, refused


def _explain_missing(
    name: str, numbers_by_side: Sequence[Mapping[str, Any]], refusals_by_side: Sequence[Mapping[str, str]]
) -> str:
    """Explain why one of the runs lacks this metric; return an empty string if both have it."""
    for which, numbers, refusals in zip("AB", numbers_by_side, refusals_by_side, strict=True):
        if name in numbers:
            continue
        if name in refusals:
            return f"not computed in {which}: {refusals[name]}"
        has = ", ".join(numbers) or "none"
        return (
            f"{which} does not have this metric; it has {has}. Run the command of that run again "
            f"with -T metrics={name}; no request is sent twice."
        )
    return ""


def _explain_difference(paths: tuple[Path, Path], a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    """Explain why two metrics of the same name differ, with the command that makes them comparable."""
    first, second = (ParsedSignature.parse(each["signature"]).metric for each in (a, b))
    if first == second:
        return ""
    return f"computed differently: {first} in A, {second} in B. {_suggest_command(paths, first, second)}"


def _suggest_command(paths: tuple[Path, Path], first: str, second: str) -> str:
    profiles = _find_profile(first), _find_profile(second)
    if all(profiles) and profiles[0] != profiles[1]:
        return (
            f"Use the same profile: auricle score {paths[1]} --profile {profiles[0]}, "
            f"or auricle score {paths[0]} --profile {profiles[1]}"
        )
    judges = [each.partition(".by-")[2] for each in (first, second)]
    if judges[0] != judges[1]:
        which, judge = (1, judges[0]) if judges[0] else (0, judges[1])
        return f"Use the same judge: auricle score {paths[which]} --judge {judge}"
    return f"Score both with this version: auricle score {paths[0]} {paths[1]}"


def _find_profile(signature: str) -> str:
    named = (name for name, each in PROFILES.items() if each.signature in signature)
    return max(named, key=len, default="")  # `zh` is part of `zh-hans`


def load_metrics(paths: tuple[Path, Path], signatures: Mapping[str, str]) -> list[Metric]:
    """Return the metrics with these names and signatures, from either run whose task can be built."""
    by_name: dict[str, Metric] = {}
    problems: list[SpecError] = []
    for path in paths:
        try:
            task = build_task(Spec.from_run(Run.load(path)))
        except SpecError as error:  # the other run's task may still be built
            problems.append(error)
            continue
        for metric in task.metrics:
            for each in (metric, *metric.companions):
                by_name.setdefault(each.name, each)
    if problems and not by_name:
        raise problems[0]
    return [_restore_profile(by_name[name], signature) for name, signature in signatures.items() if name in by_name]


def _restore_profile(metric: Metric, signature: str) -> Metric:
    """Return the metric with the profile that the run was scored with."""
    if metric.with_profile is None or metric.signature == signature:
        return metric
    profile = _find_profile(signature)
    return metric.with_profile(profile) if profile else metric
