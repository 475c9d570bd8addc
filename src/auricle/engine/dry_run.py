"""Check a run before it is started: task, data, model and settings. No model is loaded and nothing is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from auricle.core.arguments import describe_arguments, list_missing
from auricle.core.errors import AuricleError, SampleError
from auricle.core.types import RejectedRow, Sample, list_parts
from auricle.data import Manifest
from auricle.engine.config import RunConfig
from auricle.engine.factory import Evaluation, build_task, check_settings
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.media import Audio
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Restricted
from auricle.models import Model
from auricle.models.availability import describe_readiness

SAMPLE_COUNT = 20
"""Number of samples whose audio is decoded."""


class CheckLine(NamedTuple):
    """What a check found."""

    passed: bool | None
    """None for a note."""
    text: str


def check_config(config: RunConfig, sample_count: int = SAMPLE_COUNT) -> Iterator[CheckLine]:
    """Check every evaluation of a config: what `auricle run --dry-run` prints."""
    try:
        plans = config.plan()
        for plan in plans:
            for evaluation in plan.evaluations:
                check_settings(evaluation.model_class, evaluation.spec, plan.settings)
    except AuricleError as error:
        yield CheckLine(False, str(error))
        return
    for plan in plans:
        for evaluation in plan.evaluations:
            yield from _check_evaluation(evaluation, sample_count)


def _check_evaluation(evaluation: Evaluation, sample_count: int) -> Iterator[CheckLine]:
    spec = evaluation.spec
    try:
        count = evaluation.sample_count
    except AuricleError as error:
        yield CheckLine(False, str(error))
        return
    samples = f": {count:,} samples" if count is not None else ""
    yield CheckLine(True, f"{evaluation.title}{samples}, asked with {type(evaluation.inferencer).__name__}")
    yield from check_samples(spec, evaluation.task, sample_count)
    yield from _check_model(evaluation.model_class, spec)


def _check_model(model_class: type[Model], spec: Spec) -> Iterator[CheckLine]:
    if missing := list_missing(describe_arguments(model_class), spec.model_args):
        yield CheckLine(False, f"{spec.model}: missing {', '.join(missing)}. Set it with -M {missing[0]}=…")
    is_ready, status = describe_readiness(model_class, spec.model_args)
    if not model_class.listing.is_installed:
        yield CheckLine(False, f"{spec.model}: {status}")
    elif not missing:
        yield CheckLine(True if is_ready else None, f"{spec.model}: {status}")


def check_task_data(spec: Spec, sample_count: int) -> Iterator[CheckLine]:
    """Check that the first rows of a task can be read and their audio decoded."""
    try:
        task = build_task(spec)
    except AuricleError as error:
        yield CheckLine(False, str(error))
        return
    yield from check_samples(spec, task, sample_count)


def check_samples(spec: Spec, task: Task, sample_count: int) -> Iterator[CheckLine]:
    """Check the first rows of a task that was built."""
    try:
        rows = list(islice(task.samples, sample_count))
        notes = task.notes(spec.model, spec.model_args)
    except AuricleError as error:
        yield CheckLine(False, str(error))
        return
    samples = [row for row in rows if isinstance(row, Sample)]
    problems = [(row.origin, row.reason) for row in rows if isinstance(row, RejectedRow)]
    seconds = 0.0
    undecodable = set()
    parts = [(sample, part) for sample in samples for value in sample.inputs.values() for part in list_parts(value)]
    for sample, part in parts:
        try:
            seconds += len(part.decode(16_000)) / 16_000 if isinstance(part, Audio) else 0.0
        except AuricleError as error:
            problems.append((sample.origin or sample.id, str(error)))
            undecodable.add(sample.id)
    problems += _check_metric_columns(task, samples)
    valid = len(samples) - len(undecodable)
    yield CheckLine(valid > 0, f"{valid} of the first {len(rows)} rows are valid samples, {seconds:.1f} s of audio")
    yield from _summarise_problems(problems)
    if isinstance(task.samples, Manifest) and not samples:
        columns = ", ".join(task.samples.list_columns())
        choice = f"The columns are {columns}. Choose them with -T, such as -T audio=COLUMN or -T target=COLUMN"
        yield CheckLine(False, choice if columns else "There are no rows")
    for note in notes:
        yield CheckLine(None, note)


def _check_metric_columns(task: Task, samples: Sequence[Sample]) -> Iterator[tuple[str, str]]:
    """Yield the columns that a metric needs and cannot read, such as a list of entities; each once per row."""
    for sample in samples:
        reasons = {
            str(error): None
            for metric in task.metrics
            if (not isinstance(metric, Restricted) or metric.applies(sample)) and (error := _try_bounds(metric, sample))
        }
        yield from ((sample.origin or sample.id, reason) for reason in reasons)


def _try_bounds(metric: Metric, sample: Sample) -> SampleError | None:
    """Return why a metric cannot read a sample; its bounds depend on the same columns as its score."""
    try:
        metric.bound(sample)
    except SampleError as error:
        return error
    except Exception:  # noqa: BLE001 - a metric of a user may raise anything, which scoring reports
        return None
    return None


def _summarise_problems(problems: Iterable[tuple[str, str]]) -> Iterator[CheckLine]:
    """Describe each reason once, with the first row that has it and the number of others."""
    origins_by_reason: dict[str, list[str]] = {}
    for origin, reason in problems:
        origins_by_reason.setdefault(reason, []).append(origin)
    for reason, (first, *others) in origins_by_reason.items():
        rest = f" and {len(others)} more row{'s' * (len(others) > 1)}" if others else ""
        yield CheckLine(False, f"{first}{rest}: {reason}")
