"""Build samples from rows: id, audio, question, choices, target and metadata.

The usual names of columns are recognised, such as `index`, `audio_path`, `question`, `answer` and `meta`.
"""

from __future__ import annotations

import difflib
import math
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.redaction import redact_text
from auricle.core.serialization import dumps
from auricle.core.storage import is_remote
from auricle.core.types import Input, Json, Part, RejectedRow, Sample, create_sample, list_parts
from auricle.data.file_formats import Row, convert_row, count_rows, file_revision, parse_json_cell, read_rows
from auricle.data.parts import DataPart, check_unchanged, plan_parts, read_part, read_single, read_source
from auricle.data.sources import MAX_HASHED_BYTES, DataSource
from auricle.media import Audio, Image, Video

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
"""Column names by role, for every kind of task; the first match is used."""
INPUT_ROLES = {"audio", "image", "video", "question", "choices"}
"""Roles that are inputs of a sample, by these names."""
ROLES_WITHOUT_TEXT = {"audio", "image", "video", "meta", "target"}
"""Roles whose column a prompt cannot show: what is not text, and the answer."""
MEDIA_FACTORIES: Mapping[str, Callable[..., Part]] = {"audio": Audio.of, "image": Image.of, "video": Video.of}
VALIDATED_ROWS = 50  # rows checked before a run, to distinguish a wrong file from a wrong row
ROWS_OF_LARGE_DATA = 1000
"""Rows of remote or large data that decide what all rows of other data do, such as the language of references."""
MAX_CACHED_LAYOUTS = 50  # sets of columns; most files have one
PLAIN_TYPES = frozenset({str, float, bool, NoneType})
"""Types of which every value can be stored. An integer may have too many digits."""

MediaFolder: TypeAlias = Path | str
"""A folder of sounds: a path, or a URL as text."""
ColumnRoles = tuple[dict[str, str], list[str]]
T = TypeVar("T")


class ColumnLayout(NamedTuple):
    """What the columns of a row are used for."""

    columns_by_role: dict[str, str]
    other_names: list[str]
    possible_questions: list[str]
    """Columns that are a question only if their value is one."""


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The columns from which a kind of task takes its target, question and identifier, in order of preference."""

    target_columns: tuple[str, ...]
    question_columns: tuple[str, ...] = ("question", "prompt", "instruction")
    requires_target: bool = True
    requires_media: bool = False
    default_question: str = ""
    nullable_columns: tuple[str, ...] = ()
    """Columns whose empty cells in a table are values, such as no label, instead of missing."""
    id_columns: tuple[str, ...] = COLUMN_ALIASES["id"]
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Columns that the user names, by role; they replace the usual names."""

    def assign_roles(self, columns: KeysView[str], shown_columns: Collection[str] = ()) -> ColumnRoles:
        """Return the column used for each role, and the columns that stay under their own name.

        These are the columns without a role and those that the prompt shows, except the target and media.
        A role's own name, such as `question`, always means the input. Names are compared without case, unless two
        columns differ only in case.
        """
        aliases: dict[str, Sequence[str]] = {
            **COLUMN_ALIASES,
            "id": self.id_columns,
            "target": self.target_columns,
            "question": self.question_columns,
            **{role: (name,) for role, name in self.chosen.items()},
        }
        actual = {name.casefold(): name for name in reversed([*columns])} | {name: name for name in columns}
        columns_by_role = {
            role: column
            for role, role_names in aliases.items()
            if (column := next((actual[key] for key in _spellings(role_names) if key in actual), None))
        }
        usual = {name.casefold() for role_names in aliases.values() for name in role_names}
        renamed = {name for name in columns if name.casefold() in usual}
        renamed -= {*shown_columns} - INPUT_ROLES
        renamed |= {name for role, name in columns_by_role.items() if role in ROLES_WITHOUT_TEXT}
        return columns_by_role, [name for name in columns if name not in renamed]


def _spellings(names: Sequence[str]) -> Iterator[str]:
    """Yield names as they are, then without case."""
    yield from names
    yield from (name.casefold() for name in names)


