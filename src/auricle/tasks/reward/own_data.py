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
from auricle.data.huggingface import PREFIX
from auricle.data.manifest import Fields
from auricle.data.rows import Row, rows
from auricle.metrics.base import Metric
from auricle.metrics.preference import preference_metrics
from auricle.metrics.rewards import Dimension, score_metrics
from auricle.tasks.base import Task
from auricle.tasks.kinds import samples_of
from auricle.tasks.options import Options, listed
from auricle.tasks.reward.cmi_rows import is_there
from auricle.tasks.reward.questions import Asking, wanted

TEXT = ("text", "prompt", "caption", "description", "instruction", "question")
LYRICS = ("lyrics",)
REFERENCE = ("ref_audio", "ref-audio", "reference_audio", "ref-audio-path", "reference")
FIRST = ("audio_a", "audio-a", "a", "audio1", "audio_1", "chosen", "audio", "audio-path")
SECOND = ("audio_b", "audio-b", "b", "audio2", "audio_2", "rejected")
SOUND = ("audio", "audio-path")
RATING = ("score", "mos", "rating", "target", "label", "overall", "quality")
DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "musicality": ("musicality",),
    "alignment": ("alignment", "text-music alignment", "text_music_alignment"),
}
CHOICE = ("preference", "preferred", "winner", "choice", "better", "label", "answer", "target")
CHOICES: Mapping[str, tuple[str, ...]] = {
    name: tuple(f"preference{joint}{name}" for joint in "-_.") for name in DIMENSIONS
}
WORDS: Mapping[str, str] = {
    **dict.fromkeys(("a", "model_a", "audio_a", "left", "first", "chosen"), "a"),
    **dict.fromkeys(("b", "model_b", "audio_b", "right", "second", "rejected"), "b"),
    **dict.fromkeys(("tie", "both", "neither", "equal", "same", "draw"), "tie"),
}
# Whether there is anything to ask about is decided here, not by the manifest: hence the blank.
FIELDS = Fields(target=(), question=TEXT, target_needed=False, default_question=" ")
FEW = 50  # rows looked at to learn the columns

Truth = Callable[[Any], Json]
Columns = Mapping[str, tuple[str, ...]]
"""Where the truth of each dimension stands, best name first; without a name, the only one."""


def reward(**given: Any) -> Task:
    """How well a model's numbers follow people's ratings."""

    def metrics(dimension: Dimension, _: Asking) -> list[Metric]:
        return score_metrics(dimension)

    return _task("reward", given, (DIMENSIONS, RATING), rating_of, metrics)


def preference(**given: Any) -> Task:
    """How often a model prefers what people prefer."""

    def metrics(dimension: Dimension, asking: Asking) -> list[Metric]:
        return preference_metrics(dimension, asking.ties)

    return _task("preference", given, (CHOICES, CHOICE), choice_of, metrics)


def _task(
    kind: str,
    given: Mapping[str, Any],
    known: tuple[Columns, tuple[str, ...]],
    truth: Truth,
    metrics: Callable[[Dimension, Asking], list[Metric]],
) -> Task:
    """A manifest whose rows are asked about as the reward benchmarks are."""
    asking, rest = Asking.of(given, ties="half")
    named = listed(rest.pop("target", ""))
    options = Options.of(kind, rest)
    columns = _columns(options, named, known)
    sides = (FIRST, SECOND) if kind == "preference" else (SOUND,)
    about = list(columns)
    found = [asking.dimension(name, name, about) for name in about]
    made = [metric for dimension in found for metric in metrics(dimension, asking)]
    base = Path(options.root) if options.root else Path(options.data).parent
    manifest = samples_of(
        options,
        FIELDS,
        lambda sample: _finished(sample, base, sides, columns, truth),
    )
    return Task(
        manifest,
        asking.inferencer(about),
        wanted(made, listed(options.metrics)),
        name=options.name or f"{kind}-{Path(options.data.removeprefix(PREFIX)).stem or 'data'}",
        language=options.language,
        licence=options.licence,
        source=options.data,
        cluster=options.cluster,
        by=tuple(listed(options.by)),
    )


