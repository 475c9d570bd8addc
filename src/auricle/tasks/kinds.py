"""Task kinds for your own data: asr, translate, qa, open, mcq, chat, perplexity, classify and emotion."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path, PurePath
from typing import Any, Literal, TypeAlias

from auricle.core.arguments import takes_options
from auricle.core.errors import SampleError, SpecError
from auricle.core.storage import is_remote
from auricle.core.types import Input, Json, Sample, Turn, list_parts
from auricle.data.conversations import add_answers, parse_turns, reference_answers
from auricle.data.huggingface import HF_PREFIX, HuggingFaceDataset
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.sources import DataSource
from auricle.metrics.base import Metric, resolve_metrics
from auricle.metrics.catalogue import DIMENSIONS
from auricle.metrics.multi_answer import apply_aggregations
from auricle.prompts.few_shot import FewShotSelector, pool_path
from auricle.tasks.base import Task
from auricle.tasks.inferencers import Choose, FirstSupported, Inferencer, Measure, StreamAudio
from auricle.tasks.multiple_choice import (
    IntegerAnswers,
    check_answer,
    correct_option_index,
    correct_option_letter,
    list_options,
)
from auricle.tasks.options import COLUMN_OPTIONS, TaskOptions, parse_row_range, split_list
from auricle.tasks.recipes import Recipe, Samples, build_recipe, promote_columns, with_columns, with_shots
from auricle.tasks.scored_language import ScoredLanguage, read_language
from auricle.tasks.word_options import add_list_metrics, check_lists, reject_lists
from auricle.text import resolve_profile_name

MEDIA = ("video", "image", "audio")
MEDIA_TEMPLATE = "{video?}{image?}{audio?}"
MAX_LABELS = 1000
LABEL_PROMPT = f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one of: {{options}}."
LABEL_METRICS = ("accuracy", "uar", "macro_f1", "weighted_f1", "weighted_precision", "weighted_recall")
EMOTION_QUESTION = "Which emotion does the speaker express?"
EMOTION_METRICS = (
    *(*LABEL_METRICS, "macro_precision", "accuracy_matched", "uar_all", "top2", "ece", "eta2"),
    *(f"{name}_{dimension}" for name in ("eta2", "ccc", "pearson", "rmse") for dimension in DIMENSIONS),
)
"""Metrics for classifiers and for models of emotional dimensions; those a model cannot produce are skipped."""

LANGUAGE_DEPENDENT_METRICS = {"bleu", "ter"}
"""Metrics that split texts by their language, whatever the profile."""

SampleTransform = Callable[[Sample], Sample]


def first_target(sample: Sample) -> str:
    """Return the target as text, or the first of several targets."""
    target = sample.target
    return str(target[0] if isinstance(target, (list, tuple)) and target else target)


@takes_options(TaskOptions)
@dataclass(frozen=True)
class TaskKind:
    """The defaults of a task kind: columns, prompt, metrics and inferencer."""

    name: str
    columns: ColumnMapping
    prompt: str
    metrics: tuple[str, ...]
    transform: SampleTransform = lambda sample: sample
    default_inferencer: str = "respond"
    format_answer: Callable[[Sample], str] = first_target
    """Formats the correct answer of a few-shot example."""
    decides_language: bool = False
    """Whether the rows decide how texts are scored if no language is stated."""
    language_column: str = "language"
    """The column that states the language of the target."""
    takes_word_lists: bool = False
    """Whether targets are transcripts, in which listed words can be counted."""
    judged_metrics: tuple[str, ...] = ()
    """Metrics that are computed as well if there is a judge and the options choose no metric."""

    def __call__(self, **arguments: Any) -> Task:
        """Build a task from the options of a command line, a task file or Python."""
        return self.task_from_manifest(TaskOptions.from_arguments(self.name, arguments))

    def task_from_manifest(self, options: TaskOptions) -> Task:
        """Build a task from the manifest that the options name."""
        if not self.takes_word_lists:
            reject_lists(self.name, options)
        scored = self._find_scored_language(options)
        options = replace(options, scored_as=scored.code)
        metrics = self.default_metrics(scored)
        recipe = build_recipe(options, self.default_prompt(options), metrics, self.default_inferencer)
        samples = self._load_manifest(options, recipe)
        if not scored.is_read:
            return self.task_from_samples(options, recipe, samples)
        task = self.task_from_samples(options, recipe, samples.with_notes(scored.note))
        return replace(task, derived_args={"scored_as": scored.code})

    def default_metrics(self, language: ScoredLanguage) -> tuple[str, ...]:
        """Return the metrics that are used if the options have none."""
        return self.metrics

    def _find_scored_language(self, options: TaskOptions) -> ScoredLanguage:
        """Return the stated language, or the one that the rows show if the metrics depend on it."""
        stated = _stated_language(options)
        is_needed = self.decides_language or LANGUAGE_DEPENDENT_METRICS & {*split_list(options.metrics)}
        if stated.code or options.reader or not is_needed:
            return stated
        rows = partial(load_manifest, options, self.columns, lambda sample: sample)
        return read_language(rows, self.language_column)

    def default_prompt(self, options: TaskOptions) -> str:
        """Return the prompt that is used if the options have none."""
        return self.prompt

    def task_from_samples(self, options: TaskOptions, recipe: Recipe, samples: Samples) -> Task:
        """Build a task from samples that come from anywhere."""
        if options.shots:
            shots = self._build_shots(options, recipe, samples)
            recipe, samples = with_shots(recipe, shots), shots.attach_to(samples)
        metrics = build_metrics(split_list(options.metrics) or recipe.metrics, recipe.aggregations, options)
        if isinstance(recipe.inferencer, StreamAudio) and not options.metrics:
            metrics = list(map(allow_no_samples, metrics))
        task = build_task(self.name, options, samples, recipe.inferencer, metrics)
        if self.judged_metrics and not (options.metrics or options.rubric):
            task = replace(task, judged_metrics=build_metrics(self.judged_metrics, recipe.aggregations, options))
        return replace(task, extra_context={"kind": self.name})

    def sample_transform(self, recipe: Recipe) -> SampleTransform:
        """Return the function applied to every row: that of the kind, then `promote_columns`."""
        promote = promote_columns(recipe.displayed_prompt)
        return lambda sample: promote(self.transform(sample))

    def _load_manifest(self, options: TaskOptions, recipe: Recipe) -> Manifest:
        manifest = load_manifest(options, self.columns, self.sample_transform(recipe))
        return with_columns(manifest, recipe.displayed_prompt)

    def _build_shots(self, options: TaskOptions, recipe: Recipe, samples: Samples) -> FewShotSelector:
        if pool := pool_path(options.shots):
            samples = self._load_manifest(replace(options, data=pool, rows=""), recipe)
        format_answer = self.format_answer
        if isinstance(recipe.inferencer, Choose):
            format_answer = partial(_format_scored_answer, recipe.inferencer)
        example_parts = recipe.prompt.example_parts if recipe.prompt else None
        return FewShotSelector.from_options(options.shots, samples, format_answer, example_parts)


def _format_scored_answer(inferencer: Choose, sample: Sample) -> str:
    """Write the correct answer of a few-shot example as the options of a sample are scored."""
    return inferencer.write_options(sample)[correct_option_index(sample)].strip()


def _stated_language(options: TaskOptions) -> ScoredLanguage:
    """Return the language that the options state; several count as none."""
    return ScoredLanguage(options.scored_as or ("" if "," in options.language else options.language))


@dataclass(frozen=True)
class Transcription(TaskKind):
    """A kind whose targets are transcripts, scored in words or characters as their language requires."""

    takes_word_lists: bool = True

    def default_metrics(self, language: ScoredLanguage) -> tuple[str, ...]:
        return language.transcript_metrics

    def _load_manifest(self, options: TaskOptions, recipe: Recipe) -> Manifest:
        return check_lists(super()._load_manifest(options, recipe), options)


@dataclass(frozen=True)
class MultipleChoice(TaskKind):
    """A kind whose rows have options, of which the target names one."""

    def default_prompt(self, options: TaskOptions) -> str:
        """Return a prompt that asks for what is scored: the letter of an option, or its text."""
        settings = options.inferencer if isinstance(options.inferencer, Mapping) else {}
        written = str(settings.get("option", ""))
        asks_for_text = "{choice}" in written and "{letter}" not in written
        return self.prompt.replace(ASK_FOR_LETTER, ASK_FOR_TEXT) if asks_for_text else self.prompt

    def _load_manifest(self, options: TaskOptions, recipe: Recipe) -> Manifest:
        manifest = super()._load_manifest(options, recipe)
        if options.reader:  # a published benchmark, whose reader knows what its answers mean
            return replace(manifest, transform=lambda sample: check_answer(manifest.transform(sample)))
        answers = IntegerAnswers(manifest.whole_file_without_media(), options.integer_answers)
        return replace(
            manifest, transform=lambda sample: answers.resolve(manifest.transform(sample)), check=answers.notes
        )


def build_task(
    kind: str, options: TaskOptions, samples: Samples, inferencer: Inferencer, metrics: Sequence[Metric]
) -> Task:
    """Build a task with the name, language and groups that the options select."""
    stem = _name_data(options.data)
    return Task(
        samples,
        inferencer,
        metrics,
        name=options.name or f"{kind}-{stem}",
        version=options.version,
        language=options.language,
        languages=options.languages or tuple(split_list(options.language)),
        licence=options.licence,
        source=options.source or options.data,
        citation=options.citation,
        cluster=options.cluster,
        group_by=tuple(split_list(options.by)),
    )


def _name_data(data: str) -> str:
    """Return the name of a file, of a folder or of what the names of several files have in common."""
    if data.startswith(HF_PREFIX):
        return PurePath(data.removeprefix(HF_PREFIX)).stem or "data"
    stem = PurePath(DataSource(data).name).stem
    return re.sub(r"\{[^}]*\}|\[[^\]]*\]|[*?]", "", stem).strip("-_. ") or "data"


ASR_COLUMNS = ColumnMapping(
    target_columns=("text", "transcript", "transcription", "sentence", "answer", "target"),
    default_question="Please transcribe the spoken content into written text.",
    requires_media=True,
)
ASR_PROMPT = f"{MEDIA_TEMPLATE}{{question}}"


@takes_options(TaskOptions)
def asr(**arguments: Any) -> Task:
    """Build a speech recognition task."""
    options = TaskOptions.from_arguments("asr", arguments)
    kind = Transcription("asr", ASR_COLUMNS, ASR_PROMPT, ("wer", "cer"), require_transcript, decides_language=True)
    return kind.task_from_manifest(options)


@takes_options(TaskOptions)
def perplexity(**arguments: Any) -> Task:
    """Build a task that measures the perplexity of texts."""
    columns = ColumnMapping(
        target_columns=("target", "answer", "label"),
        question_columns=("text", "content", "sentence", "question", "page"),
        requires_target=False,
    )
    options = TaskOptions.from_arguments("perplexity", {"inferencer": {"text": "{question}"}, **arguments})
    kind = TaskKind("perplexity", columns, "", (), default_inferencer="continue")
    return kind.task_from_manifest(options)


@takes_options(TaskOptions)
def classify(**arguments: Any) -> Task:
    """Build a classification task, answered by a classifier's scores or in text."""
    options = TaskOptions.from_arguments("classify", arguments)
    columns = ColumnMapping(
        target_columns=("label", "answer", "target", "emotion", "category"),
        question_columns=("question", "prompt", "instruction"),
        default_question="Which label fits this recording best?",
    )
    return build_label_task("classify", options, _load_labelled(options, columns, _add_label_options))


