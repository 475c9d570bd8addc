"""Select the metrics of two runs that can be compared, and explain why others cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from auricle.core.errors import SpecError
from auricle.core.judge_roles import JudgeRole
from auricle.core.signature import JUDGE_MARK, VERSION_MARK, MetricSignature
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import list_members
from auricle.metrics.catalogue import METRICS, PROFILE_MARK
from auricle.runs.metrics import Metrics, Number
from auricle.runs.run_directory import Run

Paths = tuple[Path, Path]


def choose_metrics(
    paths: Paths, results: tuple[Metrics, Metrics], requested: Sequence[str]
) -> tuple[dict[str, MetricSignature], dict[str, str]]:
    """Return the comparable metrics with their signatures, and the reasons why others are not comparable."""
    numbers = [{number.metric: number for number in side.overall} for side in results]
    available = list(dict.fromkeys([*numbers[0], *numbers[1]]))
    chosen: dict[str, MetricSignature] = {}
    refused: dict[str, str] = {}
    for name in requested or available:
        if name not in available and not any(name in side.not_computed for side in results):
            raise SpecError(f"Neither run has the metric {name!r}. Available: {', '.join(available) or 'none'}.")
        reason = _explain_missing(name, paths, numbers, results)
        if not reason:
            first, second = (side[name].signature.metric for side in numbers)
            reason = _explain_difference(paths, first, second)
            chosen |= {} if reason else {name: first}
        if reason:
            refused[name] = reason
    return chosen, refused


def _explain_missing(
    name: str, paths: Paths, numbers: Sequence[Mapping[str, Number]], results: Sequence[Metrics]
) -> str:
    """Explain why one of the runs lacks this metric, with what adds it; return an empty string if both have it."""
    for side_name, path, side_numbers, side, other in zip("AB", paths, numbers, results, results[::-1], strict=True):
        if name in side_numbers:
            continue
        if name in side.not_computed:
            return f"not computed in {side_name}: {side.not_computed[name]}"
        advice = "Run the command of that run again with -T metrics=…; no request is sent twice."
        if len(profiles := other.scoring.profiles) > 1 and any(f"{PROFILE_MARK}{p}" in name for p in profiles):
            advice = f"Score it with the same profiles: auricle score {path} --profile {' --profile '.join(profiles)}"
        return f"{side_name} does not have this metric; it has {', '.join(side_numbers) or 'none'}. {advice}"
    return ""


def _explain_difference(paths: Paths, a: MetricSignature, b: MetricSignature) -> str:
    """Explain why two metrics of the same name differ, with the command that makes them comparable."""
    if a == b:
        return ""
    return f"computed differently: {a} in A, {b} in B. {_suggest_command(paths, a, b)}"


def _suggest_command(paths: Paths, a: MetricSignature, b: MetricSignature) -> str:
    if a.profile and b.profile and a.profile != b.profile:
        return (
            f"Use the same profile: auricle score {paths[1]} --profile {a.profile}, "
            f"or auricle score {paths[0]} --profile {b.profile}"
        )
    if a.judge != b.judge:
        path, judge = (paths[1], a.judge) if a.judge else (paths[0], b.judge)
        role, model = _find_role(a.name), judge.partition(VERSION_MARK)[0]
        return f"Use the same {role.noun}: auricle score {path} {role.option} {model}"
    return f"Score both with this version: auricle score {paths[0]} {paths[1]}"


def _find_role(name: str) -> JudgeRole:
    """Return the role of the models that a metric needs."""
    base = name.partition(JUDGE_MARK)[0]
    role: JudgeRole = getattr(METRICS.get(base), "judge_role", JudgeRole.JUDGE) if base in METRICS else JudgeRole.JUDGE
    return role


def load_metrics(paths: Paths, signatures: Mapping[str, MetricSignature]) -> list[Metric]:
    """Return the metrics with these names and signatures, from the first run whose task can be built and has them."""
    by_name: dict[str, Metric] = {}
    problems: list[SpecError] = []
    for path in paths:
        if by_name.keys() >= signatures.keys():
            break
        try:
            task = build_task(Spec.as_scored(Run.load(path)))
        except SpecError as error:  # the other run's task may still be built
            problems.append(error)
            continue
        for metric in task.metrics:
            for member in list_members(metric):
                by_name.setdefault(member.name, member)
    if problems and not by_name:
        raise problems[0]
    by_name |= {  # those of one judge among several
        name: by_name[base].replace(name=name)
        for name in signatures
        if (base := name.partition(JUDGE_MARK)[0]) != name and base in by_name
    }
    # A judge that was added when the run was scored again adds metrics to those of its task.
    by_name |= {name: METRICS.get(name) for name in signatures.keys() - by_name.keys() if name in METRICS.builtin}
    return [by_name[name] for name in signatures if name in by_name]
