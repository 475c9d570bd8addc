"""What in a row is a sample's: id, sounds, question, choices, target, meta.

Fields of Kimi-Audio-Evalkit are taken as they are (`index`, `audio_path`, `question`,
`answer`, `subset`, `audio_content`, `meta`), and so are the names most people use.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import orjson

from auricle.audio import Audio, Image, Video
from auricle.core.errors import DataError, SampleError
from auricle.core.types import Input, Json, Rejected, Sample, parts_of
from auricle.data.rows import Row, count, revision, rows

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "index", "key", "utt_id"),
    "audio": ("audio", "audio_path", "audio_filepath", "wav", "path", "file_name", "file"),
    "image": ("image", "image_path"),
    "video": ("video", "video_path"),
    "start": ("start", "offset"),
    "end": ("end",),
    "choices": ("choices", "options"),
    "meta": ("meta",),
}
"""What a column holds, whatever the kind of task; the first name of several is believed."""
PICTURES = (("image", Image.of), ("video", Video.of))
PEEK = 50  # rows looked at before a run, to tell a wrong file from a wrong row
SHAPES = 50  # sets of columns remembered; most files have one

Roles = tuple[dict[str, str], list[str]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fields:
    """Which columns a kind of task takes its target and its question from, best first."""

    target: tuple[str, ...]
    question: tuple[str, ...] = ("question", "prompt", "instruction")
    target_needed: bool = True
    media_needed: bool = False
    default_question: str = ""

    def roles(self, columns: KeysView[str]) -> Roles:
        """Which of these columns is believed for each role, and which have none."""
        known = {**COLUMNS, "target": self.target, "question": self.question}
        held = {
            role: next(name for name in names if name in columns)
            for role, names in known.items()
            if not columns.isdisjoint(names)
        }
        names = {name for names in known.values() for name in names}
        return held, [name for name in columns if name not in names]


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
    shows: tuple[str, ...] = ()
    """Inputs that a prompt shows; a file whose rows have none of that name is refused."""
    span: tuple[int, int | None] = (0, None)
    """The first row that is taken, and the one after the last."""
    _roles: dict[tuple[str, ...], Roles] = field(default_factory=dict, repr=False, compare=False)

    def __iter__(self) -> Iterator[Sample | Rejected]:
        return (self.sample(at, row) for at, row in self.taken(rows(self.path)))

    def __len__(self) -> int:
        return self.number(count(self.path) or 0)

    @property
    def revision(self) -> str:
        return f"{self.path.name}@{revision(self.path)}{self.spanned}"

    def taken(self, all_rows: Iterable[T]) -> Iterator[tuple[int, T]]:
        """The rows of the span, each with its place in the data."""
        return islice(enumerate(all_rows), *self.span)

    def number(self, size: int) -> int:
        """How many of so many rows are taken."""
        first, last = self.span
        return len(range(size)[first:last])

    @property
    def spanned(self) -> str:
        """The span as a revision tells it; nothing where all rows are taken."""
        first, last = self.span
        return "" if self.span == (0, None) else f"[{first or ''}:{'' if last is None else last}]"

    def sample(self, at: int, row: Row | Rejected) -> Sample | Rejected:
        if isinstance(row, Rejected):
            return row
        try:
            return self.finish(self._sample(at, row))
        except SampleError as error:
            return Rejected(row.origin, str(error))

    def _sorted_out(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a row holds by role, and the columns that have none; null is as good as absent."""
        if None in values.values():
            values = {name: value for name, value in values.items() if value is not None}
        if lists := [name for name in self.fields.question[1:] if _is_structured(values.get(name))]:
            named, other = self._sorted_out({k: v for k, v in values.items() if k not in lists})
            return named, {**other, **{name: values[name] for name in lists}}
        columns = tuple(values)  # nearly always those of a row before
        if columns not in self._roles:
            if len(self._roles) == SHAPES:
                self._roles.clear()
            self._roles[columns] = self.fields.roles(values.keys())
        held, rest = self._roles[columns]
        given = {role: values[name] for role, name in held.items()}
        return given, {name: values[name] for name in rest}

    @cached_property
    def _base(self) -> Path:
        return self.root or self.path.parent

    def _sample(self, at: int, row: Row) -> Sample:
        given, rest = self._sorted_out(row.values)
        target = _target(given.get("target"), self.fields)
        choices = _choices(given["choices"]) if "choices" in given else {}
        if choices and isinstance(given["choices"], dict):  # options with names of their own
            target = choices.get(str(target), target)
        return Sample(
            id=_identity(given.get("id"), at),
            inputs=self._inputs(given, rest, list(choices.values())),
            target=target,
            meta=_meta(given.get("meta"), rest),
            origin=row.origin,
        )

    def _inputs(
        self, given: dict[str, Any], rest: dict[str, Any], choices: list[str]
    ) -> dict[str, Input]:
        base = self._base
        inputs: dict[str, Input] = {}
        if "audio" in given:
            inputs["audio"] = _sounds(given, rest, base)
        for name, make in PICTURES:
            if name in given:
                inputs[name] = [make(_placed(each, base)) for each in _listed(given[name])]
        question = _question(given.get("question"), self.fields)
        asked = question or (self.shows and "question" not in self.shows)
        if not any(inputs.values()) and (self.fields.media_needed or not asked):
            wanted = "" if self.fields.media_needed else f" and no {self.fields.question[0]}"
            raise SampleError(f"nothing to ask about: no audio{wanted}")
        inputs["question"] = question
        if choices := choices or list(self.choices):
            inputs["choices"] = choices
        return inputs

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
        _refuse_unknown(self.shows, good)
        _refuse_if_all_missing(good, self._base)

    def _columns(self) -> str:
        for row in islice(rows(self.path), PEEK):
            if isinstance(row, Row):
                return f"Columns found: {', '.join(row.values) or 'none'}."
        return "No row could be read."