@takes_options(TaskOptions)
def emotion(**arguments: Any) -> Task:
    """Build an emotion recognition task, for classifiers, models of dimensions and models that generate text."""
    options = TaskOptions.from_arguments("emotion", arguments)
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


def _load_labelled(options: TaskOptions, columns: ColumnMapping, transform: SampleTransform) -> Manifest:
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
    options: TaskOptions,
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


def load_manifest(options: TaskOptions, columns: ColumnMapping, transform: SampleTransform) -> Manifest:
    """Open the data that the options name: files, local or at URLs, a Hugging Face dataset or a benchmark."""
    if options.question:
        columns = replace(columns, default_question=options.question)
    columns = replace(columns, chosen={role: name for role in COLUMN_OPTIONS if (name := getattr(options, role))})
    row_range = parse_row_range(options.rows)
    root_url = options.root if options.root and is_remote(options.root) else ""
    root = Path(options.root) if options.root and not root_url else None
    if options.reader:
        manifest: Manifest = options.reader(fields=columns, transform=transform, row_range=row_range)
        return manifest
    if options.data.startswith(HF_PREFIX) and not is_remote(options.data):
        return HuggingFaceDataset(
            Path(options.data),
            columns,
            root=root,
            transform=transform,
            row_range=row_range,
            config=options.config,
            split=options.split,
            pinned_revision=options.revision,
        )
    source = DataSource(options.data)
    is_local_file = source.is_single and not is_remote(options.data)
    return Manifest(
        Path(options.data),
        columns,
        root=root,
        transform=transform,
        row_range=row_range,
        source=None if is_local_file else source,
        root_url=root_url,
    )


