"""Which metrics of two runs can be compared, and for the others why not and what would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.engine.factory import build
from auricle.engine.spec import Spec
from auricle.metrics.base import Metric
from auricle.runs.run_directory import Run
from auricle.text import PROFILES

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Signed:
    """What a signature says: whose data, how it was asked, how it was scored, by whom."""

    task: str
    revision: str
    asked: str
    metric: str

    @classmethod
    def of(cls, signature: str) -> Signed:
        parts = signature.split("|")
        return cls(parts[0], "|".join(parts[1:-4]), parts[-4], parts[-3])


def overall(document: Document) -> dict[str, Mapping[str, Any]]:
    """A run's numbers over all samples, by metric."""
    return {each["metric"]: each for each in document["numbers"] if not each["field"]}


def choose(
    paths: tuple[Path, Path], documents: tuple[Document, Document], wanted: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """Names of metrics both runs have and mean the same by, and why not of the others."""
    known = [overall(document) for document in documents]
    failed = [document.get("refused", {}) for document in documents]
    names = list(wanted) or [*known[0], *(name for name in known[1] if name not in known[0])]
    chosen: list[str] = []
    refused: dict[str, str] = {}
    for name in names:
        if not any(name in side for side in (*known, *failed)):
            there = ", ".join(dict.fromkeys([*known[0], *known[1]])) or "none"
            raise SpecError(f"Neither run has the metric {name!r}; there are {there}.")
        why = _missing(name, known, failed) or _differing(paths, *(side[name] for side in known))
        if why:
            refused[name] = why
        elif name not in chosen:
            chosen.append(name)
    return chosen, refused


def _missing(
    name: str, known: Sequence[Mapping[str, Any]], failed: Sequence[Mapping[str, str]]
) -> str:
    """Why one of the runs does not have this metric; empty if both do."""
    for which, numbers, refusals in zip("AB", known, failed, strict=True):
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


def _differing(paths: tuple[Path, Path], a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    """Why two numbers of one name do not mean the same, and the command that mends it."""
    first, second = (Signed.of(each["signature"]).metric for each in (a, b))
    if first == second:
        return ""
    return f"scored in two ways, {first} in A and {second} in B. {_advice(paths, first, second)}"


def _advice(paths: tuple[Path, Path], first: str, second: str) -> str:
    profiles = _profile(first), _profile(second)
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


def _profile(signature: str) -> str:
    named = (name for name, each in PROFILES.items() if each.signature in signature)
    return max(named, key=len, default="")  # `zh` stands in `zh-hans`, too


def metrics_of(paths: tuple[Path, Path], signed: Mapping[str, str]) -> list[Metric]:
    """The metrics of these names and signatures, from whichever run's task can be built."""
    found: dict[str, Metric] = {}
    problems: list[SpecError] = []
    for path in paths:
        try:
            task = build(Spec.from_run(Run.load(path)))
        except SpecError as error:  # the other run may still know
            problems.append(error)
            continue
        for metric in task.metrics:
            for each in (metric, *metric.beside):
                found.setdefault(each.name, each)
    if problems and not found:
        raise problems[0]
    return [_under(found[name], signature) for name, signature in signed.items() if name in found]


def _under(metric: Metric, signature: str) -> Metric:
    """The metric as it was when these numbers were made: a run may be scored under any profile."""
    if metric.under is None or metric.signature == signature:
        return metric
    profile = _profile(signature)
    return metric.under(profile) if profile else metric
