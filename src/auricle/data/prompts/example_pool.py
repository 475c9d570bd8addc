"""The pool of few-shot examples: its rows, which of them must not be shown for a sample, and how many fit."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any, TypeAlias, overload

from auricle.core.errors import DataError, MissingExtra, SampleError, SpecError
from auricle.core.serialization import content_key, dumps
from auricle.core.types import Input, Json, Part, RejectedRow, Sample, list_parts
from auricle.media import Audio, Image, Video


@dataclass(frozen=True, slots=True)
class Example:
    """One few-shot example: its inputs and its correct answer as text."""

    id: str
    inputs: Mapping[str, Input]
    answer: str
    meta: Mapping[str, Json] = field(default_factory=dict)
    """Other columns of the row, which a template may also show, such as a rationale."""


@dataclass(frozen=True, eq=False)
class ExamplePool:
    """Samples with answers, read on first use; rows that cannot be shown are skipped."""

    source: Iterable[Sample | RejectedRow]
    format_answer: Callable[[Sample], str]

    @cached_property
    def _load_rows(self) -> tuple[list[Sample], list[Example], list[str]]:
        samples: dict[str, Sample] = {}
        examples: list[Example] = []
        rejections: list[str] = []
        for number, row in enumerate(self.source, 1):
            try:
                example = self._make_example(row, samples)
            except SampleError as error:
                rejections.append(f"{row.origin or f'row {number}'}: {error}")
                continue
            assert isinstance(row, Sample)
            samples[row.id] = row
            examples.append(example)
        if not examples:
            reason = f" {rejections[0]}." if rejections else ""
            raise DataError(f"The example pool has no usable row.{reason}", ("shots", "pool"))
        return list(samples.values()), examples, rejections

    def _make_example(self, row: Sample | RejectedRow, seen_ids: Container[str]) -> Example:
        if isinstance(row, RejectedRow):
            raise SampleError(row.reason)
        if row.id in seen_ids:
            raise SampleError(f"duplicate id {row.id!r}")
        if row.target is None:
            raise SampleError("no target")
        _check_files_exist(row)
        return Example(row.id, row.inputs, self.format_answer(row), row.meta)

    @property
    def samples(self) -> list[Sample]:
        return self._load_rows[0]

    @property
    def examples(self) -> list[Example]:
        return self._load_rows[1]

    @cached_property
    def index_by_id(self) -> dict[str, int]:
        return {sample.id: index for index, sample in enumerate(self.samples)}

    @cached_property
    def revision(self) -> str:
        """Identify the rows: by the source's own revision, or by a hash of their content."""
        if source_revision := getattr(self.source, "revision", ""):
            return str(source_revision)
        digest = blake2b(digest_size=4)
        for example in self.examples:
            digest.update(dumps([example.id, example.inputs, example.answer, example.meta]))
        return f"rows@{digest.hexdigest()}"

    def notes(self) -> list[str]:
        """Describe the rows that cannot be used as examples."""
        rejections = self._load_rows[2]
        if len(rejections) == 1:
            return [f"1 row of the example pool cannot be used: {rejections[0]}."]
        note = f"{len(rejections):,} rows of the example pool cannot be used, for example "
        return [f"{note}{reason}." for reason in rejections[:1]]

    def get_example(self, id_: str) -> Example:
        if id_ not in self.index_by_id:
            raise SampleError(f"the example {id_!r} is not in the pool")
        return self.examples[self.index_by_id[id_]]

    def excluded_indices(self, sample: Sample, differs_in: Sequence[str], matches: Sequence[str] = ()) -> set[int]:
        """Return the rows that must not be shown: the sample, its duplicates, and rows with unsuitable fields.

        Args:
            sample: The sample that examples are selected for.
            differs_in: Fields that must not have the sample's value.
            matches: Fields that must have the sample's value.
        """
        excluded = {index for index in (self.index_by_id.get(sample.id),) if index is not None}
        if sample.id.isdecimal():  # rows are numbered file by file
            excluded = {index for index in excluded if _file_of(self.samples[index]) == _file_of(sample)}
        candidates = self._by_fingerprint.get(_fingerprint(sample), ())
        if candidates:
            key = _sample_key(sample)
            excluded.update(index for index in candidates if _sample_key(self.samples[index]) == key)
        for name in (*differs_in, *matches):
            value = _field_value(sample, name)
            if value is None:  # nothing to compare with
                continue
            equal = self._by_field(name).get(value, ())
            excluded.update(equal if name in differs_in else set(range(len(self.samples))).difference(equal))
        return excluded

    def check_fields(self, option: str, names: Sequence[str]) -> None:
        """Raise if no row has a field that an option names, which would be a typo."""
        for name in names:
            if not self._by_field(name):
                field_names = sorted({field for sample in self.samples for field in sample.meta})
                raise SpecError(
                    f"No row of the example pool has the field {name!r} listed in `{option}`. "
                    f"Fields: {', '.join(field_names) or 'none'}.",
                    location=("shots", option),
                )

    @cached_property
    def _by_fingerprint(self) -> dict[bytes, list[int]]:
        return _group_indices(_fingerprint(sample) for sample in self.samples)

    @cached_property
    def _by_field(self) -> Callable[[str], dict[Any, list[int]]]:
        return cache(lambda name: _group_indices(_field_value(sample, name) for sample in self.samples))


