"""Read the rows of published benchmarks: from an archive on disk, its tables and recordings, or from Hugging Face."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from auricle.core.errors import DataError, MissingExtra, SampleError, describe
from auricle.core.types import RejectedRow, Sample
from auricle.data.data_files import open_data_file
from auricle.data.file_formats import Row, convert_row, read_rows
from auricle.data.folder_scan import (
    AUDIO_SUFFIXES,
    Clip,
    ScanResult,
    describe_contents,
    describe_count_mismatch,
    label_mismatches,
    not_a_folder_error,
    scan_by_name,
)
from auricle.data.huggingface import HF_PREFIX, HuggingFaceDataset
from auricle.data.manifest import Manifest

if TYPE_CHECKING:
    from auricle.benchmarks.base import Benchmark, HubDataset


BenchmarkPart: TypeAlias = Mapping[str, str]
"""The selected part of a benchmark: `split`, `language` and further options by name."""
Item: TypeAlias = dict[str, Any]
"""One row, with the columns of a manifest."""
Items: TypeAlias = Iterable[Item | RejectedRow]
HUB_SPLIT, HUB_ROW = "hub:split", "hub:row"
"""Columns added to rows of Hugging Face: the split, and the row number in it."""


class Rows:
    """The rows of a part, and what a reader knows about this copy."""

    noun = "rows"
    notes: Sequence[str] = ()
    """Sentences for the report."""
    hint = ""
    """What the folder has instead, if there are no rows."""

    def __init__(self, items: Items) -> None:
        self._items = list(items)

    def __iter__(self) -> Iterator[Item | RejectedRow]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def is_empty(self) -> bool:
        return not len(self)

    def digest(self) -> str:
        """Return a hash of the ids and targets; audio is identified by its content elsewhere."""
        digest = blake2b(digest_size=4)
        for item in self:
            identity = item if isinstance(item, RejectedRow) else (item["id"], item["target"])
            digest.update(repr(identity).encode())
        return digest.hexdigest()

    def origin(self, item: Item) -> str:
        """Return where a row comes from, without the name of the benchmark; empty for its id."""
        return ""


@dataclass(frozen=True)
class BenchmarkSamples(Manifest, ABC):
    """Samples of a published benchmark."""

    media_columns: ClassVar[tuple[str, ...]] = ("audio", "image", "video")
    """Columns of `items` with paths."""

    bench: Benchmark = None  # type: ignore[assignment]  # always set; inherited fields have defaults
    part: BenchmarkPart = field(default_factory=dict)

    @property
    def title(self) -> str:
        return " ".join([self.bench.title, *self.bench.part_labels(self.part)])

    @property
    def expected_rows(self) -> int | None:
        """The published number of rows, if there is one."""
        return self.bench.expected_rows(self.part)

    def notes(self) -> list[str]:
        """Return a note if the number of rows differs from the published number."""
        expected, count = self.expected_rows, len(self)
        if expected is None or count == expected or self.row_range_suffix:
            return []
        return [f"{self.title}: {count:,} rows here, {expected:,} are published."]

    def reader_notes(self) -> list[str]:
        """Return what was noticed while the copy was read, such as recordings that are there twice."""
        return []

    def count_mismatch(self, count: int) -> str:
        """Return how the number of rows differs from the published number; empty if it does not."""
        expected = self.expected_rows
        return "" if expected in (None, count) else f"{count:,} rows in this copy, {expected:,} published"

    @abstractmethod
    def items(self) -> Items:
        """Return the rows, with the columns of a manifest."""


@dataclass(frozen=True)
class ArchiveSamples(BenchmarkSamples):
    """Samples of an official archive, which is read when first needed."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for index, item in self.select_rows(self._rows):
            if isinstance(item, RejectedRow):
                yield item
            else:
                origin = self._rows.origin(item) or f"{self.bench.name}:{item['id']}"
                yield self.make_sample(index, Row(origin, item))

    def __len__(self) -> int:
        return self.count_selected(len(self._rows))

    def items(self) -> Items:
        return (item for _, item in self.select_rows(self._rows))

    def notes(self) -> list[str]:
        """Return the notes of the reader, and one if the number of rows differs from the published number."""
        if not self.bench.count_labels or self.row_range_suffix:
            return [*self.reader_notes(), *super().notes()]
        mismatch = describe_count_mismatch(self.title, self._labels, self._published_labels, self.bench.source)
        return [*self.reader_notes(), *mismatch]

    def reader_notes(self) -> list[str]:
        return list(self._rows.notes)

    def count_mismatch(self, count: int) -> str:
        """Return how the number of rows, or of those with a label, differs from the published number."""
        labels = label_mismatches(self._labels, self._published_labels)
        mismatch = super().count_mismatch(count) or ("labels differ from those published" if labels else "")
        return f"{mismatch} ({', '.join(labels)})" if labels else mismatch

    @property
    def _labels(self) -> list[str]:
        return [str(item["target"]) for item in self._rows if not isinstance(item, RejectedRow)]

    @property
    def _published_labels(self) -> Mapping[str, int]:
        return self.bench.count_labels(self.part) if self.bench.count_labels else {}

    @property
    def revision(self) -> str:
        """The part, and a hash of its ids and targets."""
        name = ".".join([self.bench.name, *self.bench.part_labels(self.part)])
        return f"{name}@{self._rows.digest()}{self.row_range_suffix}"

    @cached_property
    def _rows(self) -> Rows:
        root = self._base_dir
        if not root.is_dir():
            raise not_a_folder_error(root, self.bench.title)
        try:
            rows = self.bench.read(root, self.part)
            rows = rows if isinstance(rows, Rows) else Rows(rows)
            if rows.is_empty:
                raise not_found_error(root, f"{self.title} {rows.noun}", rows.hint)
        except ArchiveNotFound as error:
            raise DataError(f"{self.bench.title}: {error} Expected {self.bench.layout}.") from None
        except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, csv.Error) as error:
            reason = f"a file in {root} is damaged or has another layout ({describe(error)})"
            raise DataError(f"{self.bench.title}: {reason}. Expected {self.bench.layout}.") from error
        return rows

    def _describe_columns(self) -> str:
        return f"Expected {self.bench.layout}."


