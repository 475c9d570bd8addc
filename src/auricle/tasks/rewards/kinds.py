"""Task kinds for ratings and preferences on your own data (reward and preference), and the options they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.arguments import takes_options
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Input, Json, Sample
from auricle.data.file_formats import Row, read_rows
from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import ColumnMapping, suggest
from auricle.engine.inferencers import Appraise, FirstSupported, Inferencer, Prefer, Rate, RateOrPrefer
from auricle.engine.inferencers.scores import PREFERENCE_PROMPT, RATING_PROMPT
from auricle.engine.kinds import build_task, load_manifest
from auricle.engine.task import Task
from auricle.engine.task_options import TaskOptions, check_option, split_list
from auricle.media import Audio
from auricle.metrics.base import Metric
from auricle.tasks.rewards.preference import TIE_POLICIES, TiePolicy, preference_metrics
from auricle.tasks.rewards.ratings import Dimension, rating_metrics

RATING_QUESTIONS: Mapping[str, str] = {
    "musicality": "How good is this recording as music?",
    "alignment": "How well does this recording fit what was asked for?",
}
PREFERENCE_QUESTIONS: Mapping[str, str] = {
    "musicality": "Which recording is better as music?",
    "alignment": "Which recording fits better what was asked for?",
}
AnswerMode: TypeAlias = Literal["choice", "number"]
ANSWER_MODES = get_args(AnswerMode)


@dataclass(frozen=True, kw_only=True)
class RewardOptions:
    """The `-T` options that all reward tasks share."""

    outputs: Mapping[str, str] = field(default_factory=dict)
    """The model's name of each dimension of the data."""
    ties: TiePolicy = "half"
    """How pairs that people or the model find equal are counted."""
    question: str = ""
    """Question for text-generating models, instead of that of the task."""
    ask: AnswerMode = "choice"
    """Whether a pair is compared by `choice` or by a `number` for each recording."""
    swap: bool = True
    """Whether pairs are asked in both orders."""
    scale: tuple[float, float] = (1.0, 5.0)
    prompt: str = ""
    max_tokens: int = 512

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], ties: TiePolicy) -> tuple[RewardOptions, dict[str, Any]]:
        """Split arguments into reward options and the remaining arguments."""
        names = {option.name for option in fields(cls)}
        options = {name: _parse_option(name, value) for name, value in arguments.items() if name in names}
        rest = {name: value for name, value in arguments.items() if name not in names}
        return cls(**{"ties": ties, **options}), rest

    def build_dimension(self, name: str, asked_dimension: str, asked_dimensions: Sequence[str]) -> Dimension:
        """Build a dimension of the data.

        Args:
            name: Name in the data.
            asked_dimension: Dimension that the model is asked about for it.
            asked_dimensions: All dimensions that the model is asked about, in order.
        """
        is_asked = asked_dimension in asked_dimensions
        return Dimension(
            name,
            self.outputs.get(name) or self.outputs.get(asked_dimension, asked_dimension),
            asked_dimensions.index(asked_dimension) if is_asked else 0,
            len(asked_dimensions) if is_asked else 0,
            self.scale,
            self.ask == "choice",
        )

    def build_inferencer(self, dimensions: Sequence[str]) -> Inferencer:
        """Build the inferencer: scores of a reward model, or else answers of a text-generating model."""
        low, high = self.scale
        rate = Rate(
            self._questions(RATING_QUESTIONS, dimensions), low, high, self.prompt or RATING_PROMPT, self.max_tokens
        )
        prompt = self.prompt or PREFERENCE_PROMPT
        prefer = Prefer(self._questions(PREFERENCE_QUESTIONS, dimensions), self.swap, prompt, self.max_tokens)
        by_text = RateOrPrefer(rate, prefer if self.ask == "choice" else rate)
        return FirstSupported((Appraise(len(dimensions)), by_text))

    def _questions(self, questions: Mapping[str, str], dimensions: Sequence[str]) -> tuple[str, ...]:
        default = questions["musicality"]
        return tuple(self.question or questions.get(name, default) for name in dimensions)


def _parse_option(name: str, value: Any) -> Any:
    if name == "outputs":
        return _parse_outputs(value)
    if name == "scale":
        return _parse_scale(value)
    if name in ("ties", "ask"):
        choices = TIE_POLICIES if name == "ties" else ANSWER_MODES
        return check_option(name, value, value in choices, f"one of {', '.join(choices)}")
    if name == "swap":
        return check_option(name, value, isinstance(value, bool), "true or false")
    if name == "max_tokens":
        return check_option(name, value, isinstance(value, int), "an integer")
    return check_option(name, value, isinstance(value, str), "text")


def _parse_outputs(value: Any) -> dict[str, str]:
    """Parse `musicality=mos,alignment=clap`, a mapping, or a single name for data with one dimension."""
    if isinstance(value, Mapping):
        return {str(name): str(output) for name, output in value.items()}
    pairs = [item.partition("=") for item in split_list(str(value))]
    return {(name if equals else ""): (output if equals else name) for name, equals, output in pairs}


