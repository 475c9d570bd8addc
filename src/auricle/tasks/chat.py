"""Conversations of a manifest: said turn by turn, answered by the model, compared turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Input, Json, Output, Sample, Stat, Turn, parts_of
from auricle.data.conversations import answered, golds, turns_of
from auricle.data.manifest import Fields
from auricle.metrics.base import Metric
from auricle.tasks.base import Task
from auricle.tasks.kinds import Kind
from auricle.tasks.options import Options

Mode: TypeAlias = Literal["every", "last", "gold"]

MODES = ("every", "last", "gold")
TURNS = (
    "turns", "messages", "conversation", "conversations", "dialogue", "dialog",
    "question", "questions",
)  # fmt: skip
"""Columns that may hold a conversation, best first."""
COLUMNS = Fields(
    target=("answer", "answers", "target", "reference"),
    question=(),
    target_needed=False,
    default_question="-",  # what is asked stands in the conversation
)
UNSAID = ("prompt", "question", "shots", "samples")
"""Options of other kinds that mean nothing where the data say what is said."""
MEDIA = ("video", "image", "audio")
METRICS = ("exact_match", "contains", "empty")
WITHOUT_TARGET = ("empty", "refusal")


def chat(*, mode: Mode = "every", **given: Any) -> Task:
    """Hold conversations: with the model's own answers, with the data's, or only the last turn."""
    if mode not in MODES:
        raise SpecError(f"mode should be every, last or gold, not {mode!r}.", where=("mode",))
    if wrong := [name for name in UNSAID if given.get(name)]:
        raise SpecError(
            f"chat takes no {wrong[0]}: what is said stands in the data.", where=(wrong[0],)
        )
    options = Options.of("chat", given)
    if not options.inferencer:
        options = replace(options, inferencer={"use": "converse", "mode": mode})
    base = Path(options.root) if options.root else Path(options.data).parent
    finish = _finish(mode, base, told=bool(options.system))
    kind = Kind("chat", COLUMNS, "", METRICS, finish, use="converse")
    task = kind.task(options)
    metrics = [_about(metric, chosen=bool(options.metrics)) for metric in task.metrics]
    return replace(task, metrics=metrics)


# --- what a metric is about ----------------------------------------------------------------


def _about(metric: Metric, *, chosen: bool) -> Metric:
    """A metric that compares is about rows with references; one that does not, about all turns."""
    under = metric.under
    if under:
        metric = replace(metric, under=lambda profile: _about(under(profile), chosen=chosen))
    if metric.asks:
        return metric
    if metric.name not in WITHOUT_TARGET:
        return replace(metric, applies=lambda sample: sample.target is not None)
    compared = None if chosen else lambda sample: sample.target is None
    return replace(metric, score=_alone(metric), applies=compared)


def _alone(metric: Metric) -> Callable[..., Stat]:
    def score(sample: Sample, *outputs: Output) -> Stat:
        return metric.score(replace(sample, target=None), *outputs)

    return score


# --- from a row to a conversation ------------------------------------------------------------


def _finish(mode: Mode, base: Path, *, told: bool) -> Callable[[Sample], Sample]:
    """What makes a row a conversation; where a system is `told` to all, it has none of its own."""

    def finish(sample: Sample) -> Sample:
        meta = dict(sample.meta)
        column = next((name for name in TURNS if meta.get(name)), None)
        if column is None:
            raise SampleError(f"no conversation: one of {', '.join(TURNS)} is needed")
        turns = turns_of(meta.pop(column), base)
        turns = _with_row_s_own(turns, sample, meta)
        turns = [turn for turn in turns if not (told and turn.role == "system")]
        return replace(_settled(sample, turns, mode), meta=meta)

    return finish


def _with_row_s_own(turns: list[Turn], sample: Sample, meta: dict[str, Json]) -> list[Turn]:
    """What a row has beside its turns: media open the user's first, a system stands before all."""
    first = next((at for at, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        raise SampleError("a conversation in which the user says nothing")
    media = [part for name in MEDIA for part in parts_of(sample.inputs.get(name, ()))]
    turns[first] = Turn("user", (*media, *turns[first].parts))
    if isinstance(meta.get("system"), str):
        turns.insert(0, Turn("system", (str(meta.pop("system")),)))
    return turns


def _settled(sample: Sample, turns: Sequence[Turn], mode: Mode) -> Sample:
    """What is said and what is compared; the answer to the last turn is never said."""
    references = _references(sample.target, golds(turns), mode)
    last = max(at for at, turn in enumerate(turns) if turn.role == "user")
    said = list(turns[: last + 1])
    if mode == "every":
        said = [turn for turn in said if turn.role != "assistant"]
    else:
        earlier = references[:-1]
        said = answered(said, [None if each is None else str(each) for each in earlier])
    inputs: dict[str, Input] = {"turns": said}
    if "choices" in sample.inputs:
        inputs["choices"] = sample.inputs["choices"]
    compared = references if any(each is not None for each in references) else None
    return replace(sample, inputs=inputs, target=references[-1] if mode == "last" else compared)


def _references(given: Json, found: Sequence[str | None], mode: Mode) -> list[Json]:
    """The reference of each user turn: of a column of its own, else among the turns themselves."""
    if given is None:
        return list(found)
    if isinstance(given, (list, tuple)):
        if len(given) == len(found):
            return list(given)
        if len(found) > 1 and mode != "last":
            raise SampleError(f"{len(found)} user turns, and {len(given)} reference answers")
    return [*found[:-1], given]
