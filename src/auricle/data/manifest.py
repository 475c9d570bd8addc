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
from auricle.core.types import Input, Json, RejectedRow, Sample, list_parts
from auricle.data.row_files import Row, count_rows, file_revision, read_rows

COLUMN_ALIASES: Mapping[str, tuple[str, ...]] = {
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
VISUAL_MEDIA = (("image", Image.of), ("video", Video.of))
VALIDATED_ROWS = 50  # rows looked at before a run, to tell a wrong file from a wrong row
MAX_CACHED_LAYOUTS = 50  # sets of columns remembered; most files have one

ColumnRoles = tuple[dict[str, str], list[str]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Which columns a kind of task takes its target and its question from, best first."""

    target_columns: tuple[str, ...]
    question_columns: tuple[str, ...] = ("question", "prompt", "instruction")
    requires_target: bool = True
    requires_media: bool = False
    default_question: str = ""

    def assign_roles(self, columns: KeysView[str]) -> ColumnRoles:
        """Which of these columns is believed for each role, and which have none."""
        known = {**COLUMN_ALIASES, "target": self.target_columns, "question": self.question_columns}
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
    fields: ColumnMapping
    root: Path | None = None
    choices: Sequence[str] = ()
    """Options of every row that has none of its own."""
    transform: Callable[[Sample], Sample] = field(default=lambda sample: sample)
    """What a kind of task does to every sample, or a `SampleError` that rejects it."""
    prompt_fields: tuple[str, ...] = ()
    """Inputs that a prompt shows; a file whose rows have none of that name is refused."""
    row_range: tuple[int, int | None] = (0, None)
    """The first row that is taken, and the one after the last."""
    _roles: dict[tuple[str, ...], ColumnRoles] = field(default_factory=dict, repr=False, compare=False)

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        return (self.make_sample(at, row) for at, row in self.select_rows(read_rows(self.path)))

    def __len__(self) -> int:
        return self.count_selected(count_rows(self.path) or 0)

    @property
    def revision(self) -> str:
        return f"{self.path.name}@{file_revision(self.path)}{self.row_range_suffix}"

    def select_rows(self, rows: Iterable[T]) -> Iterator[tuple[int, T]]:
        """The rows of the span, each with its place in the data."""
        return islice(enumerate(rows), *self.row_range)

    def count_selected(self, total: int) -> int:
        """How many of so many rows are taken."""
        first, last = self.row_range
        return len(range(total)[first:last])

    @property
    def row_range_suffix(self) -> str:
        """The span as a revision tells it; nothing where all rows are taken."""
        first, last = self.row_range
        return "" if self.row_range == (0, None) else f"[{first or ''}:{'' if last is None else last}]"

    def make_sample(self, index: int, row: Row | RejectedRow) -> Sample | RejectedRow:
        if isinstance(row, RejectedRow):
            return row
        try:
            return self.transform(self._build_sample(index, row))
        except SampleError as error:
            return RejectedRow(row.origin, str(error))

    def _split_columns(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a row holds by role, and the columns that have none; null is as good as absent."""
        if None in values.values():
            values = {name: value for name, value in values.items() if value is not None}
        if lists := [name for name in self.fields.question_columns[1:] if _is_structured(values.get(name))]:
            named, other = self._split_columns({k: v for k, v in values.items() if k not in lists})
            return named, {**other, **{name: values[name] for name in lists}}
        columns = tuple(values)  # nearly always those of a row before
        if columns not in self._roles:
            if len(self._roles) == MAX_CACHED_LAYOUTS:
                self._roles.clear()
            self._roles[columns] = self.fields.assign_roles(values.keys())
        held, rest = self._roles[columns]
        given = {role: values[name] for role, name in held.items()}
        return given, {name: values[name] for name in rest}

    @cached_property
    def _base_dir(self) -> Path:
        return self.root or self.path.parent

    def _build_sample(self, index: int, row: Row) -> Sample:
        given, rest = self._split_columns(row.values)
        target = _parse_target(given.get("target"), self.fields)
        choices = _parse_choices(given["choices"]) if "choices" in given else {}
        if choices and isinstance(given["choices"], dict):  # options with names of their own
            target = choices.get(str(target), target)
        return Sample(
            id=_parse_id(given.get("id"), index),
            inputs=self._build_inputs(given, rest, list(choices.values())),
            target=target,
            meta=_merge_meta(given.get("meta"), rest),
            origin=row.origin,
        )

    def _build_inputs(
        self, role_values: dict[str, Any], other_columns: dict[str, Any], choices: list[str]
    ) -> dict[str, Input]:
        base = self._base_dir
        inputs: dict[str, Input] = {}
        if "audio" in role_values:
            inputs["audio"] = _parse_audio(role_values, other_columns, base)
        for name, make in VISUAL_MEDIA:
            if name in role_values:
                inputs[name] = [make(_resolve_path(each, base)) for each in _as_list(role_values[name])]
        question = _parse_question(role_values.get("question"), self.fields)
        asked = question or (self.prompt_fields and "question" not in self.prompt_fields)
        if not any(inputs.values()) and (self.fields.requires_media or not asked):
            wanted = "" if self.fields.requires_media else f" and no {self.fields.question_columns[0]}"
            raise SampleError(f"nothing to ask about: no audio{wanted}")
        inputs["question"] = question
        if choices := choices or list(self.choices):
            inputs["choices"] = choices
        return inputs

    def validate(self) -> None:
        """Refuse a file that is wrong as a whole, saying what was found and what to do."""
        first = list(islice(self, VALIDATED_ROWS))
        if not first:
            raise DataError(f"{self.path} has no rows.")
        good = [each for each in first if isinstance(each, Sample)]
        if not good:
            raise DataError(
                f"{self.path}: none of the first {len(first)} rows can be used. "
                f"{_first_rejection(first)} {self._describe_columns()}"
            )
        _check_prompt_fields(self.prompt_fields, good)
        _check_audio_exists(good, self._base_dir)

    def _describe_columns(self) -> str:
        for row in islice(read_rows(self.path), VALIDATED_ROWS):
            if isinstance(row, Row):
                return f"Columns found: {', '.join(row.values) or 'none'}."
        return "No row could be read."


def _first_rejection(first: Iterable[Sample | RejectedRow]) -> str:
    bad = next(each for each in first if isinstance(each, RejectedRow))
    return f"{bad.origin}: {bad.reason}."


def _check_prompt_fields(prompt_fields: Iterable[str], samples: Sequence[Sample]) -> None:
    for name in prompt_fields:
        if any(name in sample.inputs for sample in samples):
            continue
        columns = dict.fromkeys(name for s in samples for name in (*s.inputs, *s.meta))
        near = difflib.get_close_matches(name, columns, n=1)
        hint = f" Did you mean {{{near[0]}}}?" if near else ""
        raise DataError(
            f"The prompt shows {{{name}}}, and no row has it. It can show {', '.join(columns)}.{hint}",
            location=("prompt",),
        )


def _check_audio_exists(samples: Iterable[Sample], root: Path) -> None:
    paths = [
        sound.path
        for sample in samples
        for value in sample.inputs.values()
        for sound in list_parts(value)
        if isinstance(sound, Audio) and sound.path
    ]
    if paths and not any(path.exists() for path in paths):
        raise DataError(
            f"None of the first {len(paths)} audio files exist, such as {paths[0]}. "
            f"Paths are taken from {root}; give another folder with -T root=DIR."
        )


def _parse_id(value: Any, index: int) -> str:
    if value is None:
        return str(index)
    if value == "":
        raise SampleError("the id is empty")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise SampleError(f"the id should be text or a whole number, not {type(value).__name__}")


def _parse_audio(role_values: dict[str, Any], other_columns: dict[str, Any], base: Path) -> list[Audio]:
    start, end = role_values.get("start"), role_values.get("end")
    if start is not None and end is None and "duration" in other_columns:
        end = _parse_seconds(start) + _parse_seconds(other_columns["duration"])
    first, last = _parse_seconds(start or 0.0), None if end is None else _parse_seconds(end)
    return [Audio.of(_resolve_path(each, base), start=first, end=last) for each in _as_list(role_values["audio"])]


def _parse_seconds(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise SampleError(f"start and end are seconds, not {value!r}") from error


def _as_list(value: Any) -> list[Any]:
    """A value, or several: a list, or a CSV cell that holds a JSON list."""
    if isinstance(value, str) and value.startswith("["):
        value = _parse_json(value)
    return value if isinstance(value, list) else [value]


def _resolve_path(value: Any, base: Path) -> Any:
    """Paths are relative to the manifest; anything that is no path passes as it is."""
    if isinstance(value, str):
        return value if "://" in value else str(base / value)
    if isinstance(value, dict) and isinstance(value.get("path"), str) and not value.get("bytes"):
        return {**value, "path": str(base / value["path"])}
    return value


def _parse_target(value: Any, columns: ColumnMapping) -> Json:
    if value is None and columns.requires_target:
        raise SampleError(f"no target: one of {', '.join(columns.target_columns)} is needed")
    if isinstance(value, dict):
        raise SampleError("the target should be text, a number or a list, not an object")
    if isinstance(value, list) and not (value and all(isinstance(v, (str, int, float)) for v in value)):
        raise SampleError("a list of targets should hold texts or numbers, and at least one")
    return value if isinstance(value, (list, int, float)) or value is None else str(value)


def _parse_question(value: Any, columns: ColumnMapping) -> str:
    if value is None or value == "":
        return columns.default_question
    if not isinstance(value, str):
        raise SampleError(f"the question should be text, not {type(value).__name__}")
    return value


def _is_structured(value: Any) -> bool:
    """A list or an object is no question under another name, such as IFEval's `instruction`."""
    return isinstance(value, (list, dict))


def _parse_choices(value: Any) -> dict[str, str]:
    """Options by name, from a list, an object, a JSON cell, or a cell with bars."""
    if isinstance(value, str):
        value = _parse_json(value) if value.startswith(("[", "{")) else value.split("|")
    if isinstance(value, list):
        value = dict(enumerate(value))
    elif isinstance(value, dict):
        value = dict(sorted(value.items()))
    if not isinstance(value, dict) or len(value) < 2:
        raise SampleError("the choices should be a list of two or more")
    return {str(name): str(each).strip() for name, each in value.items()}


def _merge_meta(nested: Any, other_columns: dict[str, Any]) -> dict[str, Json]:
    """What is left of a row, with its `meta` object spread out: this sample's own copy."""
    if isinstance(nested, str) and nested.startswith("{"):
        nested = _parse_json(nested)
    for name in [name for name, value in other_columns.items() if isinstance(value, bytes)]:
        del other_columns[name]
    return {**other_columns, **nested} if isinstance(nested, dict) else other_columns


def _parse_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise SampleError(f"a cell that looks like JSON is not: {text[:60]!r}") from error