@dataclass(frozen=True)
class Manifest:
    """The samples of a file. Rows are read lazily, and the file can be iterated repeatedly."""

    path: Path
    fields: ColumnMapping
    root: Path | None = None
    choices: Callable[[], Sequence[str]] = tuple
    """Returns the choices for rows that have none of their own."""
    transform: Callable[[Sample], Sample] = field(default=lambda sample: sample)
    """Applied to every sample; may raise `SampleError` to reject it."""
    check: Callable[[], Sequence[str]] = tuple
    """Checks the rows as a whole before a run: returns notes on them, or raises `SpecError`."""
    prompt_fields: tuple[str, ...] = ()
    """Inputs that the prompt requires; a file without these columns is refused."""
    shown_columns: tuple[str, ...] = ()
    """Columns that the prompt or its examples show; they are available under their own name besides their role."""
    row_range: tuple[int, int | None] = (0, None)
    """Index of the first row, and of the row after the last one."""
    skips_media: bool = False
    """Whether sounds, images and videos in the file itself are left unread, where the format allows it."""
    source: DataSource | None = None
    """The files to read instead of `path`: several files, or files at a URL."""
    root_url: str = ""
    """URL of the folder to which paths in the rows are relative, instead of `root`."""
    data_part: DataPart | None = None
    """The part of the data to read; all of it if None."""
    _layouts: dict[tuple[str, ...], ColumnLayout] = field(default_factory=dict, repr=False, compare=False)

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        return (self.make_sample(index, row) for index, row in self.iter_rows())

    def iter_rows(self) -> Iterator[tuple[int, Row | RejectedRow]]:
        """Yield the rows in `row_range`, or those of the part, with their index."""
        if self.data_part is None:
            return self.select_rows(self._read_rows())
        check_unchanged(self.data_part)
        return read_part(self._data_source, self.data_part, skip_binary=self.skips_media)

    def iter_columns(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield the values of each readable row by role, and its other columns, without building samples."""
        for _, row in self.iter_rows():
            columns = row if isinstance(row, RejectedRow) else convert_row(row.origin, self._split_columns, row.values)
            if not isinstance(columns, RejectedRow):
                yield columns

    def _read_rows(self) -> Iterator[Row | RejectedRow]:
        return self._read_files(skip_binary=self.skips_media)

    def _read_files(self, *, skip_binary: bool) -> Iterator[Row | RejectedRow]:
        """Yield the rows of the files, from the first to the last."""
        if self.source is None:
            return read_rows(self.path, skip_binary=skip_binary)
        read = read_single if self.source.is_single else read_source
        return read(self.source, skip_binary=skip_binary)

    def __len__(self) -> int:
        if self.data_part is not None or self.source is not None:
            count = self.data_part.rows if self.data_part else None
            if count is None:
                raise TypeError(f"The number of rows of {self.location} is unknown until they are read.")
            return count
        return self.count_selected(count_rows(self.path) or 0)

    @property
    def revision(self) -> str:
        if self.data_part is not None:
            return f"{self._data_source.name}@{self.data_part.revision}"
        revision = file_revision(self.path) if self.source is None else self.source.revision
        return f"{self._data_source.name}@{revision}{self.row_range_suffix}"

    @property
    def location(self) -> str:
        """Where the data is, for messages."""
        return str(self.path) if self.source is None else redact_text(self.source.location)

    @cached_property
    def _data_source(self) -> DataSource:
        return self.source or DataSource(str(self.path))

    @property
    def is_large(self) -> bool:
        """Whether reading all rows before a run would take long: remote data, and more than `MAX_HASHED_BYTES`."""
        if self.source is None:
            return False
        return is_remote(self.source.location) or sum(file.size for file in self.source.files) > MAX_HASHED_BYTES

    @property
    def is_remote(self) -> bool:
        """Whether rows are read over a network."""
        return is_remote(self._data_source.location)

    def plan_parts(self, target_bytes: int) -> Iterator[DataPart]:
        """Yield the parts of the data, in order; only sizes and footers of its files are read.

        Args:
            target_bytes: Size of a part.
        """
        if self._has_plain_rows() and self.row_range == (0, None):
            return plan_parts(self._data_source, target_bytes)
        first, last = self.row_range
        return iter((DataPart(self.location, "rows", first, last),))

    def _has_plain_rows(self) -> bool:
        """Return whether rows are those of the files, rather than what a subclass makes of them."""
        own = type(self)
        return all(
            getattr(own, name) is getattr(Manifest, name)
            for name in ("__iter__", "iter_rows", self._read_rows.__name__)
        )

    def restrict(self, part: DataPart) -> Self:
        """Return the same data with only the rows of a part; choices and checks stay those of the whole."""
        if part.unit == "rows":
            return replace(self, row_range=(part.start, part.end))
        return replace(self, data_part=replace(part, source=self._data_source.find_location(part.source)))

    def whole_file_without_media(self) -> Manifest:
        """Return the same rows for a look at their texts, without media: all of them, or the first of large data."""
        last = ROWS_OF_LARGE_DATA if self.is_large else None
        return replace(self, row_range=(0, last), data_part=None, skips_media=True)

    def notes(self) -> list[str]:
        """Return notes on the rows as a whole."""
        return list(self.check())

    def with_notes(self, *notes: str) -> Self:
        """Return the same rows with further notes on them; empty ones are left out."""
        check = self.check
        return replace(self, check=lambda: [*check(), *filter(None, notes)])

    def select_rows(self, rows: Iterable[T]) -> Iterator[tuple[int, T]]:
        """Yield the rows in `row_range` with their index."""
        return islice(enumerate(rows), *self.row_range)

    def count_selected(self, total: int) -> int:
        """Return how many of `total` rows are in `row_range`."""
        first, last = self.row_range
        return len(range(total)[first:last])

    @property
    def row_range_suffix(self) -> str:
        """Return the row range as part of the revision; empty if all rows are used."""
        first, last = self.row_range
        return "" if self.row_range == (0, None) else f"[{first or ''}:{'' if last is None else last}]"

    def make_sample(self, index: int, row: Row | RejectedRow) -> Sample | RejectedRow:
        if isinstance(row, RejectedRow):
            return row
        if row.empty_cells and (kept := {*row.empty_cells} & {*self.fields.nullable_columns}):
            row = row._replace(values={**row.values, **dict.fromkeys(kept, "")})
        sample = convert_row(row.origin, self._build_storable_sample, index, row)
        return self._describe_rejected(row, sample) if isinstance(sample, RejectedRow) else sample

    def _describe_rejected(self, row: Row, rejected: RejectedRow) -> RejectedRow:
        """Return a rejected row with its target, and with its id and metadata if they can be read."""
        rejected = replace(rejected, target=self._find_target(row))

        def read_identity() -> Sample:
            role_values, other_columns = self._split_columns(row.values)
            sample_id = _parse_id(role_values.get("id"), row.default_id)
            meta = _merge_meta(role_values.get("meta"), other_columns)
            return check_storable(create_sample(id=sample_id, inputs={}, meta=meta))

        identity = convert_row(row.origin, read_identity)
        return rejected if isinstance(identity, RejectedRow) else replace(rejected, id=identity.id, meta=identity.meta)

    def _build_storable_sample(self, index: int, row: Row) -> Sample:
        return check_storable(self.transform(self._build_sample(index, row)))

    def _find_target(self, row: Row) -> Json:
        """Return the target of a row that is not a valid sample, if it can be read without question and media."""

        def build_without_inputs() -> Sample:
            role_values, other_columns = self._split_columns(row.values)
            target, choices = self._parse_answer(role_values)
            options = list(choices.values()) or list(self.choices())
            meta = _merge_meta(role_values.get("meta"), other_columns)
            sample = create_sample(id=row.origin, inputs={"choices": options}, target=target, meta=meta)
            return check_storable(self.transform(sample))

        sample = convert_row(row.origin, build_without_inputs)
        return None if isinstance(sample, RejectedRow) else sample.target

    def _split_columns(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the values by role, and the columns that keep their name; null counts as missing."""
        if None in values.values():
            values = {name: value for name, value in values.items() if value is not None}
        layout = self._layouts.get(tuple(values)) or self._add_layout(values.keys())
        # A list or an object is not a question (such as IFEval's `instruction`).
        if structured := [name for name in layout.possible_questions if isinstance(values[name], (list, dict))]:
            role_values, other_columns = self._split_columns({k: v for k, v in values.items() if k not in structured})
            return role_values, {**other_columns, **{name: values[name] for name in structured}}
        role_values = {role: values[name] for role, name in layout.columns_by_role.items()}
        if isinstance(role_values.get("choices"), str) and layout.columns_by_role["choices"] in layout.other_names:
            del role_values["choices"]  # a text with all options, which the prompt shows as it is
        return role_values, {name: values[name] for name in layout.other_names}

    def _add_layout(self, columns: KeysView[str]) -> ColumnLayout:
        """Assign roles to columns, which are nearly always those of an earlier row."""
        if len(self._layouts) == MAX_CACHED_LAYOUTS:
            self._layouts.clear()
        possible_questions = [name for name in self.fields.question_columns[1:] if name in columns]
        layout = ColumnLayout(*self.fields.assign_roles(columns, self.shown_columns), possible_questions)
        self._layouts[tuple(columns)] = layout
        return layout

    @cached_property
    def _base_dir(self) -> Path:
        return self.root or self.path.parent

    def _media_folder(self, row: Row) -> MediaFolder:
        """Return the folder to which the paths in a row are relative."""
        if row.folder and not self.root:
            return self.root_url or (row.folder if is_remote(row.folder) else Path(row.folder))
        return self.root_url or self._base_dir

    def _build_sample(self, index: int, row: Row) -> Sample:
        role_values, other_columns = self._split_columns(row.values)
        if "target" not in role_values and self.fields.requires_target:
            if empty := self._find_empty_target(row):
                raise SampleError(f"the reference is empty (column {empty})")
            if chosen := self.fields.chosen.get("target"):
                raise SampleError(f"no target: expected the column {chosen}.{suggest(chosen, row.values)}".rstrip("."))
        target, choices = self._parse_answer(role_values)
        return create_sample(
            id=_parse_id(role_values.get("id"), row.default_id or str(index)),
            inputs=self._build_inputs(role_values, other_columns, list(choices.values()), self._media_folder(row)),
            target=target,
            meta=_merge_meta(role_values.get("meta"), other_columns),
            origin=row.origin,
        )

    def _find_empty_target(self, row: Row) -> str:
        """Return the column of the target if its cell is empty or null."""
        empty = [*row.empty_cells, *(name for name, value in row.values.items() if value is None)]
        return self.fields.assign_roles(dict.fromkeys(empty).keys())[0].get("target", "")

    def _parse_answer(self, role_values: Mapping[str, Any]) -> tuple[Json, dict[str, str]]:
        """Return the target of a row, and its options by name."""
        target = _parse_target(role_values.get("target"), self.fields)
        choices = _parse_choices(role_values["choices"]) if "choices" in role_values else {}
        if choices and isinstance(role_values["choices"], dict):  # named options: the target is a name
            target = choices.get(str(target), target)
        return target, choices

    def _build_inputs(
        self, role_values: dict[str, Any], other_columns: dict[str, Any], choices: list[str], base: MediaFolder
    ) -> dict[str, Input]:
        inputs: dict[str, Input] = {}
        for name, make_media in MEDIA_FACTORIES.items():
            if name in role_values:
                segment = {} if name == "image" else _parse_segment(role_values, other_columns)
                inputs[name] = _parse_media(name, partial(make_media, **segment), role_values[name], base)
        question = _parse_question(role_values.get("question"), self.fields)
        has_prompt = question or (self.prompt_fields and "question" not in self.prompt_fields)
        if not any(inputs.values()) and (self.fields.requires_media or not has_prompt):
            missing_question = "" if self.fields.requires_media else f" and no {self.fields.question_columns[0]}"
            raise SampleError(f"no audio{missing_question}")
        inputs["question"] = question
        if choices := choices or list(self.choices()):
            inputs["choices"] = choices
        return inputs

    def validate(self) -> None:
        """Raise `DataError` if the file as a whole cannot be used, with its columns and what is missing."""
        self._check_chosen_columns()
        rows = list(islice(self, VALIDATED_ROWS))
        if not rows:
            raise DataError(f"{self.location} has no rows.")
        samples = [row for row in rows if isinstance(row, Sample)]
        if not samples:
            raise DataError(
                f"{self.location}: none of the first {len(rows)} rows is valid. "
                f"{_first_rejection(rows)} {self._describe_columns()}"
            )
        _check_prompt_fields(self.prompt_fields, samples)
        _check_audio_exists(samples, self._base_dir)
        self.check()

    def _describe_columns(self) -> str:
        columns = self.list_columns()
        return f"Columns: {', '.join(columns)}." if columns else "No row could be read."

    def list_columns(self) -> list[str]:
        """Return the columns of the first rows."""
        first = islice(self._read_files(skip_binary=False), VALIDATED_ROWS)
        rows = (row for row in first if isinstance(row, Row))
        return list(dict.fromkeys(name for row in rows for name in row.values))

    def _check_chosen_columns(self) -> None:
        """Raise `SpecError` if a column that the user names is in none of the first rows."""
        columns = self.list_columns() if self.fields.chosen else []
        known = {name.casefold() for name in columns}
        for role, name in self.fields.chosen.items():
            if columns and name.casefold() not in known:
                raise SpecError(
                    f"{self.location} has no column {name!r}. Columns: {', '.join(columns)}.{suggest(name, columns)}",
                    location=(role,),
                )


def suggest(name: str, columns: Iterable[str]) -> str:
    """Return the question whether a similar column is meant, after a space; empty if there is none.

    >>> suggest("txet", ["audio", "text"])
    " Did you mean 'text'?"
    """
    close = difflib.get_close_matches(name, list(columns), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def check_storable(sample: Sample) -> Sample:
    """Return the sample without binary metadata, or raise `SampleError` if a run could not store it."""
    meta = sample.meta
    if PLAIN_TYPES.issuperset(map(type, (*sample.inputs.values(), sample.target, *meta, *meta.values()))):
        return sample  # much faster than trying to store it
    if binary := [name for name, value in meta.items() if isinstance(value, (dict, list)) and _has_bytes(value)]:
        sample = replace(sample, meta={name: value for name, value in meta.items() if name not in binary})
    try:
        dumps([sample.inputs, sample.target, sample.meta])
    except TypeError as error:
        is_deep = "Recursion" in str(error)
        raise SampleError("nested too deeply" if is_deep else f"cannot be stored as JSON: {error}") from error
    return sample


def _has_bytes(value: Any) -> bool:
    values = [value]  # a loop, because a value may be nested deeper than functions can call themselves
    for item in values:
        if isinstance(item, (dict, list)):
            values += item.values() if isinstance(item, dict) else item
    return any(isinstance(item, (bytes, bytearray, memoryview)) for item in values)


def _first_rejection(rows: Iterable[Sample | RejectedRow]) -> str:
    rejected = next(row for row in rows if isinstance(row, RejectedRow))
    return f"{rejected.origin}: {rejected.reason}{'' if rejected.reason.endswith('?') else '.'}"


def _check_prompt_fields(prompt_fields: Iterable[str], samples: Sequence[Sample]) -> None:
    for name in prompt_fields:
        if any(name in sample.inputs for sample in samples):
            continue
        columns = dict.fromkeys(name for s in samples for name in (*s.inputs, *s.meta))
        matches = difflib.get_close_matches(name, columns, n=1)
        hint = f" Did you mean {{{matches[0]}}}?" if matches else ""
        raise DataError(
            f"The prompt contains {{{name}}}, but no row has it. Available: {', '.join(columns)}.{hint}",
            location=("prompt",),
        )


def _check_audio_exists(samples: Iterable[Sample], root: Path) -> None:
    paths = [
        part.path
        for sample in samples
        for value in sample.inputs.values()
        for part in list_parts(value)
        if isinstance(part, Audio) and part.path
    ]
    if paths and not any(path.exists() for path in paths):
        raise DataError(
            f"None of the first {len(paths)} audio files exists, for example {paths[0]}. "
            f"Paths are relative to {root}; set another folder with -T root=DIR."
        )


def _parse_id(value: Any, default: str) -> str:
    if value is None:
        return default
    if value == "":
        raise SampleError("the id is empty")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise SampleError(f"the id must be text or a whole number, not {type(value).__name__}")


def _parse_segment(role_values: dict[str, Any], other_columns: dict[str, Any]) -> dict[str, float | None]:
    """Return start and end of the part of a sound or a video that a row uses."""
    start, end = role_values.get("start"), role_values.get("end")
    if start is not None and end is None and "duration" in other_columns:
        end = parse_seconds(start) + parse_seconds(other_columns["duration"])
    return {"start": parse_seconds(start or 0.0), "end": None if end is None else parse_seconds(end)}


def _parse_media(name: str, make: Callable[[Any], T], value: Any, base: MediaFolder) -> list[T]:
    try:
        return [make(resolve_path(item, base)) for item in _as_list(value)]
    except (TypeError, ValueError) as error:
        raise SampleError(f"invalid {name}: {error}") from error


def parse_seconds(value: Any) -> float:
    with suppress(TypeError, ValueError, OverflowError):
        if math.isfinite(seconds := float(value)):
            return seconds
    raise SampleError(f"start and end must be seconds, not {value!r}")


def _as_list(value: Any) -> list[Any]:
    """Return a list of values, from a list, a single value, or a CSV cell with a JSON list."""
    if isinstance(value, str) and value.startswith("["):
        value = parse_json_cell(value)
    return value if isinstance(value, list) else [value]


def resolve_path(value: Any, base: MediaFolder) -> Any:
    """Make a path relative to the manifest, which may be at a URL; keep everything else."""
    if isinstance(value, str):
        return value if "://" in value else _join(base, value)
    if isinstance(value, dict) and isinstance(value.get("path"), str) and not value.get("bytes"):
        return {**value, "path": resolve_path(value["path"], base)}
    return value


def _join(base: MediaFolder, path: str) -> str:
    if isinstance(base, Path) or path.startswith("/"):
        return str(base / Path(path))
    scheme, _, rest = base.partition("://")
    return f"{scheme}://{posixpath.normpath(f'{rest}/{path}')}"


def _parse_target(value: Any, columns: ColumnMapping) -> Json:
    if type(value) is str:
        return value
    if value is None and columns.requires_target:
        raise SampleError(f"no target: expected one of the columns {', '.join(columns.target_columns)}")
    if isinstance(value, dict):
        raise SampleError("the target must be text, a number or a list, not an object")
    if isinstance(value, list) and not (value and all(isinstance(v, (str, int, float)) for v in value)):
        raise SampleError("a list of targets must contain at least one text or number and nothing else")
    if any(isinstance(v, float) and not math.isfinite(v) for v in (value if isinstance(value, list) else [value])):
        raise SampleError("the target must be a finite number")
    return value if isinstance(value, (list, int, float)) or value is None else str(value)


def _parse_question(value: Any, columns: ColumnMapping) -> str:
    if value is None or value == "":
        return columns.default_question
    if not isinstance(value, str):
        raise SampleError(f"the question must be text, not {type(value).__name__}")
    return value


def _parse_choices(value: Any) -> dict[str, str]:
    """Return options by name, from a list, an object, a JSON cell, or a cell separated by `|`."""
    if isinstance(value, str):
        value = parse_json_cell(value) if value.startswith(("[", "{")) else value.split("|")
    if isinstance(value, list):
        value = dict(enumerate(value))
    elif isinstance(value, dict):
        value = dict(sorted(value.items()))
    if not isinstance(value, dict) or len(value) < 2:
        raise SampleError("the choices must be a list of at least two options")
    return {str(name): str(option).strip() for name, option in value.items()}


def _merge_meta(nested: Any, other_columns: dict[str, Any]) -> dict[str, Json]:
    """Return the remaining columns and the fields of the `meta` object, without binary data."""
    if isinstance(nested, str) and nested.startswith("{"):
        nested = parse_json_cell(nested)
    for name in [name for name, value in other_columns.items() if isinstance(value, bytes)]:
        del other_columns[name]
    return {**other_columns, **nested} if isinstance(nested, dict) else other_columns