@dataclass(frozen=True)
class HubSamples(HuggingFaceDataset, BenchmarkSamples):
    """Samples of a Hugging Face dataset, converted row by row."""

    hub: HubDataset = None  # type: ignore[assignment]  # always set; inherited fields have defaults

    @classmethod
    def from_hub(cls, bench: Benchmark, part: BenchmarkPart, hub: HubDataset, **settings: Any) -> HubSamples:
        """Build the samples of a part, given the columns and transform of the task kind."""
        config, split = hub.locate(part)
        settings |= {"config": config, "split": split, "pinned_revision": hub.revision, "data_files": hub.files}
        return cls(Path(f"{HF_PREFIX}{hub.name}"), **settings, bench=bench, part=part, hub=hub)

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for index, item in self._converted_rows():
            row = item if isinstance(item, RejectedRow) else Row(self.row_origin(index), item)
            yield self.make_sample(index, row)

    def items(self) -> Items:
        return (item for _, item in self._converted_rows())

    def _converted_rows(self) -> Iterator[tuple[int, Item | RejectedRow]]:
        """Yield the index and the item of each row that is used."""
        for index, row in self.iter_rows():
            if isinstance(row, Row):
                row = row._replace(values={HUB_SPLIT: self.split, HUB_ROW: index, **row.values})
            if (item := _convert_values(row, self.hub.convert_row)) is not None:
                yield index, item

    def _dataset(self) -> Any:
        if "+" in self.split:
            return self._concatenate_splits(self.split.split("+"))
        try:
            dataset = super()._dataset()
        except (DataError, MissingExtra) as error:
            hint = f"To read the official archive of {self.bench.title} ({self.bench.source}), use -T root=DIR."
            raise DataError(f"{str(error).rstrip('.')}. {hint}") from error
        for column, selected in self.hub.row_filter(self.part).items():
            if column not in dataset.column_names:
                raise missing_column_error(f"hf:{self.name}", repr(column), dataset.column_names)
            dataset = dataset.select([index for index, value in enumerate(dataset[column]) if value == selected])
        return dataset

    def _concatenate_splits(self, splits: Sequence[str]) -> Any:
        """Concatenate several splits, with the split and row number of each row as columns."""
        import datasets

        loaded = {split: replace(self, split=split)._dataset() for split in splits}  # noqa: SLF001 - same class
        return datasets.concatenate_datasets(
            [
                dataset.add_column(HUB_SPLIT, [split] * len(dataset)).add_column(HUB_ROW, list(range(len(dataset))))
                for split, dataset in loaded.items()
            ]
        )


def missing_column_error(source: str, column: str, columns: Iterable[str]) -> DataError:
    return DataError(f"{source}: missing column {column} (columns: {', '.join(columns) or 'none'}).")


class ArchiveNotFound(DataError):
    """A folder lacks a file of the corpus's archive."""


def not_found_error(root: Path, what: str, hint: str = "") -> ArchiveNotFound:
    return ArchiveNotFound(f"No {what} in {root}. {describe_contents(root)}{hint}")


def find_below(root: Path, *names: str) -> Path:
    """Return the first of these paths that exists below a folder; an empty name is the folder itself."""
    for name in names:
        if (root / name).exists():
            return root / name
    raise not_found_error(root, " or ".join(filter(None, names)))