def _parse_scale(value: Any) -> tuple[float, float]:
    """Parse a scale such as `1-5`, or two numbers."""
    parts = str(value).split("-") if isinstance(value, str) else value
    try:
        low, high = (float(part) for part in parts)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    check_option("scale", value, low < high, "two increasing numbers such as 1-5")
    return low, high


def select_metrics(metrics: Sequence[Metric], names: Sequence[str]) -> list[Metric]:
    """Select metrics by their full name or by its first parts, such as `srcc`; without names, return all."""
    if not names:
        return list(metrics)
    unknown = [name for name in names if not any(_has_name(metric, name) for metric in metrics)]
    if unknown:
        available = ", ".join(dict.fromkeys(metric.name.partition(".")[0] for metric in metrics))
        raise SpecError(f"Unknown metric {unknown[0]!r}. Metrics of this task: {available}.", location=("metrics",))
    return [metric for metric in metrics if any(_has_name(metric, name) for name in names)]


def _has_name(metric: Metric, name: str) -> bool:
    return f"{metric.name}.".startswith(f"{name}.")


def has_value(value: Any) -> bool:
    """Return whether a cell has a value. Unlike in the authors' code, null does not count as text."""
    return value is not None and bool(str(value).strip())


TEXT_COLUMNS = ("text", "prompt", "caption", "description", "instruction", "question")
LYRICS_COLUMNS = ("lyrics",)
REFERENCE_COLUMNS = ("ref_audio", "ref-audio", "reference_audio", "ref-audio-path", "reference")
FIRST_AUDIO_COLUMNS = ("audio_a", "audio-a", "a", "audio1", "audio_1", "chosen", "audio", "audio-path")
SECOND_AUDIO_COLUMNS = ("audio_b", "audio-b", "b", "audio2", "audio_2", "rejected")
AUDIO_COLUMNS = ("audio", "audio-path")
RATING_COLUMNS = ("score", "mos", "rating", "target", "label", "overall", "quality")
RATING_COLUMNS_BY_DIMENSION: Mapping[str, tuple[str, ...]] = {
    "musicality": ("musicality",),
    "alignment": ("alignment", "text-music alignment", "text_music_alignment"),
}
PREFERENCE_COLUMNS = ("preference", "preferred", "winner", "choice", "better", "label", "answer", "target")
PREFERENCE_COLUMNS_BY_DIMENSION: Mapping[str, tuple[str, ...]] = {
    name: tuple(f"preference{joint}{name}" for joint in "-_.") for name in RATING_COLUMNS_BY_DIMENSION
}
CHOICE_ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("a", "model_a", "audio_a", "left", "first", "chosen"), "a"),
    **dict.fromkeys(("b", "model_b", "audio_b", "right", "second", "rejected"), "b"),
    **dict.fromkeys(("tie", "both", "neither", "equal", "same", "draw"), "tie"),
}
# The blank question keeps the manifest from rejecting rows without text: `_build_sample` checks the inputs.
FIELDS = ColumnMapping(target_columns=(), question_columns=TEXT_COLUMNS, requires_target=False, default_question=" ")
PEEK_ROWS = 50  # rows read to detect the columns

TargetParser = Callable[[Any], Json]
TargetColumns = Mapping[str, tuple[str, ...]]
"""Possible columns of each dimension's target, best first; a single dimension has an empty name."""


@takes_options(RewardOptions, TaskOptions)
def reward(**arguments: Any) -> Task:
    """Build a task that correlates a model's ratings with those of people."""
    columns = RATING_COLUMNS_BY_DIMENSION, RATING_COLUMNS
    return _build_task("reward", arguments, columns, parse_rating, lambda dimension, _: rating_metrics(dimension))


@takes_options(RewardOptions, TaskOptions)
def preference(**arguments: Any) -> Task:
    """Build a task that measures how often a model prefers what people prefer."""
    columns = PREFERENCE_COLUMNS_BY_DIMENSION, PREFERENCE_COLUMNS
    return _build_task(
        "preference",
        arguments,
        columns,
        parse_choice,
        lambda dimension, options: preference_metrics(dimension, options.ties),
    )


