"""What a listening check needs of each sample under each condition: its statistics and the answer by its content."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.types import Generation, Likelihood, Output, Prediction, Record, Sample
from auricle.core.value_text import format_group
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Choosing, ReadsReply
from auricle.metrics.targets import get_choices, resolve_option
from auricle.runs.run_directory import Run
from auricle.runs.scores import read_scores, restore_stat
from auricle.tasks.labels.metrics import format_option
from auricle.tasks.questions.likelihood import letter_logprobs


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer by its content, whatever position it was offered at."""

    content: str | None = None
    """The text of the chosen option, the label or the number; None if no answer could be read."""
    position: int | None = None
    """The position of the chosen option."""
    values: Mapping[str, float] | None = None
    """Predicted or stated numbers by name; None if the answer is not a number."""


@dataclass(frozen=True, slots=True)
class Item:
    """A sample under one condition."""

    id: str
    row: int
    cluster: str | None
    stats: Mapping[str, Any]
    """Statistics by metric."""
    answer: Answer
    option_count: int
    true_position: int | None
    target: str
    text: str
    """The answer as the model wrote it."""
    seconds: float | None
    """Duration of its audio."""


def load_items(path: Path, metrics: Sequence[Metric], cluster: str) -> dict[str, Item]:
    """Load the answered samples of a run, by id and in the order of the data.

    Args:
        path: Run directory.
        metrics: The metrics of its task.
        cluster: Metadata field that samples are clustered by, if any.
    """
    stats = {line.id: {name: restore_stat(stat) for name, stat in line.stats.items()} for line in read_scores(path)}
    answered = [record for record in Run.load(path).records() if not record.error]
    answered.sort(key=lambda record: record.row)
    return {
        record.sample.id: _make_item(record, stats.get(record.sample.id, {}), metrics, cluster) for record in answered
    }


def _make_item(record: Record, stats: Mapping[str, Any], metrics: Sequence[Metric], cluster: str) -> Item:
    sample, choices = record.sample, get_choices(record.sample)
    value = sample.meta.get(cluster) if cluster else None
    last = record.outputs[-1] if record.outputs else None
    return Item(
        id=sample.id,
        row=record.row,
        cluster=None if value is None else format_group(value),
        stats=stats,
        answer=read_answer(sample, record.outputs, metrics),
        option_count=len(choices),
        true_position=resolve_option(sample.target, choices) if choices and _is_one_answer(sample) else None,
        target=str(sample.target),
        text=last.text if isinstance(last, Generation) else "",
        seconds=record.audio_seconds,
    )


def _is_one_answer(sample: Sample) -> bool:
    return isinstance(sample.target, (str, int)) and not isinstance(sample.target, bool)


# --- answers --------------------------------------------------------------------------------


def read_answer(sample: Sample, outputs: Sequence[Output], metrics: Sequence[Metric]) -> Answer:
    """Return the answer of a sample: as a metric reads it, or the likeliest option, or the predicted numbers."""
    last = outputs[-1] if outputs else None
    if isinstance(last, Prediction):
        if last.scale == "continuous":
            return Answer(values=_number_values(outputs))
        return _locate(max(last.values, key=lambda name: last.values[name]), sample) if last.values else Answer()
    if isinstance(last, Likelihood):
        likelihoods = [output for output in outputs if isinstance(output, Likelihood)]
        condition = likelihoods[0].conditioned_on
        totals = [likelihood.total for likelihood in likelihoods if likelihood.conditioned_on == condition]
        return _choose(sample, totals)
    if isinstance(last, Generation):
        return _read_text(sample, outputs, last, metrics)
    return Answer()


def _number_values(outputs: Sequence[Output]) -> dict[str, float]:
    """Return the predicted numbers by name; those of a second recording have its number in their names."""
    predictions = [output for output in outputs if isinstance(output, Prediction)]
    return {
        f"{name}_{index}" if index > 1 else name: value
        for index, prediction in enumerate(predictions, 1)
        for name, value in prediction.values.items()
    }


def _choose(sample: Sample, values: Sequence[float]) -> Answer:
    """Return the option with the highest value; the first of several."""
    index, choices = values.index(max(values)), get_choices(sample)
    return Answer(choices[index], index) if index < len(choices) else Answer()


def _read_text(sample: Sample, outputs: Sequence[Output], last: Generation, metrics: Sequence[Metric]) -> Answer:
    if last.first_token_logprobs is not None:
        values = [-math.inf if value is None else value for value in letter_logprobs(sample, last)]
        return _choose(sample, values) if values and max(values) > -math.inf else Answer()
    metric = next((metric for metric in metrics if isinstance(metric, ReadsReply)), None)
    if metric is None:
        return Answer()
    value = metric.reader(sample, *outputs).value
    if value is None:
        return Answer()
    if isinstance(metric, Choosing):
        return _locate(str(value), sample)
    return Answer(str(value), values=_parse_number(str(value)))


def _parse_number(text: str) -> dict[str, float] | None:
    try:
        return {"rating": float(text)}
    except ValueError:  # several ratings, or a preference
        return None


def _locate(value: str, sample: Sample) -> Answer:
    """Return an answer that may name an option with its letter, with the position of the option."""
    choices = get_choices(sample)
    for index, choice in enumerate(choices):
        if value in (choice, format_option(index, choices)):
            return Answer(choice, index)
    return Answer(value)