class AllowedIndices(Sequence[int]):
    """All indices of a pool except some, without listing them, because a pool may be large."""

    def __init__(self, size: int, excluded: set[int]) -> None:
        self._size = size
        self._sorted_excluded = sorted(excluded)
        self._excluded = excluded

    def __len__(self) -> int:
        return self._size - len(self._sorted_excluded)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        if isinstance(at, slice):
            return [self[position] for position in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        index = at % len(self)
        for excluded in self._sorted_excluded:
            if excluded > index:
                break
            index += 1
        return index

    def __contains__(self, index: object) -> bool:
        return index not in self._excluded and index in range(self._size)

    def __iter__(self) -> Iterator[int]:
        return (index for index in range(self._size) if index not in self._excluded)


def _group_indices(values: Iterable[Any]) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = {}
    for index, value in enumerate(values):
        if value is not None:
            groups.setdefault(value, []).append(index)
    return groups


def _field_value(sample: Sample, name: str) -> bytes | str | None:
    """Return a metadata field, or the content of an input; None if the sample has neither."""
    if sample.meta.get(name) is not None:
        return dumps(sample.meta[name])
    if name in sample.inputs:
        return _sample_key(replace(sample, inputs={name: sample.inputs[name]}))
    return None


def _file_of(sample: Sample) -> str:
    return sample.origin.rpartition(":")[0]


def _sample_key(sample: Sample) -> str:
    """Identify a sample by its content without metadata."""
    return content_key(replace(sample, meta={}))


def _fingerprint(sample: Sample) -> bytes:
    """Return a value that is equal for samples with equal content, without reading their files."""
    inputs = {name: [_fingerprint_part(part) for part in list_parts(sample.inputs[name])] for name in sample.inputs}
    return dumps(dict(sorted(inputs.items())))


def _fingerprint_part(part: Part) -> str | list[Any]:
    if isinstance(part, str):
        return part
    assert isinstance(part, (Audio, Image, Video))
    times = [] if isinstance(part, Image) else [float(part.start), part.end and float(part.end)]
    if isinstance(part.data, bytes):
        return [len(part.data), *times]
    if part.path is None or not part.path.is_file():
        return [part.hash, *times]
    return [part.path.stat().st_size, *times]


def _check_files_exist(sample: Sample) -> None:
    for value in sample.inputs.values():
        for part in list_parts(value):
            if not isinstance(part, str) and part.path and not part.path.is_file():
                raise SampleError(f"no such file: {part.path}")


BYTES_PER_TOKEN = 4  # typical for English; in Chinese it counts three tokens for four characters

ExampleRenderer: TypeAlias = Callable[[Example], Sequence[Part]]


def all_parts(example: Example) -> list[Part]:
    """Return all parts that an example may be shown as: its inputs and its answer."""
    return [part for value in example.inputs.values() for part in list_parts(value)] + [example.answer]


@dataclass(frozen=True, eq=False)
class ExampleBudget:
    """The maximum total size of the examples of a sample; None is no limit."""

    max_tokens: int | None = None
    max_seconds: float | None = None
    tokenizer: str = ""
    """Tokeniser that counts the tokens; if empty, they are estimated from the length of the text."""
    render_example: ExampleRenderer = all_parts

    def select_fitting(self, examples: Sequence[Example]) -> list[Example]:
        """Return the leading examples that fit; the input is sorted best first."""
        selected: list[Example] = []
        tokens, seconds = 0, 0.0
        for example in examples:
            if self.max_tokens is not None:
                tokens += self._count_tokens(example)
            if self.max_seconds is not None:
                seconds += self._audio_seconds(example)
            if tokens > (self.max_tokens or 0) or seconds > (self.max_seconds or 0.0):
                break
            selected.append(example)
        return selected

    def _count_tokens(self, example: Example) -> int:
        texts = [part for part in self.render_example(example) if isinstance(part, str)]
        if not self.tokenizer:
            return sum(-(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) for text in texts)
        return sum(len(self._tokenize(text, add_special_tokens=False)["input_ids"]) for text in texts)

    def _audio_seconds(self, example: Example) -> float:
        clips = [part for part in self.render_example(example) if isinstance(part, Audio)]
        try:
            return sum(clip.seconds for clip in clips)
        except SampleError as error:
            raise SpecError(
                f"Cannot read the duration of the example {example.id!r}: {error}", location=("shots", "pool")
            ) from error

    @cached_property
    def _tokenize(self) -> Any:
        try:
            from transformers import AutoTokenizer
        except ImportError as error:
            raise MissingExtra("Counting tokens exactly", "transformers") from error
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.tokenizer)
        except (OSError, ValueError) as error:
            raise self._tokenizer_error(str(error).strip().partition("\n")[0]) from error
        if not tokenizer("a", add_special_tokens=False)["input_ids"]:  # also for an empty folder
            raise self._tokenizer_error("it returns no tokens.")
        return tokenizer

    def _tokenizer_error(self, reason: str) -> SpecError:
        return SpecError(f"Cannot use the tokenizer {self.tokenizer}: {reason}", location=("shots", "tokenizer"))

    def validate(self) -> None:
        """Raise if the tokeniser cannot be used."""
        if self.max_tokens is not None and self.tokenizer:
            assert self._tokenize

    def __str__(self) -> str:
        limits = []
        if self.max_tokens is not None:
            limits.append(f"max_tokens={self.max_tokens} {self.tokenizer or 'estimated'}")
        if self.max_seconds is not None:
            limits.append(f"max_seconds={self.max_seconds:g}")
        return ", ".join(limits)
