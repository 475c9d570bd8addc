"""What every format has in common: the runs, and what only the user knows about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from auricle import api
from auricle.core.errors import SpecError
from auricle.data.huggingface import HF_PREFIX
from auricle.engine.spec import Spec
from auricle.report.text_format import format_number
from auricle.runs.metrics import Metrics, Number
from auricle.runs.run_spec import RunSpec, read_run_spec
from auricle.runs.suites import contains_suite
from auricle.sharing.exports.catalogue import PUBLISHERS

HUB_DATASETS = "huggingface.co/datasets/"
HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
"""A repository of the Hugging Face Hub: its owner and its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishOptions:
    """What only the user knows. Where there is a value per run, one value is that of all runs."""

    model_id: str = ""
    dataset_ids: tuple[str, ...] = ()
    task_ids: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    """Metrics to publish; by default, those of the format."""
    task_type: str = ""
    source_url: str = ""
    samples: bool = True
    """Whether to publish the references, answers and metadata of samples, if the format has them."""
    organisation: str = ""
    """Who evaluated."""
    relationship: str = "other"
    """Whether the developer of the model evaluated it."""


@dataclass(frozen=True)
class FinishedRun:
    """A finished run with its numbers."""

    path: Path
    metrics: Metrics
    spec: RunSpec

    @classmethod
    def load(cls, path: Path) -> FinishedRun:
        """Read a run; its numbers are computed if they are missing.

        Raises:
            SpecError: if it is a suite, or is not finished.
        """
        if contains_suite(path):
            raise SpecError(f"{path} is a suite. Publish the runs of its parts, which are folders in it.")
        spec = read_run_spec(path)
        metrics = api.load_metrics(path)
        if not metrics.complete:
            raise SpecError(f"{path} is not finished. Run the same command again to resume it, then publish it.")
        return cls(path, metrics, spec)

    @property
    def created(self) -> datetime:
        """When the run was created, or else when it was scored, in UTC."""
        return datetime.fromisoformat(self.spec.created or self.metrics.created).astimezone(UTC)

    @cached_property
    def kind(self) -> str:
        """The kind of task."""
        return str(api.build_task(Spec.model_validate(self.spec.spec)).extra_context.get("kind") or self.spec.task)

    @property
    def model_id(self) -> str:
        """The repository of the model on the Hub, if the run states it; otherwise empty."""
        model = str(self.spec.model_args.get("model") or "")
        return model if HUB_NAME.fullmatch(model) and not Path(model).exists() else ""

    @property
    def dataset_id(self) -> str:
        """The repository of the data on the Hub, if the run states it; otherwise empty."""
        source = self.metrics.task.source.removeprefix("https://")
        for prefix in (HF_PREFIX, HUB_DATASETS):
            name = source.removeprefix(prefix)
            if name != source and HUB_NAME.fullmatch(name):
                return name
        return ""

    @property
    def dataset_revision(self) -> str:
        """The commit of the data on the Hub, if it was pinned; otherwise empty."""
        _, _, revision = self.metrics.task.revision.rpartition("@")
        return revision if re.fullmatch(r"[0-9a-f]{40}", revision) else ""

    def select_numbers(self, names: Sequence[str]) -> list[Number]:
        """Return the numbers of these metrics over all samples, or without names all that are defined.

        Raises:
            SpecError: if a metric was not computed or has no value, or none has one.
        """
        defined = {number.metric: number for number in self.metrics.overall if number.value is not None}
        if not defined:
            raise SpecError(f"{self.path} has no metric with a value. `auricle show {self.path}` prints the reasons.")
        for name in names:
            if name not in defined:
                raise SpecError(f"{self.path} has no value of {name!r}. Metrics with a value: {', '.join(defined)}.")
        return [defined[name] for name in names or defined]


@dataclass(frozen=True, slots=True)
class Published:
    """The files that were written, and what to do with them."""

    files: list[Path]
    next_step: str


def publish_runs(paths: Sequence[Path], format_name: str, options: PublishOptions, out: Path) -> Published:
    """Write runs in a format; nothing is uploaded.

    Args:
        paths: Run directories.
        format_name: A name in `PUBLISHERS`.
        options: What only the user knows.
        out: Output folder.
    """
    publish = PUBLISHERS.get(format_name)
    return publish([FinishedRun.load(path) for path in paths], options, out)


def spread(values: Sequence[str], count: int, option: str) -> list[str]:
    """Return a value per run from the values of an option: one for all, or one per run; empty texts if there is none.

    Raises:
        SpecError: if there is another number of values.
    """
    if len(values) not in (0, 1, count):
        raise SpecError(f"{option} has {len(values)} values for {count} runs. Give one, or one per run in their order.")
    return list(values) if len(values) == count else list(values or [""]) * count


def resolve_model_id(runs: Sequence[FinishedRun], options: PublishOptions) -> str:
    """Return the repository of the model that all runs evaluate.

    Raises:
        SpecError: if it is unknown, or runs evaluate different models.
    """
    names = dict.fromkeys((run.metrics.model.name, run.model_id) for run in runs)
    if len(names) > 1:
        models = ", ".join(name for name, _ in names)
        raise SpecError(f"The runs evaluate different models ({models}). Publish those of each model on their own.")
    model_id = options.model_id or runs[0].model_id
    if not model_id:
        raise SpecError(f"{runs[0].path} does not state which model of the Hub it is. Add --model-id OWNER/NAME.")
    return model_id


def resolve_dataset_ids(runs: Sequence[FinishedRun], options: PublishOptions) -> list[str]:
    """Return the repository of the data of each run.

    Raises:
        SpecError: if one is unknown.
    """
    dataset_ids = []
    for run, chosen in zip(runs, spread(options.dataset_ids, len(runs), "--dataset-id"), strict=True):
        dataset_id = chosen or run.dataset_id
        if not dataset_id:
            raise SpecError(f"{run.path} does not state which dataset of the Hub it is. Add --dataset-id OWNER/NAME.")
        dataset_ids.append(dataset_id)
    return dataset_ids


def hub_value(number: Number) -> float:
    """Return a value as it is published on the Hub: shares in percent.

    The number of decimals is limited because 100 times a binary fraction has many.
    """
    assert number.value is not None
    return round(100 * number.value, 6) if number.unit == "share" else number.value


def describe_number(number: Number) -> str:
    """Describe a number for readers of another site: interval, samples, direction and signature."""
    parts = [f"{number.title or number.metric} {format_number(number.value, number.unit)}"]
    if number.low is not None and number.high is not None and not number.has_too_few_units:
        units = f" over {number.units} values of {number.cluster}" if number.cluster else ""
        ends = " to ".join(format_number(end, number.unit) for end in (number.low, number.high))
        parts.append(f"95 % interval {ends} ({number.interval}{units})")
    parts.append(f"{number.read} of {number.total} samples scored")
    if number.failed:
        parts.append(f"{number.failed} failed")
    parts.append(number.direction.phrase)
    return f"{', '.join(parts)}. Signature: {number.signature}"
