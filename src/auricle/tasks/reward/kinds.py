"""Anybody's ratings and preferences: `--as reward` and `--as preference`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import SampleError
from auricle.core.types import Input, Json, Sample
from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import ColumnMapping
from auricle.data.row_files import Row, read_rows
from auricle.metrics.base import Metric
from auricle.metrics.preference import preference_metrics
from auricle.metrics.ratings import Dimension, score_metrics
from auricle.tasks.base import Task
from auricle.tasks.kinds import load_manifest
from auricle.tasks.options import TaskOptions, split_list
from auricle.tasks.reward.cmi_columns import has_value
from auricle.tasks.reward.options import RewardOptions, select_metrics

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
# Whether there is anything to ask about is decided here, not by the manifest: hence the blank.
FIELDS = ColumnMapping(target_columns=(), question_columns=TEXT_COLUMNS, requires_target=False, default_question=" ")
PEEK_ROWS = 50  # rows looked at to learn the columns

TargetParser = Callable[[Any], Json]
TargetColumns = Mapping[str, tuple[str, ...]]
"""Where the truth of each dimension stands, best name first; without a name, the only one."""


def reward(**arguments: Any) -> Task:
    """How well a model's numbers follow people's ratings."""

    def metrics(dimension: Dimension, _: RewardOptions) -> list[Metric]:
        return score_metrics(dimension)

    return _build_task("reward", arguments, (RATING_COLUMNS_BY_DIMENSION, RATING_COLUMNS), parse_rating, metrics)


def preference(**arguments: Any) -> Task:
    """How often a model prefers what people prefer."""

    def metrics(dimension: Dimension, asking: RewardOptions) -> list[Metric]:
        return preference_metrics(dimension, asking.ties)

    return _build_task(
        "preference", arguments, (PREFERENCE_COLUMNS_BY_DIMENSION, PREFERENCE_COLUMNS), parse_choice, metrics
    )


def _build_task(
    kind: str,
    arguments: Mapping[str, Any],
    known_columns: tuple[TargetColumns, tuple[str, ...]],
    parse_target: TargetParser,
    metrics: Callable[[Dimension, RewardOptions], list[Metric]],
) -> Task:
    """A manifest whose rows are asked about as the reward benchmarks are."""
    asking, rest = RewardOptions.from_arguments(arguments, ties="half")
    named = split_list(rest.pop("target", ""))
    options = TaskOptions.from_arguments(kind, rest)
    columns = _find_target_columns(options, named, known_columns)
    sides = (FIRST_AUDIO_COLUMNS, SECOND_AUDIO_COLUMNS) if kind == "preference" else (AUDIO_COLUMNS,)
    about = list(columns)
    found = [asking.build_dimension(name, name, about) for name in about]
    made = [metric for dimension in found for metric in metrics(dimension, asking)]
    base = Path(options.root) if options.root else Path(options.data).parent
    manifest = load_manifest(options, FIELDS, lambda sample: _build_sample(sample, base, sides, columns, parse_target))
    return Task(
        manifest,
        asking.build_inferencer(about),
        select_metrics(made, split_list(options.metrics)),
        name=options.name or f"{kind}-{Path(options.data.removeprefix(HF_PREFIX)).stem or 'data'}",
        language=options.language,
        licence=options.licence,
        source=options.data,
        cluster=options.cluster,
        group_by=tuple(split_list(options.by)),
    )


def _find_target_columns(
    options: TaskOptions, requested: Sequence[str], known_columns: tuple[TargetColumns, tuple[str, ...]]
) -> TargetColumns:
    """Where the truth stands: in the columns that are named, or in those the first rows have."""
    several, single = known_columns
    if len(requested) == 1:
        return {"": (requested[0],)}
    if requested:
        return {_dimension_name(name): (name,) for name in requested}
    there = _peek_columns(options.data)
    found = {name: names for name, names in several.items() if there & set(names)}
    return found or {"": single}


def _dimension_name(column: str) -> str:
    """A dimension's name: its column's, without what all of them begin with."""
    return column.removeprefix("preference").lstrip("-_.") or column


def _peek_columns(data: str) -> set[str]:
    path = Path(data)
    if data.startswith(HF_PREFIX) or not path.is_file():  # what is wrong with it is told on reading
        return set()
    first: Iterable[Any] = islice(read_rows(path), PEEK_ROWS)
    return {name for row in first if isinstance(row, Row) for name in row.values}


def _build_sample(
    sample: Sample, base: Path, sides: Sequence[tuple[str, ...]], columns: TargetColumns, parse_target: TargetParser
) -> Sample:
    """A row's sounds, texts and truths by the names reward models know."""
    held: dict[str, Any] = {**sample.meta}
    if "audio" in sample.inputs:
        held["audio"] = sample.inputs["audio"]
    if {"chosen", "rejected"} <= held.keys():  # columns that say it by their names
        held = {"preference": "a", **held}
    names = ("a", "b") if len(sides) > 1 else ("audio",)
    sounds = {name: _pop_audio(held, side, base) for name, side in zip(names, sides, strict=True)}
    if missing := [name for name, sound in sounds.items() if sound is None]:
        wanted_names = dict(zip(names, sides, strict=True))[missing[0]]
        raise SampleError(f"no sound: one of {', '.join(wanted_names)} is needed")
    others: dict[str, Any] = {
        "text": sample.inputs.get("question"),
        "lyrics": _pop_first(held, LYRICS_COLUMNS),
        "ref_audio": _pop_audio(held, REFERENCE_COLUMNS, base),
    }
    target = _build_target(held, columns, parse_target)
    inputs: dict[str, Input] = {name: value for name, value in {**sounds, **others}.items() if has_value(value)}
    held.pop("audio", None)
    return replace(sample, inputs=inputs, target=target, meta=held)


def _pop_first(values: dict[str, Any], names: Sequence[str]) -> Any:
    """What stands under the first of these names that has something, taken out."""
    for name in names:
        if has_value(values.get(name)):
            return values.pop(name)
    return None


def _pop_audio(values: dict[str, Any], names: Sequence[str], base: Path) -> Input | None:
    found = _pop_first(values, names)
    if isinstance(found, str) and "://" not in found:
        return Audio.of(str(base / found))
    if isinstance(found, (list, tuple)):  # as a manifest tells its own column
        return found[0] if found else None
    return None if found is None else Audio.of(found)


def _build_target(values: dict[str, Any], columns: TargetColumns, parse_target: TargetParser) -> Json:
    """The truths of a row; one of several dimensions may lack one, but not all."""
    if list(columns) == [""]:
        found = _pop_first(values, columns[""])
        if found is None:
            raise SampleError(f"no truth: one of {', '.join(columns[''])} is needed")
        return parse_target(found)
    told: dict[str, Json] = {
        name: parse_target(found) for name, names in columns.items() if (found := _pop_first(values, names)) is not None
    }
    if not told:
        raise SampleError(f"no truth: one of {', '.join(columns)} is needed")
    return told


def parse_rating(value: Any) -> float:
    """A rating as a number, or why it is none."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise SampleError(f"a rating should be a number, not {value!r}")
    return number


def parse_choice(value: Any) -> str:
    """A preference as a, b or tie, or why it is none of them."""
    found = CHOICE_ALIASES.get(str(value).strip().lower())
    if found is None:
        raise SampleError(f"a preference should be a, b or tie, not {value!r}")
    return found