def _columns(
    options: Options, named: Sequence[str], known: tuple[Columns, tuple[str, ...]]
) -> Columns:
    """Where the truth stands: in the columns that are named, or in those the first rows have."""
    several, single = known
    if len(named) == 1:
        return {"": (named[0],)}
    if named:
        return {_title(name): (name,) for name in named}
    there = _first_columns(options.data)
    found = {name: names for name, names in several.items() if there & set(names)}
    return found or {"": single}


def _title(column: str) -> str:
    """A dimension's name: its column's, without what all of them begin with."""
    return column.removeprefix("preference").lstrip("-_.") or column


def _first_columns(data: str) -> set[str]:
    path = Path(data)
    if data.startswith(PREFIX) or not path.is_file():  # what is wrong with it is told on reading
        return set()
    first: Iterable[Any] = islice(rows(path), FEW)
    return {name for row in first if isinstance(row, Row) for name in row.values}


def _finished(
    sample: Sample, base: Path, sides: Sequence[tuple[str, ...]], columns: Columns, truth: Truth
) -> Sample:
    """A row's sounds, texts and truths by the names reward models know."""
    held: dict[str, Any] = {**sample.meta}
    if "audio" in sample.inputs:
        held["audio"] = sample.inputs["audio"]
    if {"chosen", "rejected"} <= held.keys():  # columns that say it by their names
        held = {"preference": "a", **held}
    names = ("a", "b") if len(sides) > 1 else ("audio",)
    sounds = {name: _sound(held, side, base) for name, side in zip(names, sides, strict=True)}
    if missing := [name for name, sound in sounds.items() if sound is None]:
        wanted_names = dict(zip(names, sides, strict=True))[missing[0]]
        raise SampleError(f"no sound: one of {', '.join(wanted_names)} is needed")
    others: dict[str, Any] = {
        "text": sample.inputs.get("question"),
        "lyrics": _taken(held, LYRICS),
        "ref_audio": _sound(held, REFERENCE, base),
    }
    target = _target(held, columns, truth)
    inputs: dict[str, Input] = {
        name: value for name, value in {**sounds, **others}.items() if is_there(value)
    }
    held.pop("audio", None)
    return replace(sample, inputs=inputs, target=target, meta=held)


def _taken(held: dict[str, Any], names: Sequence[str]) -> Any:
    """What stands under the first of these names that has something, taken out."""
    for name in names:
        if is_there(held.get(name)):
            return held.pop(name)
    return None


def _sound(held: dict[str, Any], names: Sequence[str], base: Path) -> Input | None:
    found = _taken(held, names)
    if isinstance(found, str) and "://" not in found:
        return Audio.of(str(base / found))
    if isinstance(found, (list, tuple)):  # as a manifest tells its own column
        return found[0] if found else None
    return None if found is None else Audio.of(found)


def _target(held: dict[str, Any], columns: Columns, truth: Truth) -> Json:
    """The truths of a row; one of several dimensions may lack one, but not all."""
    if list(columns) == [""]:
        found = _taken(held, columns[""])
        if found is None:
            raise SampleError(f"no truth: one of {', '.join(columns[''])} is needed")
        return truth(found)
    told: dict[str, Json] = {
        name: truth(found)
        for name, names in columns.items()
        if (found := _taken(held, names)) is not None
    }
    if not told:
        raise SampleError(f"no truth: one of {', '.join(columns)} is needed")
    return told


def rating_of(value: Any) -> float:
    """A rating as a number, or why it is none."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise SampleError(f"a rating should be a number, not {value!r}")
    return number


def choice_of(value: Any) -> str:
    """A preference as a, b or tie, or why it is none of them."""
    found = WORDS.get(str(value).strip().lower())
    if found is None:
        raise SampleError(f"a preference should be a, b or tie, not {value!r}")
    return found
