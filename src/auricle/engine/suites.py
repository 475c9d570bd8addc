"""Suites: several tasks with one combined number, the weighted mean of theirs.

# suite.yaml
suite:
- english.yaml
- {task: german.yaml, weight: 2}
- {task: fleurs, name: french, task_args: {language: fr}}
metric: wer
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Any, Literal, NoReturn, Protocol

from auricle.core.direction import Direction
from auricle.core.errors import SpecError
from auricle.core.registry import split_prefix
from auricle.core.yaml_files import KeyPath, read_yaml_with_extends
from auricle.data.huggingface import HF_PREFIX
from auricle.data.sources import is_data_source
from auricle.engine.catalogue import TASKS
from auricle.engine.conditions import CLEAN, PERTURB_ARGUMENT, Condition
from auricle.engine.task_files import (
    SUITE_FIELD,
    YAML_SUFFIXES,
    TaskFile,
    absolute_code_path,
    absolute_path,
    resolve_paths,
)
from auricle.engine.task_options import PROVENANCE_OPTIONS, Provenance, check_option, is_integer

Average = Literal["parts", "languages", "conditions"]
AVERAGES: tuple[Average, ...] = ("parts", "languages")
"""The averages that a suite may name."""
CONDITIONS: Average = "conditions"
"""What a suite has in place of an average if its parts are conditions of one task; see `make_condition_suite`."""
SUITE_FIELDS = (SUITE_FIELD, "name", "metric", "average", *PROVENANCE_OPTIONS)
PART_FIELDS = ("task", "as", "name", "weight", "metric", "task_args")


class Measured(Protocol):
    """A metric or a number, as far as averages depend on it."""

    @property
    def direction(self) -> Direction: ...

    @property
    def unit(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class SuitePart:
    """One task of a suite.

    Args:
        task: Name of a task, a task file, or a data file with `kind`.
        name: Name in tables and folders. Default: that of the file or the task.
        kind: Kind of task, for a data file.
        task_args: Arguments of the task.
        weight: Weight of its number in the combined one.
        metric: The metric whose number is combined. Default: that of the suite.
        condition: What is changed in the samples, such as `noise:snr=10`; empty if nothing is.

    Examples:
        >>> SuitePart(task="librispeech", name="clean", task_args={"split": "test-clean"}).name
        'clean'
    """

    task: str
    name: str = ""
    kind: str | None = None
    task_args: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0
    metric: str = ""
    condition: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            is_file = self.task.endswith(YAML_SUFFIXES) or is_data_source(self.task)
            name = PurePath(self.task).stem if is_file else self.task.rpartition(":")[2].replace("/", "-")
            object.__setattr__(self, "name", name)


@dataclass(frozen=True, kw_only=True)
class Suite(Provenance):
    """Several tasks with one combined number. `auricle run` accepts it as `file.py:NAME` or through an entry point.

    Args:
        name: Name in tables and folders.
        parts: The tasks.
        metric: The metric whose numbers are combined. Default: every metric that all parts have.
        average: `parts` for the mean over parts; `languages` for the mean over languages, each being the mean of its
            parts. Weights apply among parts, or among the parts of a language.
        purpose: `listening` if the parts are the controls of a listening check.

    Examples:
        >>> suite = Suite(
        ...     name="speech",
        ...     parts=(SuitePart(task="librispeech"), SuitePart(task="aishell", weight=2)),
        ...     metric="cer",
        ... )
        >>> suite.shares({"librispeech": "en", "aishell": "zh"})
        {'librispeech': 0.3333333333333333, 'aishell': 0.6666666666666666}
    """

    name: str
    parts: tuple[SuitePart, ...]
    metric: str = ""
    average: Average = "parts"
    purpose: str = ""

    kind = "suite"

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        if not names:
            raise SpecError(f"The suite {self.name} has no tasks.", location=(SUITE_FIELD,))
        for index, name in enumerate(names):
            if name in names[:index]:
                raise SpecError(
                    f"Two parts of the suite {self.name} are named {name!r}. Set `name` of one.",
                    location=(SUITE_FIELD, index),
                )

    def __call__(self, **_arguments: Any) -> NoReturn:
        raise SpecError(
            f"{self.name} is a suite of several tasks ({', '.join(part.task for part in self.parts)}). "
            "Run it with `auricle run`, or use one of the tasks here."
        )

    @property
    def provenance(self) -> Provenance:
        return Provenance(**{name: getattr(self, name) for name in PROVENANCE_OPTIONS})

    @property
    def summary(self) -> str:
        """One line for `auricle list tasks`."""
        return self.description or f"suite of {', '.join(part.name for part in self.parts)}"

    def shares(self, languages: Mapping[str, str]) -> dict[str, float]:
        """Return the share of each part in the combined number; they add up to 1.

        Args:
            languages: The language of each part, by its name.

        Raises:
            SpecError: if languages are averaged and a part has none, or several.
        """
        return compute_shares({part.name: part.weight for part in self.parts}, languages, self.average)

    def choose_metrics(self, available: Mapping[str, Mapping[str, Measured]]) -> dict[str, dict[str, str]]:
        """Return the metric of each part that each combined number is made of.

        Args:
            available: The metrics of each part, by the names of part and metric.

        Raises:
            SpecError: if a part lacks the metric, or the metrics cannot be averaged.
        """
        return choose_metrics(self.metric, {part.name: part.metric for part in self.parts}, available)


def compute_shares(weights: Mapping[str, float], languages: Mapping[str, str], average: str) -> dict[str, float]:
    """Return the share of each part in the mean over parts, or in the mean over languages."""
    if average != "languages":
        total = sum(weights.values())
        return {name: weight / total for name, weight in weights.items()}
    totals: dict[str, float] = {}
    for name, weight in weights.items():
        if not (language := languages.get(name, "")) or "," in language:
            actual = f"has {language}" if language else "has none"
            raise SpecError(
                f"`average: languages` needs one language for each part, but {name} {actual}. Set `language` of its "
                "task.",
                location=("average",),
            )
        totals[language] = totals.get(language, 0.0) + weight
    return {name: weight / totals[languages[name]] / len(totals) for name, weight in weights.items()}


def choose_metrics(
    metric: str, part_metrics: Mapping[str, str], available: Mapping[str, Mapping[str, Measured]]
) -> dict[str, dict[str, str]]:
    """Return the metric of each part that each combined number is made of; see `Suite.choose_metrics`."""
    names = {part: own or metric for part, own in part_metrics.items()}
    if any(names.values()):
        chosen = {" / ".join(dict.fromkeys(names.values())): names}
    else:
        first, *others = available.values()
        shared = [name for name in first if all(name in metrics for metrics in others)]
        chosen = {name: dict.fromkeys(part_metrics, name) for name in shared}
    if not chosen:
        listed = "; ".join(f"{part} has {', '.join(metrics) or 'none'}" for part, metrics in available.items())
        raise SpecError(f"The parts have no metric in common: {listed}. Set `metric` of each part.")
    for by_part in chosen.values():
        _check_average(by_part, available)
    return chosen


def _check_average(by_part: Mapping[str, str], available: Mapping[str, Mapping[str, Measured]]) -> None:
    """Raise `SpecError` if a part lacks its metric, or directions or units differ."""
    measured: list[tuple[str, str, Measured]] = []
    for part, metrics in available.items():
        name = by_part[part]
        if name not in metrics:
            problem = f"has no metric {name!r}; it has {', '.join(metrics) or 'none'}" if name else "has no `metric`"
            raise SpecError(f"Part {part} {problem}. Set `metric` of the suite or of this part.", location=("metric",))
        measured.append((part, name, metrics[name]))
    first_part, first_name, first = measured[0]
    for part, name, other in measured[1:]:
        same_direction = first.direction is other.direction
        same_unit = first.unit == other.unit and (bool(first.unit) or first_name == name)
        if not (same_direction and same_unit):
            raise SpecError(
                f"Cannot average {first_name} of {first_part} ({_describe(first)}) and {name} of {part} "
                f"({_describe(other)}). Choose metrics with the same direction and unit with `metric`.",
                location=("metric",),
            )


def _describe(measured: Measured) -> str:
    return f"{measured.direction.phrase}, unit: {measured.unit or 'none'}"


def make_condition_suite(task: str, task_args: Mapping[str, Any], perturbations: Sequence[str]) -> Suite:
    """Return a suite of one task under several conditions, the first of which changes nothing.

    Args:
        task: Name of the task.
        task_args: Arguments of the task.
        perturbations: Conditions; an argument with several values stands for several of them.

    Examples:
        >>> [part.name for part in make_condition_suite("demo", {}, ["noise:snr=20,10"]).parts]
        ['clean', 'noise:snr=20', 'noise:snr=10']
    """
    conditions = dict.fromkeys(str(condition) for text in perturbations for condition in Condition.expand(text))
    parts = [
        SuitePart(
            task=task,
            name=condition or CLEAN,
            task_args={**task_args, PERTURB_ARGUMENT: condition} if condition else task_args,
            condition=condition,
        )
        for condition in ("", *conditions)
    ]
    return Suite(name=SuitePart(task=task).name, parts=tuple(parts), average=CONDITIONS)


# --- YAML ---------------------------------------------------------------------------------------


def find_suite(name: str) -> Suite | None:
    """Return the suite that a TASK argument names, or None if it names something else."""
    if name.endswith(YAML_SUFFIXES):
        return None if split_prefix(name)[0] else read_suite(Path(name))
    is_data = name.startswith(HF_PREFIX) or is_data_source(name)
    if is_data or split_prefix(name)[0] or (":" not in name and name not in {*TASKS}):
        return None
    entry = TASKS.get(name)
    if isinstance(entry, TaskFile):
        return read_suite(entry.path)
    return entry if isinstance(entry, Suite) else None


def read_suite(path: Path) -> Suite | None:
    """Read a suite from a YAML file; return None if it is a task file.

    Raises:
        SpecError: with file and line, if a field is unknown or invalid.
    """
    values, locations = read_yaml_with_extends(path, _resolve_entries)
    if SUITE_FIELD not in values:
        return None
    with locations.annotate_errors():
        _check_fields(values, SUITE_FIELDS, ())
        entries = values[SUITE_FIELD]
        check_option(SUITE_FIELD, entries, isinstance(entries, list), "a list of tasks")
        average = values.get("average", "parts")
        return Suite(
            name=_read_text(values, "name", ()) or path.stem,
            parts=tuple(_read_parts(entries)),
            metric=_read_text(values, "metric", ()),
            average=check_option("average", average, average in AVERAGES, f"one of {', '.join(AVERAGES)}"),
            **{name: getattr(Provenance.from_values(values), name) for name in PROVENANCE_OPTIONS},
        )


def list_part_files(values: Mapping[str, Any], base: Path) -> list[Path]:
    """Return the task files that the values of a YAML file list as parts of a suite."""
    entries = values.get(SUITE_FIELD)
    entries = entries if isinstance(entries, list) else []
    tasks = [entry.get("task") if isinstance(entry, Mapping) else entry for entry in entries]
    return [base / task for task in tasks if isinstance(task, str) and task.endswith(YAML_SUFFIXES)]


def _resolve_entries(file: Path, values: dict[str, Any]) -> dict[str, Any]:
    """Make the paths in a list of tasks absolute, relative to the file; invalid entries are reported later."""
    entries = values.get(SUITE_FIELD)
    if not isinstance(entries, list):
        return values
    parts = [{"task": entry} if isinstance(entry, str) else entry for entry in entries]
    return {**values, SUITE_FIELD: [_resolve_entry(part, file.parent) for part in parts]}


def _resolve_entry(values: Any, base: Path) -> Any:
    if not isinstance(values, Mapping) or not isinstance(values.get("task"), str):
        return values
    arguments = values.get("task_args")
    resolved = {**values, "task": _resolve_task_path(values["task"], base)}
    return {**resolved, "task_args": resolve_paths(arguments, base)} if isinstance(arguments, Mapping) else resolved


def _read_parts(entries: Sequence[Any]) -> Iterator[SuitePart]:
    for index, values in enumerate(entries):
        location = (SUITE_FIELD, index)
        if not isinstance(values, Mapping) or not isinstance(values.get("task"), str):
            raise SpecError(f"Invalid part {values!r}: expected a task, or a mapping with `task`.", location=location)
        _check_fields(values, PART_FIELDS, location)
        weight: Any = values.get("weight", 1)
        if not (is_integer(weight) or isinstance(weight, float)) or not 0 < weight < math.inf:
            raise SpecError(f"Invalid weight {weight!r}: expected a positive number.", location=(*location, "weight"))
        arguments = values.get("task_args", {})
        if not isinstance(arguments, Mapping):
            raise SpecError(f"Invalid task_args {arguments!r}: expected a mapping.", location=(*location, "task_args"))
        yield SuitePart(
            task=values["task"],
            name=_read_text(values, "name", location),
            kind=_read_text(values, "as", location) or None,
            task_args=arguments,
            weight=float(weight),
            metric=_read_text(values, "metric", location),
        )


def _resolve_task_path(task: str, base: Path) -> str:
    """Make the path of a task file, a data file or a Python file absolute."""
    is_file = task.endswith(YAML_SUFFIXES) or is_data_source(task)
    if task.startswith(HF_PREFIX) or (is_file and not split_prefix(task)[0]):
        return absolute_path(task, base)
    return absolute_code_path(task, base)


def _check_fields(values: Mapping[str, Any], known: Sequence[str], location: KeyPath) -> None:
    for name in values:
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Expected one of: {', '.join(known)}."
            raise SpecError(f"Unknown field of a suite: {name!r}. {hint}", location=(*location, str(name)))


def _read_text(values: Mapping[str, Any], name: str, location: KeyPath) -> str:
    value = values.get(name)
    if value is None:
        return ""
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise SpecError(f"Invalid {name} {value!r}: expected text.", location=(*location, name))
    return str(value)
