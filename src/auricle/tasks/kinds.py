"""The kinds of task any manifest can be: transcribe, choose, answer, be judged, classify."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.data.huggingface import HF_PREFIX, HuggingFaceDataset
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.metrics.base import Metric, as_metric
from auricle.metrics.catalogue import METRICS
from auricle.metrics.labels import resolve_option
from auricle.metrics.multi_answer import apply_aggregations
from auricle.prompts.few_shot import FewShotSelector
from auricle.prompts.few_shot_options import pool_path
from auricle.tasks.base import Task
from auricle.tasks.inferencers import Choose, FirstSupported, Measure
from auricle.tasks.languages import language_name
from auricle.tasks.options import TaskOptions, parse_span, split_list
from auricle.tasks.recipes import Recipe, Samples, build_recipe, promote_columns, required_fields, with_shots
from auricle.text import resolve_profile_name, strip_labels

MEDIA_TEMPLATE = "{video?}{image?}{audio?}"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_LABELS = 1000
LABEL_PROMPT = f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one of: {{options}}."
LABEL_METRICS = ("accuracy", "uar", "macro_f1", "weighted_f1")

DEFAULT_PROFILES = {"en": "whisper-en", "zh": "zh", "yue": "zh"}
UNSPACED_LANGUAGES = {"ja", "th", "lo", "km", "my"}  # languages whose writing has no words to count
DEFAULT_PROFILES |= dict.fromkeys(UNSPACED_LANGUAGES, "chars")
TRANSCRIPT_METRICS: dict[str, tuple[str, ...]] = {"zh": ("mer", "cer"), "yue": ("mer", "cer")}
TRANSCRIPT_METRICS |= dict.fromkeys(UNSPACED_LANGUAGES, ("cer",))

SampleTransform = Callable[[Sample], Sample]


def first_target(sample: Sample) -> str:
    """How a right answer is written: the target, or the first of several."""
    target = sample.target
    return str(target[0] if isinstance(target, (list, tuple)) and target else target)


@dataclass(frozen=True)
class TaskKind:
    """What a kind of task does where its options say nothing."""

    name: str
    columns: ColumnMapping
    prompt: str
    metrics: tuple[str, ...]
    finish: SampleTransform = lambda sample: sample
    default_inferencer: str = "respond"
    format_answer: Callable[[Sample], str] = first_target
    """How an example's right answer is written."""

    def task_from_manifest(self, options: TaskOptions) -> Task:
        """Samples of a manifest, asked one by one."""
        asked = build_recipe(options, self.prompt, self.metrics, self.default_inferencer)
        samples = load_manifest(options, self.columns, self.sample_transform(asked))
        return self.task_from_samples(
            options, asked, replace(samples, prompt_fields=required_fields(asked.displayed_prompt))
        )

    def task_from_samples(self, options: TaskOptions, recipe: Recipe, samples: Samples) -> Task:
        """What all kinds share: how samples are asked about and what is counted."""
        if options.shots:
            shots = self._build_shots(options, recipe, samples)
            recipe, samples = with_shots(recipe, shots), shots.attach_to(samples)
        return Task(
            samples,
            recipe.inferencer,
            _build_metrics(split_list(options.metrics) or recipe.metrics, recipe.aggregations, options),
            name=options.name or f"{self.name}-{_stem(options.data)}",
            language=options.language,
            licence=options.licence,
            source=options.data,
            cluster=options.cluster,
            group_by=tuple(split_list(options.by)),
            extra_context={"kind": self.name},
        )

    def sample_transform(self, recipe: Recipe) -> SampleTransform:
        """What is done to every row: the kind's own, and inputs of what the prompt shows."""
        promoted = promote_columns(recipe.displayed_prompt)
        return lambda sample: promoted(self.finish(sample))

    def _build_shots(self, options: TaskOptions, recipe: Recipe, samples: Samples) -> FewShotSelector:
        if pool := pool_path(options.shots):
            options = replace(options, data=pool, rows="")
            samples = load_manifest(options, self.columns, self.sample_transform(recipe))
            samples = replace(samples, prompt_fields=required_fields(recipe.displayed_prompt))
        counted = recipe.prompt.example_parts if recipe.prompt else None
        return FewShotSelector.from_options(options.shots, samples, self._answer_formatter(recipe), counted)

    def _answer_formatter(self, recipe: Recipe) -> Callable[[Sample], str]:
        """An example is answered as a sample is: options scored by their text are shown as text."""
        if isinstance(recipe.inferencer, Choose) and "{choice}" in recipe.inferencer.option:
            return correct_option_text
        return self.format_answer


def asr(**arguments: Any) -> Task:
    """Write down what is said."""
    options = TaskOptions.from_arguments("asr", arguments)
    columns = ColumnMapping(
        target_columns=("text", "transcript", "transcription", "sentence", "answer", "target"),
        default_question="Please transcribe the spoken content into written text.",
        requires_media=True,
    )
    wanted = TRANSCRIPT_METRICS.get(options.language, ("wer", "cer"))
    kind = TaskKind("asr", columns, f"{MEDIA_TEMPLATE}{{question}}", wanted, require_transcript)
    return kind.task_from_manifest(options)