def read_bytes(path: Path) -> bytes:
    with open_data_file(path) as file:
        return file.read()


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, except empty ones."""
    try:
        with open_data_file(path) as file:
            lines = io.TextIOWrapper(file, encoding="utf-8-sig")
            yield from (line.rstrip("\r\n") for line in lines if not line.isspace())
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8 text.") from None


def read_table(
    path: Path,
    columns: Sequence[str] = (),
    delimiter: str = "\t",
    required: Sequence[str] = (),
    escape: str | None = None,
) -> Iterator[dict[str, str]]:
    """Yield the rows of a delimited file in which quotation marks are ordinary text.

    Args:
        path: The file.
        columns: Column names, if the file has no header.
        delimiter: Column separator.
        required: Columns that must be present.
        escape: Escape character.
    """
    dialect: dict[str, Any] = {"delimiter": delimiter, "escapechar": escape, "quoting": csv.QUOTE_NONE}
    rows = csv.DictReader(read_lines(path), list(columns) or None, **dialect)
    if missing := [name for name in required if name not in (rows.fieldnames or ())]:
        raise missing_column_error(str(path), ", ".join(map(repr, missing)), rows.fieldnames or ())
    for row in rows:
        yield {str(name): value or "" for name, value in row.items() if isinstance(name, str)}


Values = Mapping[str, Any]


def convert_table(path: Path, convert: Callable[[Values], Item | None]) -> Items:
    """Yield the converted rows of a table, except those converted to None."""
    for row in read_rows(path):
        if (item := _convert_values(row, convert)) is not None:
            yield item


def _convert_values(row: Row | RejectedRow, convert: Callable[[Values], Item | None]) -> Item | RejectedRow | None:
    """Convert the values of a row; a row that lacks a column or has an invalid value is rejected."""
    if isinstance(row, RejectedRow):
        return row

    def convert_columns() -> Item | None:
        try:
            return convert(row.values)
        except KeyError as error:
            raise SampleError(f"missing column {error} (columns: {', '.join(row.values) or 'none'})") from error

    return convert_row(row.origin, convert_columns)


def read_table_with_audio(
    tables: Sequence[str], audio_folders: Sequence[str], convert: Callable[[Values, Path], Item | None]
) -> Callable[[Path, BenchmarkPart], Items]:
    """Return a reader of a table and a folder of recordings.

    Args:
        tables: Possible paths of the table; `{split}` stands for the split.
        audio_folders: Possible paths of the folder.
        convert: Function of a row and the folder that returns an item, or None to skip the row.
    """

    def read(root: Path, part: BenchmarkPart) -> Items:
        table = find_below(root, *(name.format(**part) for name in tables))
        folder = find_below(root, *(name.format(**part) for name in audio_folders))
        return convert_table(table, lambda row: convert(row, folder))

    return read


def split_valid_rows(path: Path, *columns: str) -> tuple[list[Row], list[RejectedRow]]:
    """Return the rows of a table that have these columns, and the rows that do not or cannot be read."""
    valid: list[Row] = []
    rejected: list[RejectedRow] = []
    for row in read_rows(path):
        if isinstance(row, RejectedRow):
            rejected.append(row)
        elif missing := [name for name in columns if name not in row.values]:
            reason = f"missing column {missing[0]!r} (columns: {', '.join(row.values) or 'none'})"
            rejected.append(RejectedRow(row.origin, reason))
        else:
            valid.append(row)
    if rejected and not valid:
        raise DataError(f"{path}: no usable row. {rejected[0].origin}: {rejected[0].reason}.")
    return valid, rejected


class Recordings(Rows):
    """Recordings in a fixed order that mixes speakers and labels, so that the first few are representative."""

    noun = "recordings"

    def __init__(self, scan: ScanResult, root: Path) -> None:
        clips = sorted(scan.clips, key=lambda clip: _digest(clip.id))
        items = [{"id": c.id, c.medium: str(c.path), "target": c.label, "meta": dict(c.meta)} for c in clips]
        super().__init__([*items, *scan.rejected])
        self._root, self._clips = root, clips
        self.notes = scan.notes
        others = f" Other recordings of the corpus: {scan.excluded_count:,}." if scan.excluded_count else ""
        self.hint = others + "".join(f" {row.origin}: {row.reason}." for row in scan.rejected[:1])

    @property
    def is_empty(self) -> bool:
        return not self._clips

    def digest(self) -> str:
        return _digest("\n".join(sorted(f"{clip.id}\t{clip.label}" for clip in self._clips)))[:8]

    def origin(self, item: Item) -> str:
        return Path(item.get("audio") or item["video"]).relative_to(self._root).as_posix()


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def read_by_name(
    parse: Callable[[Path], Clip | None],
    accept: Callable[[BenchmarkPart, Clip], bool] = lambda _part, _clip: True,
    suffixes: Sequence[str] = AUDIO_SUFFIXES,
) -> Callable[[Path, BenchmarkPart], Recordings]:
    """Return a reader of a corpus whose file names contain all labels.

    Args:
        parse: Function that returns the clip of a path, or None if the name does not belong to the corpus.
        accept: Function that selects the clips of a part.
        suffixes: File suffixes to look at.
    """
    return lambda root, part: Recordings(scan_by_name(root, parse, lambda clip: accept(part, clip), suffixes), root)
