"""Where examples come from, and which of its rows a sample must not be shown."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, overload

from auricle.audio import Audio, Image, Video
from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.serialization import content_key, dumps
from auricle.core.types import Input, Json, Part, RejectedRow, Sample, list_parts


@dataclass(frozen=True, slots=True)
class Example:
    """One example: what was asked, and how a right answer to it is written."""

    id: str
    inputs: Mapping[str, Input]
    answer: str
    meta: Mapping[str, Json] = field(default_factory=dict)
    """Its row's other columns, which a template may show too: a rationale, say."""


@dataclass(frozen=True, eq=False)
class ExamplePool:
    """Samples with answers, read when first needed; rows that cannot be shown are passed over."""

    source: Iterable[Sample | RejectedRow]
    format_answer: Callable[[Sample], str]

    @cached_property
    def _load_rows(self) -> tuple[list[Sample], list[Example], list[str]]:
        samples: dict[str, Sample] = {}
        shots: list[Example] = []
        passed: list[str] = []
        for row, each in enumerate(self.source, 1):
            try:
                shot = self._make_example(each, samples)
            except SampleError as error:
                passed.append(f"{each.origin or f'row {row}'}: {error}")
                continue
            assert isinstance(each, Sample)
            samples[each.id] = each
            shots.append(shot)
        if not shots:
            why = f" {passed[0]}." if passed else ""
            raise DataError(f"The pool of examples has no usable row.{why}", ("shots", "pool"))
        return list(samples.values()), shots, passed

    def _make_example(self, row: Sample | RejectedRow, seen_ids: Container[str]) -> Example:
        if isinstance(row, RejectedRow):
            raise SampleError(row.reason)
        if row.id in seen_ids:
            raise SampleError(f"duplicate id {row.id!r}")
        if row.target is None:
            raise SampleError("no target to show")
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
        return {sample.id: place for place, sample in enumerate(self.samples)}

    @cached_property
    def revision(self) -> str:
        """Which rows exactly; a file knows itself, other samples are told by what they hold."""
        known = getattr(self.source, "revision", "")
        if known:
            return str(known)
        whole = blake2b(digest_size=4)
        for shot in self.examples:
            whole.update(dumps([shot.id, shot.inputs, shot.answer, shot.meta]))
        return f"rows@{whole.hexdigest()}"

    def notes(self) -> list[str]:
        """What could not be shown, in sentences."""
        passed = self._load_rows[2]
        if len(passed) == 1:
            return [f"1 row of the pool cannot be an example: {passed[0]}."]
        if not passed:
            return []
        return [f"{len(passed):,} rows of the pool cannot be examples, such as {passed[0]}."]

    def get_example(self, id_: str) -> Example:
        if id_ not in self.index_by_id:
            raise SampleError(f"its example {id_!r} is not in the pool")
        return self.examples[self.index_by_id[id_]]

    def excluded_indices(self, sample: Sample, disjoint_fields: Sequence[str]) -> set[int]:
        """Places of what must not be shown: the sample, its doubles, and who shares a field."""
        found = {self.index_by_id[sample.id]} if sample.id in self.index_by_id else set()
        doubles = self._by_fingerprint.get(_fingerprint(sample), ())
        if doubles:
            key = _sample_key(sample)
            found.update(place for place in doubles if _sample_key(self.samples[place]) == key)
        for name in disjoint_fields:
            value = _field_value(sample, name)
            if value is not None:
                found.update(self._by_field(name).get(value, ()))
        return found

    def check_fields(self, disjoint_fields: Sequence[str]) -> None:
        """A field that no row has would exclude nothing, and nobody would notice."""
        for name in disjoint_fields:
            if not self._by_field(name):
                held = sorted({field for each in self.samples for field in each.meta})
                raise SpecError(
                    f"No row of the pool has the field {name!r} that examples must not share; "
                    f"there is {', '.join(held) or 'none'}.",
                    location=("shots", "same"),
                )

    @cached_property
    def _by_fingerprint(self) -> dict[bytes, list[int]]:
        return _group_indices(_fingerprint(each) for each in self.samples)

    def _by_field(self, name: str) -> dict[Any, list[int]]:
        if name not in self._field_indexes:
            self._field_indexes[name] = _group_indices(_field_value(each, name) for each in self.samples)
        return self._field_indexes[name]

    @cached_property
    def _field_indexes(self) -> dict[str, dict[Any, list[int]]]:
        return {}


class AllowedIndices(Sequence[int]):
    """All places but some, without listing them: a pool may be large, and every sample asks."""

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
            return [self[each] for each in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        place = at % len(self)
        for gone in self._sorted_excluded:
            if gone > place:
                break
            place += 1
        return place

    def __contains__(self, index: object) -> bool:
        return index not in self._excluded and index in range(self._size)

    def __iter__(self) -> Iterator[int]:
        return (place for place in range(self._size) if place not in self._excluded)


def _group_indices(values: Iterable[Any]) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for place, value in enumerate(values):
        if value is not None:
            found.setdefault(value, []).append(place)
    return found


def _field_value(sample: Sample, name: str) -> bytes | str | None:
    """A meta field, or else an input by content; None where the sample has neither."""
    if sample.meta.get(name) is not None:
        return dumps(sample.meta[name])
    if name in sample.inputs:
        return _sample_key(replace(sample, inputs={name: sample.inputs[name]}))
    return None


def _sample_key(sample: Sample) -> str:
    """What is asked about, whatever is known of it besides."""
    return content_key(replace(sample, meta={}))


def _fingerprint(sample: Sample) -> bytes:
    """What is alike for samples of the same content, and known without reading their files."""
    return dumps({name: _fingerprint_parts(value) for name, value in sorted(sample.inputs.items())})


def _fingerprint_parts(value: Input) -> list[Any]:
    return [part if isinstance(part, str) else _fingerprint_media(part) for part in list_parts(value)]


def _fingerprint_media(part: Part) -> list[Any]:
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
                raise SampleError(f"there is no file {part.path}")