def translate(**arguments: Any) -> Task:
    """Write down in another language what is said; `language` is that language."""
    options = TaskOptions.from_arguments("translate", arguments)
    columns = ColumnMapping(
        target_columns=("translation", "answer", "answers", "target"),
        default_question=f"Please translate the speech into {language_name(options.language or 'en')}.",
        requires_media=True,
    )
    kind = TaskKind("translate", columns, f"{MEDIA_TEMPLATE}{{question}}", ("bleu", "chrf"))
    return kind.task_from_manifest(options)


def qa(**arguments: Any) -> Task:
    """Answer a question, spoken or written, that has a reference answer."""
    columns = ColumnMapping(
        target_columns=("answer", "answers", "target", "label"),
        question_columns=("question", "text", "prompt", "instruction"),
    )
    kind = TaskKind("qa", columns, f"{MEDIA_TEMPLATE}{{question}}", ("exact_match", "contains"))
    return kind.task_from_manifest(TaskOptions.from_arguments("qa", arguments))


def open_ended(**arguments: Any) -> Task:
    """Answer where no reference decides; the answers are kept to be judged."""
    columns = ColumnMapping(
        target_columns=("answer", "answers", "target", "label"),
        question_columns=("question", "text", "prompt", "instruction"),
        requires_target=False,
    )
    kind = TaskKind("open", columns, f"{MEDIA_TEMPLATE}{{question}}", ("empty",))
    return kind.task_from_manifest(TaskOptions.from_arguments("open", arguments))


def mcq(**arguments: Any) -> Task:
    """Choose one of several options: in words, or by how likely a model finds each."""
    columns = ColumnMapping(
        target_columns=("answer", "target", "label"),
        question_columns=("question", "text", "prompt", "instruction"),
        default_question="Choose the right option.",
    )
    prompt = f"{MEDIA_TEMPLATE}{{question}}{{options}}\nAnswer with the letter of the right option."
    wanted = ("option_accuracy",)
    kind = TaskKind("mcq", columns, prompt, wanted, add_options, format_answer=correct_option_letter)
    return kind.task_from_manifest(TaskOptions.from_arguments("mcq", arguments))


def perplexity(**arguments: Any) -> Task:
    """How well a language model foretells texts."""
    columns = ColumnMapping(
        target_columns=("target", "answer", "label"),
        question_columns=("text", "content", "sentence", "question", "page"),
        requires_target=False,
    )
    options = TaskOptions.from_arguments("perplexity", {"inferencer": {"text": "{question}"}, **arguments})
    kind = TaskKind("perplexity", columns, "", (), default_inferencer="continue")
    return kind.task_from_manifest(options)


def classify(**arguments: Any) -> Task:
    """Name the one label that fits: by a classifier's scores, or in words."""
    options = TaskOptions.from_arguments("classify", arguments)
    columns = ColumnMapping(
        target_columns=("label", "answer", "target", "emotion", "category"),
        question_columns=("question", "prompt", "instruction"),
        default_question="Which label fits this recording best?",
    )
    kind = TaskKind("classify", columns, LABEL_PROMPT, LABEL_METRICS, _add_label_options)
    asked = build_recipe(options, kind.prompt, kind.metrics)
    manifest = load_manifest(options, columns, kind.sample_transform(asked))
    labels = split_list(options.labels) or DistinctLabels(manifest)
    return build_label_task("classify", options, replace(manifest, choices=labels))


def build_label_task(
    name: str,
    options: TaskOptions,
    samples: Iterable[Sample | RejectedRow],
    prompt: str = LABEL_PROMPT,
    metrics: Sequence[str] = LABEL_METRICS,
) -> Task:
    """One label a sample, wherever samples come from: for a classifier, or a model that writes."""
    kind = TaskKind(name, ColumnMapping(target_columns=()), prompt, tuple(metrics))
    task = kind.task_from_samples(options, build_recipe(options, prompt, kind.metrics), samples)
    if options.inferencer:
        return task
    return replace(task, inferencer=FirstSupported((Measure(), task.inferencer)))


def load_manifest(options: TaskOptions, columns: ColumnMapping, finish: SampleTransform) -> Manifest:
    if options.question:
        columns = replace(columns, default_question=options.question)
    if options.target:
        columns = replace(columns, target_columns=(options.target,))
    span = parse_span(options.rows)
    root = Path(options.root) if options.root else None
    if options.reader:
        found: Manifest = options.reader(fields=columns, finish=finish, span=span)
        return found
    if options.data.startswith(HF_PREFIX):
        return HuggingFaceDataset(
            Path(options.data),
            columns,
            root=root,
            transform=finish,
            row_range=span,
            config=options.config,
            split=options.split,
            pinned_revision=options.revision,
        )
    return Manifest(Path(options.data), columns, root=root, transform=finish, row_range=span)


