"""The task kinds `qa`, `open`, `mcq`, `chat` and `perplexity`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from auricle.core.arguments import Hint, takes_options
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Input, Json, Sample, Turn, list_parts
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.engine.kinds import MEDIA, MEDIA_TEMPLATE, TaskKind
from auricle.engine.recipes import Recipe
from auricle.engine.task import Task
from auricle.engine.task_options import Check, GenerationOptions
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Judged, Profiled
from auricle.tasks.questions.conversations import add_answers, parse_turns, reference_answers
from auricle.tasks.questions.multiple_choice import (
    INTEGER_READINGS,
    IntegerAnswers,
    check_answer,
    correct_option_letter,
    list_options,
)


@dataclass(frozen=True)
class ChoiceOptions(GenerationOptions):
    """The options of kinds whose rows have options."""

    checks: ClassVar[Mapping[str, Check]] = {
        **GenerationOptions.checks,
        "integer_answers": (lambda value: value in INTEGER_READINGS, f"one of {', '.join(INTEGER_READINGS)}"),
    }

    integer_answers: Annotated[str, Hint(choices=INTEGER_READINGS)] = ""
    """What integers in the answers mean: 0-based, 1-based or text. [default: see `IntegerAnswers`]"""


@takes_options(ChoiceOptions)
@dataclass(frozen=True)
class MultipleChoice(TaskKind):
    """A kind whose rows have options, of which the target names one."""

    def __call__(self, **arguments: Any) -> Task:
        return self.task_from_manifest(ChoiceOptions.from_arguments(self.name, arguments))

    def default_prompt(self, options: GenerationOptions) -> str:
        """Return a prompt that asks for what is scored: the letter of an option, or its text."""
        settings = options.inferencer if isinstance(options.inferencer, Mapping) else {}
        written = str(settings.get("option", ""))
        asks_for_text = "{choice}" in written and "{letter}" not in written
        return self.prompt.replace(ASK_FOR_LETTER, ASK_FOR_TEXT) if asks_for_text else self.prompt

    def _load_manifest(self, options: GenerationOptions, recipe: Recipe) -> Manifest:
        manifest = super()._load_manifest(options, recipe)
        if options.reader:  # a published benchmark, whose reader knows what its answers mean
            return replace(manifest, transform=lambda sample: check_answer(manifest.transform(sample)))
        assert isinstance(options, ChoiceOptions)
        answers = IntegerAnswers(manifest.whole_file_without_media(), options.integer_answers)
        return replace(
            manifest, transform=lambda sample: answers.resolve(manifest.transform(sample)), check=answers.notes
        )


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


@takes_options(GenerationOptions)
def perplexity(**arguments: Any) -> Task:
    """Build a task that measures the perplexity of texts."""
    columns = ColumnMapping(
        target_columns=("target", "answer", "label"),
        question_columns=("text", "content", "sentence", "question", "page"),
        requires_target=False,
    )
    options = GenerationOptions.from_arguments("perplexity", {"inferencer": {"text": "{question}"}, **arguments})
    kind = TaskKind("perplexity", columns, "", (), default_inferencer="continue")
    return kind.task_from_manifest(options)


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
CHAT_METRICS = ("exact_match", "contains", "empty")
REFERENCE_FREE_METRICS = ("empty", "refusal")


@takes_options(GenerationOptions)
def chat(*, mode: ChatMode = "every", **arguments: Any) -> Task:
    """Build a task of multi-turn conversations.

    Args:
        mode: `every` continues from the model's own answers, `gold` from the reference answers; `last` asks only
            the last turn, with the history from the data.
        **arguments: Options of `GenerationOptions`.
    """
    if mode not in CHAT_MODES:
        raise SpecError(f"Invalid mode {mode!r}: expected every, last or gold.", location=("mode",))
    if unsupported := [name for name in NOT_FOR_CHAT if arguments.get(name)]:
        raise SpecError(
            f"Option {unsupported[0]!r} does not apply to chat: the conversations come from the data.",
            location=(unsupported[0],),
        )
    options = GenerationOptions.from_arguments("chat", arguments)
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
    if isinstance(metric, Profiled):
        with_profile = metric.with_profile
        metric = metric.replace(
            with_profile=lambda profile: _restrict_metric(with_profile(profile), is_explicit=is_explicit)
        )
    if isinstance(metric, Judged):
        return metric
    if metric.name not in REFERENCE_FREE_METRICS:
        return metric.replace(applies=lambda sample: sample.target is not None)
    applies = None if is_explicit else lambda sample: sample.target is None
    score = metric.score
    return metric.replace(score=lambda sample, *outputs: score(replace(sample, target=None), *outputs), applies=applies)


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