def build_metrics(names: Sequence[str], aggregations: str | Sequence[str], options: TaskOptions) -> list[Metric]:
    """Return metrics by name, adapted to the language, profile and other options of a task."""
    scored = _stated_language(options)
    profile = resolve_profile_name(options.profile, scored.language) or scored.profile
    metrics = [metric for index, name in enumerate(names) for metric in _resolve_metrics(name, index)]
    metrics = add_list_metrics(metrics, options, is_default=not options.metrics)
    if options.rubric:
        metrics.append(_rubric_metric(options.rubric, metrics))
    if votes := options.votes:
        metrics = [metric.with_votes(votes) if metric.with_votes else metric for metric in metrics]
    if not options.synonyms:
        metrics = [metric.without_synonyms() if metric.without_synonyms else metric for metric in metrics]
    if profile:
        metrics = [metric.with_profile(profile) if metric.with_profile else metric for metric in metrics]
    metrics = [metric.with_language(scored.language) if metric.with_language else metric for metric in metrics]
    return apply_aggregations(metrics, split_list(aggregations)) if aggregations else metrics


def allow_no_samples(metric: Metric) -> Metric:
    """Return a default metric such that it is no failure if it applies to no sample, as one of barge-ins may not."""
    return metric if metric.applies else replace(metric, applies=lambda _sample: True)


