"""Which metrics of two runs can be compared, and for the others why not and what would help."""

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
    """What a signature says: whose data, how it was asked, how it was scored, by whom."""

    task: str
    revision: str
    inferencer: str
    metric: str

    @classmethod
    def parse(cls, signature: str) -> ParsedSignature:
        parts = signature.split("|")
        return cls(parts[0], "|".join(parts[1:-4]), parts[-4], parts[-3])


def overall_numbers(document: Document) -> dict[str, Mapping[str, Any]]:
    """A run's numbers over all samples, by metric."""
    return {each["metric"]: each for each in document["numbers"] if not each["field"]}


def choose_metrics(
    paths: tuple[Path, Path], documents: tuple[Document, Document], requested: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """Names of metrics both runs have and mean the same by, and why not of the others."""
    known = [overall_numbers(document) for document in documents]
    failed = [document.get("refused", {}) for document in documents]
    names = list(requested) or [*known[0], *(name for name in known[1] if name not in known[0])]
    chosen: list[str] = []
    refused: dict[str, str] = {}
    for name in names:
        if not any(name in side for side in (*known, *failed)):
            there = ", ".join(dict.fromkeys([*known[0], *known[1]])) or "none"
            raise SpecError(f"Neither run has the metric {name!r}; there are {there}.")
        why = _explain_missing(name, known, failed) or _explain_difference(paths, *(side[name] for side in known))
        if why:
            refused[name] = why
        elif name not in chosen:
            chosen.append(name)
    return chosen, refused


def _explain_missing(
    name: str, numbers_by_side: Sequence[Mapping[str, Any]], refusals_by_side: Sequence[Mapping[str, str]]
) -> str:
    """Why one of the runs does not have this metric; empty if both do."""
    for which, numbers, refusals in zip("AB", numbers_by_side, refusals_by_side, strict=True):
        if name in numbers:
            continue
        if name in refusals:
            return f"{which} has no such number: {refusals[name]}"
        has = ", ".join(numbers) or "none"
        return (
            f"{which} has no such number; its metrics are {has}. Give the command that made it "
            f"again with -T metrics={name}; nothing is asked twice."
        )
    return ""


def _explain_difference(paths: tuple[Path, Path], a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    """Why two numbers of one name do not mean the same, and the command that mends it."""
    first, second = (ParsedSignature.parse(each["signature"]).metric for each in (a, b))
    if first == second:
        return ""
    return f"scored in two ways, {first} in A and {second} in B. {_suggest_command(paths, first, second)}"


def _suggest_command(paths: tuple[Path, Path], first: str, second: str) -> str:
    profiles = _find_profile(first), _find_profile(second)
    if all(profiles) and profiles[0] != profiles[1]:
        return (
            f"Score them alike: auricle score {paths[1]} --profile {profiles[0]}, "
            f"or auricle score {paths[0]} --profile {profiles[1]}"
        )
    judges = [each.partition(".by-")[2] for each in (first, second)]
    if judges[0] != judges[1]:
        which, judge = (1, judges[0]) if judges[0] else (0, judges[1])
        return f"Have both judged alike: auricle score {paths[which]} --judge {judge}"
    return f"Score both with this version: auricle score {paths[0]} {paths[1]}"


def _find_profile(signature: str) -> str:
    named = (name for name, each in PROFILES.items() if each.signature in signature)
    return max(named, key=len, default="")  # `zh` stands in `zh-hans`, too


def load_metrics(paths: tuple[Path, Path], signatures: Mapping[str, str]) -> list[Metric]:
    """The metrics of these names and signatures, from whichever run's task can be built."""
    found: dict[str, Metric] = {}
    problems: list[SpecError] = []
    for path in paths:
        try:
            task = build_task(Spec.from_run(Run.load(path)))
        except SpecError as error:  # the other run may still know
            problems.append(error)
            continue
        for metric in task.metrics:
            for each in (metric, *metric.companions):
                found.setdefault(each.name, each)
    if problems and not found:
        raise problems[0]
    return [_restore_profile(found[name], signature) for name, signature in signatures.items() if name in found]


def _restore_profile(metric: Metric, signature: str) -> Metric:
    """The metric as it was when these numbers were made: a run may be scored under any profile."""
    if metric.with_profile is None or metric.signature == signature:
        return metric
    profile = _find_profile(signature)
    return metric.with_profile(profile) if profile else metric