def _build_task(
    kind: str,
    arguments: Mapping[str, Any],
    known_columns: tuple[TargetColumns, tuple[str, ...]],
    parse_target: TargetParser,
    metrics: Callable[[Dimension, RewardOptions], list[Metric]],
) -> Task:
    """Build a task from a manifest, with the inferencer of the reward benchmarks."""
    reward_options, rest = RewardOptions.from_arguments(arguments, ties="half")
    targets = split_list(rest.pop("target", ""))
    options = TaskOptions.from_arguments(kind, rest)
    columns = _find_target_columns(options, targets, known_columns)
    sides = (FIRST_AUDIO_COLUMNS, SECOND_AUDIO_COLUMNS) if kind == "preference" else (AUDIO_COLUMNS,)
    names = list(columns)
    dimensions = [reward_options.build_dimension(name, name, names) for name in names]
    all_metrics = [metric for dimension in dimensions for metric in metrics(dimension, reward_options)]
    base = Path(options.root) if options.root else Path(options.data).parent
    manifest = load_manifest(options, FIELDS, lambda sample: _build_sample(sample, base, sides, columns, parse_target))
    selected_metrics = select_metrics(all_metrics, split_list(options.metrics))
    task = build_task(kind, options, manifest, reward_options.build_inferencer(names), selected_metrics)
    return replace(task, metrics_depend_on_output=True)


def _find_target_columns(
    options: TaskOptions, requested: Sequence[str], known_columns: tuple[TargetColumns, tuple[str, ...]]
) -> TargetColumns:
    """Return the target columns: those the user names, or those present in the first rows."""
    by_dimension, single = known_columns
    if len(requested) == 1:
        return {"": (requested[0],)}
    if requested:
        # The name of a dimension is its column without the prefix `preference`.
        return {name.removeprefix("preference").lstrip("-_.") or name: (name,) for name in requested}
    present = _peek_columns(options.data)
    return {name: names for name, names in by_dimension.items() if present & set(names)} or {"": single}


def _peek_columns(data: str) -> set[str]:
    path = Path(data)
    if data.startswith(HF_PREFIX) or not path.is_file():  # errors are reported when the data is read
        return set()
    first: Iterable[Any] = islice(read_rows(path), PEEK_ROWS)
    return {name for row in first if isinstance(row, Row) for name in row.values}


def _build_sample(
    sample: Sample, base: Path, sides: Sequence[tuple[str, ...]], columns: TargetColumns, parse_target: TargetParser
) -> Sample:
    """Name the recordings, texts and targets of a row as reward models expect."""
    values: dict[str, Any] = {**sample.meta}
    if "audio" in sample.inputs:
        values["audio"] = sample.inputs["audio"]
    if {"chosen", "rejected"} <= values.keys():  # the column names state the preference
        values = {"preference": "a", **values}
    audio_columns = dict(zip(("a", "b") if len(sides) > 1 else ("audio",), sides, strict=True))
    recordings = {name: _pop_audio(values, names, base) for name, names in audio_columns.items()}
    if missing := [name for name, audio in recordings.items() if audio is None]:
        raise SampleError(f"no audio: expected one of the columns {', '.join(audio_columns[missing[0]])}")
    others: dict[str, Any] = {
        "text": sample.inputs.get("question"),
        "lyrics": _pop_first(values, LYRICS_COLUMNS),
        "ref_audio": _pop_audio(values, REFERENCE_COLUMNS, base),
    }
    target = _build_target(values, columns, parse_target)
    inputs: dict[str, Input] = {name: value for name, value in {**recordings, **others}.items() if has_value(value)}
    values.pop("audio", None)
    return replace(sample, inputs=inputs, target=target, meta=values)


def _pop_first(values: dict[str, Any], names: Sequence[str]) -> Any:
    """Remove and return the first of these columns that has a value."""
    for name in names:
        if has_value(values.get(name)):
            return values.pop(name)
    return None


def _pop_audio(values: dict[str, Any], names: Sequence[str], base: Path) -> Input | None:
    value = _pop_first(values, names)
    if isinstance(value, str) and "://" not in value:
        return Audio.of(str(base / value))
    if isinstance(value, (list, tuple)):  # already parsed by the manifest
        return value[0] if value else None
    return None if value is None else Audio.of(value)


def _build_target(values: dict[str, Any], columns: TargetColumns, parse_target: TargetParser) -> Json:
    """Return the target of a row, or its targets by dimension; at least one dimension must have a value."""
    if list(columns) == [""]:
        value = _pop_first(values, columns[""])
        if value is None:
            names = columns[""]
            hint = f".{suggest(names[0], values)}".rstrip(".") if len(names) == 1 else ""
            raise SampleError(f"no target: expected one of the columns {', '.join(names)}{hint}")
        return parse_target(value)
    targets: dict[str, Json] = {
        name: parse_target(value) for name, names in columns.items() if (value := _pop_first(values, names)) is not None
    }
    if not targets:
        raise SampleError(f"no target: expected one of the dimensions {', '.join(columns)}")
    return targets


def parse_rating(value: Any) -> float:
    """Parse a rating, or raise an error if it is not a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise SampleError(f"invalid rating {value!r}: expected a number")
    return number


def parse_choice(value: Any) -> str:
    """Parse a preference into a, b or tie."""
    choice = CHOICE_ALIASES.get(str(value).strip().lower())
    if choice is None:
        raise SampleError(f"invalid preference {value!r}: expected a, b or tie")
    return choice
