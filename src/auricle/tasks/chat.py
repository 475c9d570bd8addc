"""Conversations of a manifest: said turn by turn, answered by the model, compared turn by turn."""

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
    default_question="-",  # what is asked stands in the conversation
)
UNSUPPORTED_OPTIONS = ("prompt", "question", "shots", "samples")
"""Options of other kinds that mean nothing where the data say what is said."""
MEDIA_INPUTS = ("video", "image", "audio")
DEFAULT_METRICS = ("exact_match", "contains", "empty")
REFERENCE_FREE_METRICS = ("empty", "refusal")


def chat(*, mode: Mode = "every", **arguments: Any) -> Task:
    """Hold conversations: with the model's own answers, with the data's, or only the last turn."""
    if mode not in MODES:
        raise SpecError(f"mode should be every, last or gold, not {mode!r}.", location=("mode",))
    if wrong := [name for name in UNSUPPORTED_OPTIONS if arguments.get(name)]:
        raise SpecError(f"chat takes no {wrong[0]}: what is said stands in the data.", location=(wrong[0],))
    options = TaskOptions.from_arguments("chat", arguments)
    if not options.inferencer:
        options = replace(options, inferencer={"use": "converse", "mode": mode})
    base = Path(options.root) if options.root else Path(options.data).parent
    finish = _conversation_builder(mode, base, drop_system=bool(options.system))
    kind = TaskKind("chat", COLUMNS, "", DEFAULT_METRICS, finish, default_inferencer="converse")
    task = kind.task_from_manifest(options)
    metrics = [_restrict_metric(metric, is_explicit=bool(options.metrics)) for metric in task.metrics]
    return replace(task, metrics=metrics)


# --- what a metric is about ----------------------------------------------------------------


def _restrict_metric(metric: Metric, *, is_explicit: bool) -> Metric:
    """A metric that compares is about rows with references; one that does not, about all turns."""
    under = metric.with_profile
    if under:
        metric = replace(metric, with_profile=lambda profile: _restrict_metric(under(profile), is_explicit=is_explicit))
    if metric.judge_requests:
        return metric
    if metric.name not in REFERENCE_FREE_METRICS:
        return replace(metric, applies=lambda sample: sample.target is not None)
    compared = None if is_explicit else lambda sample: sample.target is None
    return replace(metric, score=_score_without_target(metric), applies=compared)


def _score_without_target(metric: Metric) -> Callable[..., Stat]:
    def score(sample: Sample, *outputs: Output) -> Stat:
        return metric.score(replace(sample, target=None), *outputs)

    return score


# --- from a row to a conversation ------------------------------------------------------------


def _conversation_builder(mode: Mode, base: Path, *, drop_system: bool) -> Callable[[Sample], Sample]:
    """What makes a row a conversation; where a system is `told` to all, it has none of its own."""

    def finish(sample: Sample) -> Sample:
        meta = dict(sample.meta)
        column = next((name for name in TURN_COLUMNS if meta.get(name)), None)
        if column is None:
            raise SampleError(f"no conversation: one of {', '.join(TURN_COLUMNS)} is needed")
        turns = parse_turns(meta.pop(column), base)
        turns = _add_row_inputs(turns, sample, meta)
        turns = [turn for turn in turns if not (drop_system and turn.role == "system")]
        return replace(_build_sample(sample, turns, mode), meta=meta)

    return finish


def _add_row_inputs(turns: list[Turn], sample: Sample, meta: dict[str, Json]) -> list[Turn]:
    """What a row has beside its turns: media open the user's first, a system stands before all."""
    first = next((at for at, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        raise SampleError("a conversation in which the user says nothing")
    media = [part for name in MEDIA_INPUTS for part in list_parts(sample.inputs.get(name, ()))]
    turns[first] = Turn("user", (*media, *turns[first].parts))
    if isinstance(meta.get("system"), str):
        turns.insert(0, Turn("system", (str(meta.pop("system")),)))
    return turns


def _build_sample(sample: Sample, turns: Sequence[Turn], mode: Mode) -> Sample:
    """What is said and what is compared; the answer to the last turn is never said."""
    references = _references(sample.target, reference_answers(turns), mode)
    last = max(at for at, turn in enumerate(turns) if turn.role == "user")
    said = list(turns[: last + 1])
    if mode == "every":
        said = [turn for turn in said if turn.role != "assistant"]
    else:
        earlier = references[:-1]
        said = add_answers(said, [None if each is None else str(each) for each in earlier])
    inputs: dict[str, Input] = {"turns": said}
    if "choices" in sample.inputs:
        inputs["choices"] = sample.inputs["choices"]
    compared = references if any(each is not None for each in references) else None
    return replace(sample, inputs=inputs, target=references[-1] if mode == "last" else compared)


def _references(target: Json, turn_references: Sequence[str | None], mode: Mode) -> list[Json]:
    """The reference of each user turn: of a column of its own, else among the turns themselves."""
    if target is None:
        return list(turn_references)
    if isinstance(target, (list, tuple)):
        if len(target) == len(turn_references):
            return list(target)
        if len(turn_references) > 1 and mode != "last":
            raise SampleError(f"{len(turn_references)} user turns, and {len(target)} reference answers")
    return [*turn_references[:-1], target]