def _resolve_metrics(name: str, index: int) -> list[Metric]:
    try:
        return resolve_metrics(name)
    except SpecError as error:
        error.location = error.location or ("metrics", index)
        raise


def _rubric_metric(path: str, others: Sequence[Metric]) -> Metric:
    from auricle.metrics.judge import load_rubric, make_judge_metric

    metric = make_judge_metric(load_rubric(Path(path)))
    if metric.name in {other.name for other in others}:
        raise SpecError(f"{path}: the task already has a metric named {metric.name!r}. Give the rubric another name.")
    return metric


def require_transcript(sample: Sample) -> Sample:
    """Convert the target to text; reject a list of transcripts."""
    if isinstance(sample.target, (list, bool)):
        raise SampleError(f"expected one transcript, got {sample.target!r}")
    return replace(sample, target=str(sample.target))


# --- classification -----------------------------------------------------------------


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


# --- questions --------------------------------------------------------------------------

ASK_FOR_LETTER = "Answer with the letter of the right option."
ASK_FOR_TEXT = "Answer with the text of the right option, without its letter."
QUESTION_COLUMNS = ("question", "text", "prompt", "instruction")
QUESTION_PROMPT = f"{MEDIA_TEMPLATE}{{question}}"
ANSWER_COLUMNS = ColumnMapping(("answer", "answers", "target", "label"), QUESTION_COLUMNS)

qa = TaskKind("qa", ANSWER_COLUMNS, QUESTION_PROMPT, ("exact_match", "contains"))
"""Spoken or written questions with reference answers."""
open_ended = TaskKind(
    "open", replace(ANSWER_COLUMNS, requires_target=False), QUESTION_PROMPT, ("empty",), judged_metrics=("judge-1-5",)
)
"""Open-ended questions, whose answers are scored by a judge."""
mcq = MultipleChoice(
    "mcq",
    ColumnMapping(("answer", "target", "label"), QUESTION_COLUMNS, default_question="Choose the right option."),
    f"{QUESTION_PROMPT}{{options}}\n{ASK_FOR_LETTER}",
    ("option_accuracy",),
    list_options,
    format_answer=correct_option_letter,
)
"""Multiple choice, answered in text or by the likelihood of each option."""


# --- conversations -----------------------------------------------------------------------------

ChatMode: TypeAlias = Literal["every", "last", "gold"]

CHAT_MODES = ("every", "last", "gold")
TURN_COLUMNS = (
    "turns", "messages", "conversation", "conversations", "dialogue", "dialog",
    "question", "questions",
)  # fmt: skip
"""Columns that may hold a conversation, best first."""
CHAT_COLUMNS = ColumnMapping(
    target_columns=("answer", "answers", "target", "reference"),
    question_columns=(),
    requires_target=False,
    default_question="-",  # the conversation itself contains the questions
)
NOT_FOR_CHAT = ("prompt", "question", "shots", "samples")
"""Options of other kinds that do not apply, because the data contains the turns."""
MEDIA = ("video", "image", "audio")
CHAT_METRICS = ("exact_match", "contains", "empty")
REFERENCE_FREE_METRICS = ("empty", "refusal")


