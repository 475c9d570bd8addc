"""The task kind `chat`: multi-turn conversations from a manifest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Input, Json, Output, Sample, Stat, Turn, list_parts
from auricle.data.conversations import add_answers, parse_turns, reference_answers
from auricle.data.manifest import ColumnMapping
from auricle.metrics.base import Metric
from auricle.tasks.base import Task
from auricle.tasks.kinds import TaskKind
from auricle.tasks.options import TaskOptions

Mode: TypeAlias = Literal["every", "last", "gold"]

MODES = ("every", "last", "gold")
TURN_COLUMNS = (
    "turns", "messages", "conversation", "conversations", "dialogue", "dialog",
    "question", "questions",
)  # fmt: skip
"""Columns that may hold a conversation, best first."""
COLUMNS = ColumnMapping(
    target_columns=("answer", "answers", "target", "reference"),
    question_columns=(),
    requires_target=False,
    default_question="-",  # the conversation itself contains the questions
)
UNSUPPORTED_OPTIONS = ("prompt", "question", "shots", "samples")
"""Options of other kinds that do not apply, because the data contains the turns."""
MEDIA_INPUTS = ("video", "image", "audio")
DEFAULT_METRICS = ("exact_match", "contains", "empty")
REFERENCE_FREE_METRICS = ("empty", "refusal")


def chat(*, mode: Mode = "every", **arguments: Any) -> Task:
    """Build a task of multi-turn conversations.

    Args:
        mode: `every` continues from the model's own answers, `gold` from the reference answers; `last` asks only
            the last turn, with the history from the data.
        **arguments: Options of `TaskOptions`.
    """
    if mode not in MODES:
        raise SpecError(f"Invalid mode {mode!r}: expected every, last or gold.", location=("mode",))
    if unsupported := [name for name in UNSUPPORTED_OPTIONS if arguments.get(name)]:
        raise SpecError(
            f"Option {unsupported[0]!r} does not apply to chat: the conversations come from the data.",
            location=(unsupported[0],),
        )
    options = TaskOptions.from_arguments("chat", arguments)
    if not options.inferencer:
        options = replace(options, inferencer={"use": "converse", "mode": mode})
    base = Path(options.root) if options.root else Path(options.data).parent
    finish = _conversation_builder(mode, base, drop_system=bool(options.system))
    kind = TaskKind("chat", COLUMNS, "", DEFAULT_METRICS, finish, default_inferencer="converse")
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
    return replace(metric, score=_score_without_target(metric), applies=applies)


def _score_without_target(metric: Metric) -> Callable[..., Stat]:
    def score(sample: Sample, *outputs: Output) -> Stat:
        return metric.score(replace(sample, target=None), *outputs)

    return score


def _conversation_builder(mode: Mode, base: Path, *, drop_system: bool) -> Callable[[Sample], Sample]:
    """Return the function that turns a row into a conversation; `drop_system` removes the row's own system turns."""

    def finish(sample: Sample) -> Sample:
        meta = dict(sample.meta)
        column = next((name for name in TURN_COLUMNS if meta.get(name)), None)
        if column is None:
            raise SampleError(f"no conversation: expected one of the columns {', '.join(TURN_COLUMNS)}")
        turns = parse_turns(meta.pop(column), base)
        turns = _add_row_inputs(turns, sample, meta)
        turns = [turn for turn in turns if not (drop_system and turn.role == "system")]
        return replace(_build_sample(sample, turns, mode), meta=meta)

    return finish


def _add_row_inputs(turns: list[Turn], sample: Sample, meta: dict[str, Json]) -> list[Turn]:
    """Add the row's media to the first user turn, and its system prompt before all turns."""
    first = next((index for index, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        raise SampleError("the conversation has no user turn")
    media = [part for name in MEDIA_INPUTS for part in list_parts(sample.inputs.get(name, ()))]
    turns[first] = Turn("user", (*media, *turns[first].parts))
    if isinstance(meta.get("system"), str):
        turns.insert(0, Turn("system", (str(meta.pop("system")),)))
    return turns


def _build_sample(sample: Sample, turns: Sequence[Turn], mode: Mode) -> Sample:
    """Split a conversation into the turns to send and the references to score; the last answer is never sent."""
    references = _references(sample.target, reference_answers(turns), mode)
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


def _references(target: Json, turn_references: Sequence[str | None], mode: Mode) -> list[Json]:
    """Return the reference of each user turn, from the target column or else from the assistant turns."""
    if target is None:
        return list(turn_references)
    if isinstance(target, (list, tuple)):
        if len(target) == len(turn_references):
            return list(target)
        if len(turn_references) > 1 and mode != "last":
            raise SampleError(f"{len(turn_references)} user turns but {len(target)} reference answers")
    return [*turn_references[:-1], target]