def _worst(first: Iterable[Sample | Rejected]) -> str:
    bad = next(each for each in first if isinstance(each, Rejected))
    return f"{bad.origin}: {bad.reason}."


def _refuse_unknown(shows: Iterable[str], samples: Sequence[Sample]) -> None:
    for name in shows:
        if any(name in sample.inputs for sample in samples):
            continue
        columns = dict.fromkeys(name for s in samples for name in (*s.inputs, *s.meta))
        near = difflib.get_close_matches(name, columns, n=1)
        hint = f" Did you mean {{{near[0]}}}?" if near else ""
        raise DataError(
            f"The prompt shows {{{name}}}, and no row has it. "
            f"It can show {', '.join(columns)}.{hint}",
            where=("prompt",),
        )


def _refuse_if_all_missing(samples: Iterable[Sample], root: Path) -> None:
    paths = [
        sound.path
        for sample in samples
        for value in sample.inputs.values()
        for sound in parts_of(value)
        if isinstance(sound, Audio) and sound.path
    ]
    if paths and not any(path.exists() for path in paths):
        raise DataError(
            f"None of the first {len(paths)} audio files exist, such as {paths[0]}. "
            f"Paths are taken from {root}; give another folder with -T root=DIR."
        )


def _identity(value: Any, at: int) -> str:
    if value is None:
        return str(at)
    if value == "":
        raise SampleError("the id is empty")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise SampleError(f"the id should be text or a whole number, not {type(value).__name__}")


def _sounds(given: dict[str, Any], rest: dict[str, Any], base: Path) -> list[Audio]:
    start, end = given.get("start"), given.get("end")
    if start is not None and end is None and "duration" in rest:
        end = _seconds(start) + _seconds(rest["duration"])
    first, last = _seconds(start or 0.0), None if end is None else _seconds(end)
    return [
        Audio.of(_placed(each, base), start=first, end=last) for each in _listed(given["audio"])
    ]


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
    if isinstance(value, list) and not (
        value and all(isinstance(v, (str, int, float)) for v in value)
    ):
        raise SampleError("a list of targets should hold texts or numbers, and at least one")
    return value if isinstance(value, (list, int, float)) or value is None else str(value)


def _question(value: Any, fields: Fields) -> str:
    if value is None or value == "":
        return fields.default_question
    if not isinstance(value, str):
        raise SampleError(f"the question should be text, not {type(value).__name__}")
    return value


def _is_structured(value: Any) -> bool:
    """A list or an object is no question under another name, such as IFEval's `instruction`."""
    return isinstance(value, (list, dict))


def _choices(value: Any) -> dict[str, str]:
    """Options by name, from a list, an object, a JSON cell, or a cell with bars."""
    if isinstance(value, str):
        value = _json(value) if value.startswith(("[", "{")) else value.split("|")
    if isinstance(value, list):
        value = dict(enumerate(value))
    elif isinstance(value, dict):
        value = dict(sorted(value.items()))
    if not isinstance(value, dict) or len(value) < 2:
        raise SampleError("the choices should be a list of two or more")
    return {str(name): str(each).strip() for name, each in value.items()}


def _meta(nested: Any, rest: dict[str, Any]) -> dict[str, Json]:
    """What is left of a row, with its `meta` object spread out: this sample's own copy."""
    if isinstance(nested, str) and nested.startswith("{"):
        nested = _json(nested)
    for name in [name for name, value in rest.items() if isinstance(value, bytes)]:
        del rest[name]
    return {**rest, **nested} if isinstance(nested, dict) else rest


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SampleError(f"a cell that looks like JSON is not: {text[:60]!r}") from error
