"""The task kinds `classify` and `emotion`: one label per recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated, Any, ClassVar

from auricle.core.arguments import Hint, takes_options
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Sample
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.engine.inferencers import FirstSupported, Measure
from auricle.engine.kinds import MEDIA, MEDIA_TEMPLATE, SampleTransform, TaskKind, load_manifest
from auricle.engine.recipes import Samples, build_recipe, with_columns
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions, split_list
from auricle.metrics.catalogue import DIMENSIONS

MAX_LABELS = 1000
LABEL_PROMPT = f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one of: {{options}}."
LABEL_METRICS = ("accuracy", "uar", "macro_f1", "weighted_f1", "weighted_precision", "weighted_recall")
EMOTION_QUESTION = "Which emotion does the speaker express?"
EMOTION_METRICS = (
    *(*LABEL_METRICS, "macro_precision", "accuracy_matched", "uar_all", "top2", "ece", "eta2"),
    *(f"{name}_{dimension}" for name in ("eta2", "ccc", "pearson", "rmse") for dimension in DIMENSIONS),
)
"""Metrics for classifiers and for models of emotional dimensions; those a model cannot produce are skipped."""


@dataclass(frozen=True)
class LabelOptions(GenerationOptions):
    """The options of kinds with one label per recording."""

    lists: ClassVar[tuple[str, ...]] = (*GenerationOptions.lists, "labels")

    labels: Annotated[str | Sequence[str], Hint(is_common=True)] = ()
    """The labels, separated by commas. By default, those in the data."""


@takes_options(LabelOptions)
def classify(**arguments: Any) -> Task:
    """Build a classification task, answered by a classifier's scores or in text."""
    options = LabelOptions.from_arguments("classify", arguments)
    columns = ColumnMapping(
        target_columns=("label", "answer", "target", "emotion", "category"),
        question_columns=("question", "prompt", "instruction"),
        default_question="Which label fits this recording best?",
    )
    return build_label_task("classify", options, _load_labelled(options, columns, _add_label_options))


@takes_options(LabelOptions)
def emotion(**arguments: Any) -> Task:
    """Build an emotion recognition task, for classifiers, models of dimensions and models that generate text."""
    options = LabelOptions.from_arguments("emotion", arguments)
    columns = ColumnMapping(
        target_columns=("emotion", "label", "answer", "target", "category"), default_question=EMOTION_QUESTION
    )
    if options.prompt and not isinstance(options.prompt, str):
        samples = _load_labelled(options, columns, _add_label_options)
    else:
        # The question and the labels are the same for all samples, so that classifiers receive only audio.
        samples = _load_labelled(options, columns, _keep_media)
        prompt = str(options.prompt or LABEL_PROMPT).replace("{question}", options.question or EMOTION_QUESTION)
        options = replace(options, prompt=prompt.replace("{options}", ", ".join(samples.choices())))
    return build_label_task("emotion", options, samples, EMOTION_METRICS, metrics_depend_on_output=True)


def _load_labelled(options: LabelOptions, columns: ColumnMapping, transform: SampleTransform) -> Manifest:
    """Open data with one label per sample; the choices are the labels that the options or the rows name."""
    kind = TaskKind("", columns, LABEL_PROMPT, LABEL_METRICS, transform)
    recipe = build_recipe(options, kind.prompt, kind.metrics)
    manifest = load_manifest(options, columns, kind.sample_transform(recipe))
    manifest = replace(with_columns(manifest, recipe.displayed_prompt), prompt_fields=())
    labels = split_list(options.labels)
    return replace(manifest, choices=(lambda: labels) if labels else cache(partial(_distinct_labels, manifest)))


def _distinct_labels(manifest: Manifest) -> list[str]:
    """Return the sorted labels of a manifest."""
    rows = replace(manifest, transform=lambda sample: sample)
    labels = {str(sample.target) for sample in rows if isinstance(sample, Sample)}
    if len(labels) > MAX_LABELS:
        raise SpecError(f"{len(labels)} different labels: the label column seems to contain free text.")
    return sorted(labels)


def build_label_task(
    name: str,
    options: LabelOptions,
    samples: Samples,
    metrics: tuple[str, ...] = LABEL_METRICS,
    *,
    metrics_depend_on_output: bool = False,
) -> Task:
    """Build a classification task from samples, for classifiers and for models that generate text."""
    kind = TaskKind(name, ColumnMapping(target_columns=()), LABEL_PROMPT, metrics)
    task = kind.task_from_samples(options, build_recipe(options, LABEL_PROMPT, metrics), samples)
    task = replace(task, metrics_depend_on_output=metrics_depend_on_output)
    if options.inferencer:
        return task
    return replace(task, inferencer=FirstSupported((Measure(), task.inferencer)))


def _keep_media(sample: Sample) -> Sample:
    """Keep the recording and the labels; the prompt contains the question."""
    media = {name: value[0] for name, value in sample.inputs.items() if name in MEDIA and isinstance(value, list)}
    return replace(sample, target=str(sample.target), inputs={**media, "choices": sample.inputs["choices"]})


def _add_label_options(sample: Sample) -> Sample:
    if isinstance(sample.target, list):
        raise SampleError(f"expected one label, got {sample.target!r}")
    choices = sample.inputs.get("choices", [])
    shown = ", ".join(str(choice) for choice in choices) if isinstance(choices, list) else ""
    return replace(sample, target=str(sample.target), inputs={**sample.inputs, "options": shown})
