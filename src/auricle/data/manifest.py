"""What in a row is a sample's: id, sounds, question, choices, target, meta.

Fields of Kimi-Audio-Evalkit are taken as they are (`index`, `audio_path`, `question`,
`answer`, `subset`, `audio_content`, `meta`), and so are the names most people use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from auricle.audio import Audio, Image, Video
from auricle.data.rows import Row, count, revision, rows
from auricle.errors import DataError, SampleError
from auricle.types import Input, Json, Rejected, Sample

ID = ("id", "index", "key", "utt_id")
AUDIO = ("audio", "audio_path", "audio_filepath", "wav", "path", "file")
START, END = ("start", "offset"), ("end",)
CHOICES = ("choices", "options")
MEDIA: Mapping[str, tuple[tuple[str, ...], Callable[[Any], Any]]] = {
    "image": (("image", "image_path"), Image.of),
    "video": (("video", "video_path"), Video.of),
}
PEEK = 50  # rows looked at before a run, to tell a wrong file from a wrong row


@dataclass(frozen=True, slots=True)
class Fields:
    """Which columns a kind of task takes its target and its question from, best first."""

    target: tuple[str, ...]
    question: tuple[str, ...] = ("question", "prompt", "instruction")
    target_needed: bool = True
    default_question: str = ""


@dataclass(frozen=True)
class Manifest:
    """Samples of a file, read lazily: iterate it as often as you like."""

    path: Path
    fields: Fields
    root: Path | None = None
    choices: Sequence[str] = ()
    """Options of every row that has none of its own."""
    finish: Callable[[Sample], Sample] = field(default=lambda sample: sample)
    """What a kind of task does to every sample, or a `SampleError` that rejects it."""

    def __iter__(self) -> Iterator[Sample | Rejected]:
        return (self.sample(at, row) for at, row in enumerate(rows(self.path)))

    def __len__(self) -> int:
        return count(self.path) or 0

    @property
    def revision(self) -> str:
        return f"{self.path.name}@{revision(self.path)}"

    def sample(self, at: int, row: Row | Rejected) -> Sample | Rejected:
        if isinstance(row, Rejected):
            return row
        try:
            return self.finish(self._sample(at, row))
        except SampleError as error:
            return Rejected(row.origin, str(error))

    def _sample(self, at: int, row: Row) -> Sample:
        left = dict(row.values)
        base = self.root or self.path.parent
        inputs: dict[str, Input] = {}
        if sounds := _sounds(left, base):
            inputs["audio"] = sounds
        for name, (columns, make) in MEDIA.items():
            if (value := _take(left, columns)) is not None:
                inputs[name] = [make(_placed(each, base)) for each in _listed(value)]
        target = _target(_take(left, self.fields.target), self.fields)
        inputs["question"] = _question(_take(left, self.fields.question), self.fields)
        if choices := _choices(_take(left, CHOICES)) or list(self.choices):
            inputs["choices"] = choices
        if not any(inputs.get(name) for name in ("audio", "question", *MEDIA)):
            raise SampleError(f"nothing to ask about: no {AUDIO[0]}, no {self.fields.question[0]}")
        return Sample(
            id=_identity(_take(left, ID), at),
            inputs=inputs,
            target=target,
            meta=_meta(left),
            origin=row.origin,
        )

    def peek(self) -> None:
        """Refuse a file that is wrong as a whole, saying what was found and what to do."""
        first = list(islice(self, PEEK))
        if not first:
            raise DataError(f"{self.path} has no rows.")
        good = [each for each in first if isinstance(each, Sample)]
        if not good:
            raise DataError(
                f"{self.path}: none of the first {len(first)} rows can be used. "
                f"{_worst(first)} {self._columns()}"
            )
        _refuse_if_all_missing(good, self.root or self.path.parent)

    def _columns(self) -> str:
        for row in islice(rows(self.path), PEEK):
            if isinstance(row, Row):
                return f"Columns found: {', '.join(row.values) or 'none'}."
        return "No row could be read."


def _worst(first: Iterable[Sample | Rejected]) -> str:
    bad = next(each for each in first if isinstance(each, Rejected))
    return f"{bad.origin}: {bad.reason}."


def _refuse_if_all_missing(samples: Iterable[Sample], root: Path) -> None:
    paths = [
        sound.path
        for sample in samples
        for sound in _many(sample.inputs.get("audio"))
        if isinstance(sound, Audio) and sound.path
    ]
    if paths and not any(path.exists() for path in paths):
        raise DataError(
            f"None of the first {len(paths)} audio files exist, such as {paths[0]}. "
            f"Paths are taken from {root}; give another folder with -T root=DIR."
        )


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _take(left: dict[str, Any], columns: Sequence[str]) -> Any:
    """The first column that is there and holds something; all of them are used up."""
    found = [left.pop(name, None) for name in columns]
    return next((value for value in found if value is not None), None)


def _identity(value: Any, at: int) -> str:
    if value is None:
        return str(at)
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise SampleError(f"the id should be text or a whole number, not {type(value).__name__}")


def _sounds(left: dict[str, Any], base: Path) -> list[Audio]:
    value = _take(left, AUDIO)
    start, end = _take(left, START), _take(left, END)
    if start is not None and end is None and "duration" in left:
        end = _seconds(start) + _seconds(left["duration"])
    first, last = _seconds(start or 0.0), None if end is None else _seconds(end)
    sounds = [] if value is None else _listed(value)
    return [Audio.of(_placed(each, base), start=first, end=last) for each in sounds]


def _seconds(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise SampleError(f"start and end are seconds, not {value!r}") from error


def _listed(value: Any) -> list[Any]:
    """A value, or several: a list, or a CSV cell that holds a JSON list."""
    if isinstance(value, str) and value.startswith("["):
        value = _json(value)
    return value if isinstance(value, list) else [value]


def _placed(value: Any, base: Path) -> Any:
    """Paths are relative to the manifest; anything that is no path passes as it is."""
    if isinstance(value, str):
        return value if "://" in value else str(base / value)
    if isinstance(value, dict) and isinstance(value.get("path"), str) and not value.get("bytes"):
        return {**value, "path": str(base / value["path"])}
    return value


def _target(value: Any, fields: Fields) -> Json:
    if value is None and fields.target_needed:
        raise SampleError(f"no target: one of {', '.join(fields.target)} is needed")
    if isinstance(value, dict):
        raise SampleError("the target should be text, a number or a list, not an object")
    if isinstance(value, list) and not all(isinstance(each, (str, int, float)) for each in value):
        raise SampleError("a list of targets should hold text or numbers only")
    return value if isinstance(value, (list, int, float)) or value is None else str(value)


def _question(value: Any, fields: Fields) -> str:
    if value is None or value == "":
        return fields.default_question
    if not isinstance(value, str):
        raise SampleError(f"the question should be text, not {type(value).__name__}")
    return value


def _choices(value: Any) -> list[str]:
    """Options from a list, an object of letters, a JSON cell, or a cell with bars."""
    if value is None:
        return []
    if isinstance(value, str):
        value = _json(value) if value.startswith(("[", "{")) else value.split("|")
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list) or len(value) < 2:
        raise SampleError("the choices should be a list of two or more")
    return [str(each).strip() for each in value]


def _meta(left: dict[str, Any]) -> dict[str, Json]:
    """What is left of a row, with its `meta` object spread out: this sample's own copy."""
    nested = left.pop("meta", None)
    if isinstance(nested, str) and nested.startswith("{"):
        nested = _json(nested)
    rest = {name: value for name, value in left.items() if not isinstance(value, bytes)}
    return {**rest, **nested} if isinstance(nested, dict) else rest


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SampleError(f"a cell that looks like JSON is not: {text[:60]!r}") from error