@takes_options(TaskOptions)
def chat(*, mode: ChatMode = "every", **arguments: Any) -> Task:
    """Build a task of multi-turn conversations.

    Args:
        mode: `every` continues from the model's own answers, `gold` from the reference answers; `last` asks only
            the last turn, with the history from the data.
        **arguments: Options of `TaskOptions`.
    """
    if mode not in CHAT_MODES:
        raise SpecError(f"Invalid mode {mode!r}: expected every, last or gold.", location=("mode",))
    if unsupported := [name for name in NOT_FOR_CHAT if arguments.get(name)]:
        raise SpecError(
            f"Option {unsupported[0]!r} does not apply to chat: the conversations come from the data.",
            location=(unsupported[0],),
        )
    options = TaskOptions.from_arguments("chat", arguments)
    if not options.inferencer:
        options = replace(options, inferencer={"use": "converse", "mode": mode})
    base = Path(options.root) if options.root else Path(options.data).parent
    finish = _conversation_builder(mode, base, drop_system=bool(options.system))
    kind = TaskKind("chat", CHAT_COLUMNS, "", CHAT_METRICS, finish, default_inferencer="converse")
    task = kind.task_from_manifest(options)
    metrics = [_restrict_metric(metric, is_explicit=bool(options.metrics)) for metric in task.metrics]
    return replace(task, metrics=metrics)


def _restrict_metric(metric: Metric, *, is_explicit: bool) -> Metric:
    """Restrict a metric that needs a reference to rows that have one; let the others score every turn."""
    with_profile = metric.with_profile
    if with_profile:
        metric = replace(
            metric, with_profile=lambda profile: _restrict_metric(with_profile(profile), is_explicit=is_explicit)
        )
    if metric.judge_requests:
        return metric
    if metric.name not in REFERENCE_FREE_METRICS:
        return replace(metric, applies=lambda sample: sample.target is not None)
    applies = None if is_explicit else lambda sample: sample.target is None
    score = metric.score
    return replace(
        metric, score=lambda sample, *outputs: score(replace(sample, target=None), *outputs), applies=applies
    )


def _conversation_builder(mode: ChatMode, base: Path, *, drop_system: bool) -> Callable[[Sample], Sample]:
    """Return the function that turns a row into a conversation; `drop_system` removes the row's own system turns."""

    def finish(sample: Sample) -> Sample:
        meta = dict(sample.meta)
        column = next((name for name in TURN_COLUMNS if meta.get(name)), None)
        if column is None:
            raise SampleError(f"no conversation: expected one of the columns {', '.join(TURN_COLUMNS)}")
        turns = parse_turns(meta.pop(column), base)
        turns = _add_row_inputs(turns, sample, meta)
        turns = [turn for turn in turns if not (drop_system and turn.role == "system")]
        return replace(_split_conversation(sample, turns, mode), meta=meta)

    return finish


def _add_row_inputs(turns: list[Turn], sample: Sample, meta: dict[str, Json]) -> list[Turn]:
    """Add the row's media to the first user turn, and its system prompt before all turns."""
    first = next((index for index, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        raise SampleError("the conversation has no user turn")
    media = [part for name in MEDIA for part in list_parts(sample.inputs.get(name, ()))]
    turns[first] = Turn("user", (*media, *turns[first].parts))
    if isinstance(meta.get("system"), str):
        turns.insert(0, Turn("system", (str(meta.pop("system")),)))
    return turns


def _split_conversation(sample: Sample, turns: Sequence[Turn], mode: ChatMode) -> Sample:
    """Split a conversation into the turns to send and the references to score; the last answer is never sent."""
    references = _chat_references(sample.target, reference_answers(turns), mode)
    last_user = max(index for index, turn in enumerate(turns) if turn.role == "user")
    sent = list(turns[: last_user + 1])
    if mode == "every":
        sent = [turn for turn in sent if turn.role != "assistant"]
    else:
        earlier = references[:-1]
        sent = add_answers(sent, [None if reference is None else str(reference) for reference in earlier])
    inputs: dict[str, Input] = {"turns": sent}
    if "choices" in sample.inputs:
        inputs["choices"] = sample.inputs["choices"]
    target = references if any(reference is not None for reference in references) else None
    return replace(sample, inputs=inputs, target=references[-1] if mode == "last" else target)


def _chat_references(target: Json, turn_references: Sequence[str | None], mode: ChatMode) -> list[Json]:
    """Return the reference of each user turn, from the target column or else from the assistant turns."""
    if target is None:
        return list(turn_references)
    if isinstance(target, (list, tuple)):
        if len(target) == len(turn_references):
            return list(target)
        if len(turn_references) > 1 and mode != "last":
            raise SampleError(f"{len(turn_references)} user turns but {len(target)} reference answers")
    return [*turn_references[:-1], target]