def _build_metrics(names: Sequence[str], aggregations: str | Sequence[str], options: TaskOptions) -> list[Metric]:
    profile = resolve_profile_name(options.profile, options.language) or DEFAULT_PROFILES.get(options.language, "")
    found = [_resolve_metric(name, at) for at, name in enumerate(names)]
    if options.rubric:
        found.append(_rubric_metric(options.rubric, found))
    if votes := options.votes:
        found = [metric.with_votes(votes) if metric.with_votes else metric for metric in found]
    if not options.synonyms:
        found = [metric.without_synonyms() if metric.without_synonyms else metric for metric in found]
    if profile:
        found = [metric.with_profile(profile) if metric.with_profile else metric for metric in found]
    return apply_aggregations(found, split_list(aggregations)) if aggregations else found


def _resolve_metric(name: str, index: int) -> Metric:
    try:
        return as_metric(METRICS.get(name))
    except SpecError as error:
        error.location = error.location or ("metrics", index)
        raise


def _rubric_metric(path: str, others: Sequence[Metric]) -> Metric:
    from auricle.metrics.judge import load_rubric, make_judge_metric

    found = make_judge_metric(load_rubric(Path(path)))
    if found.name in {other.name for other in others}:
        raise SpecError(f"{path} is called {found.name}, as a metric of this task is already.")
    return found


def _stem(data: str) -> str:
    return PurePath(data.removeprefix(HF_PREFIX)).stem or "data"


def require_transcript(sample: Sample) -> Sample:
    """What is said, as text; a list of it is refused."""
    if isinstance(sample.target, (list, bool)):
        raise SampleError(f"one transcript is due, this is {sample.target!r}")
    return replace(sample, target=str(sample.target))


# --- multiple choice --------------------------------------------------------------

OPTION_MARK = r"(?:^|(?<=[\s(（?？:：。,，;；]))\(?([A-Z])[.)）、:：]"
OPTION_PATTERN = re.compile(rf"{OPTION_MARK}\s*(.+?)(?=\s*[(（]?{OPTION_MARK.replace('([A-Z])', '[A-Z]')}|\s*$)", re.S)


def add_options(sample: Sample) -> Sample:
    """Options of its own column, or those the question itself lists; and a target among them."""
    question = str(sample.inputs["question"])
    given = sample.inputs.get("choices")
    choices = [str(each) for each in given] if isinstance(given, list) else parse_options(question)
    if len(choices) > len(LETTERS):
        raise SampleError(f"{len(choices)} options are more than there are letters")
    choices = strip_labels(choices)
    if choices and resolve_option(sample.target, choices) is None:
        raise SampleError(f"the answer {sample.target!r} is none of the {len(choices)} options")
    if not choices and resolve_option(sample.target, ()) is None:
        raise SampleError(f"no choices, and the answer {sample.target!r} is not a letter")
    shown = "" if _all_mentioned(choices, question) else "\n" + format_options(choices)
    return replace(sample, inputs={**sample.inputs, "choices": choices, "options": shown})


def correct_option_text(sample: Sample) -> str:
    """The right option as it is written."""
    choices, at = _find_correct_option(sample)
    return choices[at] if choices else first_target(sample)


def correct_option_letter(sample: Sample) -> str:
    """The right option's letter."""
    return LETTERS[_find_correct_option(sample)[1]]


def _find_correct_option(sample: Sample) -> tuple[list[str], int]:
    given = sample.inputs.get("choices", ())
    choices = [str(each) for each in given] if isinstance(given, (list, tuple)) else []
    at = resolve_option(sample.target, choices)
    if at is None:
        raise SampleError(f"the answer {sample.target!r} is none of the options")
    return choices, at


def format_options(choices: Sequence[str]) -> str:
    return "\n".join(f"{LETTERS[at]}. {choice}" for at, choice in enumerate(choices))


def parse_options(question: str) -> list[str]:
    """Options a question lists as A., B., C. in that order; nothing if it lists none."""
    found = OPTION_PATTERN.findall(question)
    in_order = "".join(letter for letter, _ in found) == LETTERS[: len(found)]
    return [text.strip() for _, text in found] if len(found) > 1 and in_order else []


def _all_mentioned(choices: Sequence[str], question: str) -> bool:
    return all(choice in question for choice in choices)


# --- classification -----------------------------------------------------------------


class DistinctLabels(Sequence[str]):
    """The labels that occur in a manifest, read when first needed."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = replace(manifest, transform=lambda sample: sample)

    @cached_property
    def _labels(self) -> list[str]:
        found = {str(each.target) for each in self._manifest if isinstance(each, Sample)}
        if len(found) > MAX_LABELS:
            raise SpecError(f"{len(found)} different labels: is the label column free text?")
        return sorted(found)

    def __getitem__(self, index: Any) -> Any:
        return self._labels[index]

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)


def _add_label_options(sample: Sample) -> Sample:
    if isinstance(sample.target, list):
        raise SampleError("one label is due, this is a list")
    choices = sample.inputs.get("choices", [])
    shown = ", ".join(str(each) for each in choices) if isinstance(choices, list) else ""
    return replace(sample, target=str(sample.target), inputs={**sample.inputs, "options": shown})
