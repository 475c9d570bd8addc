"""Samples of published benchmarks: rows of an archive on disk, or of Hugging Face."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from auricle.core.errors import DataError, MissingExtra
from auricle.core.types import RejectedRow, Sample
from auricle.data.huggingface import HuggingFaceDataset
from auricle.data.manifest import Manifest
from auricle.data.row_files import Row
from auricle.tasks.folder_scan import describe_contents

if TYPE_CHECKING:
    from auricle.tasks.benchmarks.base import Benchmark, HubDataset

BenchmarkPart: TypeAlias = Mapping[str, str]
"""Which part of a benchmark: `split`, `language`, and further options by name."""
Item: TypeAlias = dict[str, Any]
"""One row as a manifest has it."""
Items: TypeAlias = Iterable[Item | RejectedRow]
HUB_SPLIT, HUB_ROW = "hub:split", "hub:row"
"""What rows of Hugging Face are told beside their columns: their split, and their place in it."""


@dataclass(frozen=True)
class BenchmarkSamples(Manifest, ABC):
    """Samples of a benchmark, wherever its rows are."""

    bench: Benchmark = None  # type: ignore[assignment]  # always given; fields above have defaults
    part: BenchmarkPart = field(default_factory=dict)

    @property
    def title(self) -> str:
        return " ".join([self.bench.title, *self.bench.part_labels(self.part)])

    def notes(self) -> list[str]:
        """A sentence where there are fewer or more rows than are published."""
        expected, here = self.bench.expected_rows(self.part), len(self)
        if expected is None or here == expected or self.row_range_suffix:
            return []
        return [f"{self.title}: {here:,} rows are here, {expected:,} are published."]

    @abstractmethod
    def items(self) -> Items:
        """The rows themselves, as a manifest would have them."""


@dataclass(frozen=True)
class ArchiveSamples(BenchmarkSamples):
    """Samples of an official archive, which is looked through when first needed."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for at, each in self.select_rows(self._items):
            if isinstance(each, RejectedRow):
                yield each
            else:
                yield self.make_sample(at, Row(f"{self.bench.name}:{each['id']}", each))

    def __len__(self) -> int:
        return self.count_selected(len(self._items))

    def items(self) -> Items:
        return (each for _, each in self.select_rows(self._items))

    @property
    def revision(self) -> str:
        """Which rows, with which answers; the sounds themselves are known by their content."""
        whole = blake2b(digest_size=4)
        for each in self._items:
            known = each if isinstance(each, RejectedRow) else (each["id"], each["target"])
            whole.update(repr(known).encode())
        told = ".".join([self.bench.name, *self.bench.part_labels(self.part)])
        return f"{told}@{whole.hexdigest()}{self.row_range_suffix}"

    @cached_property
    def _items(self) -> Sequence[Item | RejectedRow]:
        root = self._base_dir
        if not root.is_dir():
            what = "is a file" if root.exists() else "is not there"
            raise DataError(f"{root} {what}: give {self.bench.title}'s folder, -T root=DIR.")
        try:
            read = self.bench.read(root, self.part)
            found = read if isinstance(read, Sequence) else list(read)  # a sequence may be lazy
            if not found:
                raise not_found_error(root, f"{self.title} rows")
        except ArchiveNotFound as error:
            raise DataError(f"{self.bench.title}: {error} Looked for {self.bench.layout}.") from None
        return found

    def _describe_columns(self) -> str:
        return f"Looked for {self.bench.layout}."


@dataclass(frozen=True)
class HubSamples(HuggingFaceDataset, BenchmarkSamples):
    """Samples of a Hugging Face dataset whose rows are made ours one by one."""

    hub: HubDataset = None  # type: ignore[assignment]  # always given; fields above have defaults

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for at, made in self._converted_rows():
            yield self.make_sample(at, Row(f"{self.name}:{self.split}:{at + 1}", made))

    def items(self) -> Items:
        return (made for _, made in self._converted_rows())

    def _converted_rows(self) -> Iterator[tuple[int, Item]]:
        """Rows that count, each with its place."""
        for at, values in self.select_rows(self._dataset()):
            known = {HUB_SPLIT: self.split, HUB_ROW: at, **values}
            try:
                made = self.hub.convert_row(known)
            except KeyError as error:
                there = ", ".join(values)
                raise DataError(f"hf:{self.name} has no column {error}; it has {there}.") from error
            if made is not None:
                yield at, made

    def _dataset(self) -> Any:
        if "+" in self.split:
            return self._concatenate_splits(self.split.split("+"))
        try:
            found = super()._dataset()
        except (DataError, MissingExtra) as error:
            archive = f"{self.bench.title}'s own archive ({self.bench.source})"
            told = f"{str(error).rstrip('.')}. {archive} is read with -T root=DIR."
            raise DataError(told) from error
        for column, wanted in self.hub.row_filter(self.part).items():
            if column not in found.column_names:
                there = ", ".join(found.column_names)
                raise DataError(f"hf:{self.name} has no column {column!r}; it has {there}.")
            found = found.select([at for at, held in enumerate(found[column]) if held == wanted])
        return found

    def _concatenate_splits(self, splits: Sequence[str]) -> Any:
        """Several splits as one; each row knows its split and its place there."""
        import datasets

        of = {split: replace(self, split=split) for split in splits}
        found = {split: each._dataset() for split, each in of.items()}  # noqa: SLF001 - its own
        return datasets.concatenate_datasets(
            [
                each.add_column(HUB_SPLIT, [split] * len(each)).add_column(HUB_ROW, list(range(len(each))))
                for split, each in found.items()
            ]
        )


class ArchiveNotFound(DataError):
    """A folder does not hold what a corpus's archive does."""


def not_found_error(root: Path, what: str, hint: str = "") -> ArchiveNotFound:
    """What to raise where something that should be in a folder is not."""
    return ArchiveNotFound(f"no {what} in {root}. {describe_contents(root)}{hint}")


def find_below(root: Path, *names: str) -> Path:
    """The first of these that is there, below a folder; an empty name is the folder itself."""
    for name in names:
        if (root / name).exists():
            return root / name
    raise not_found_error(root, " or ".join(filter(None, names)))


def read_lines(path: Path) -> Iterator[str]:
    """Lines of a text file without their ends; empty ones are left out."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from (line.rstrip("\r\n") for line in file if not line.isspace())
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: {error}.") from error
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.") from error


def read_table(
    path: Path,
    columns: Sequence[str] = (),
    delimiter: str = "\t",
    required: Sequence[str] = (),
    escape: str | None = None,
) -> Iterator[dict[str, str]]:
    """Rows of a table whose quotation marks are text; the header names columns, or `columns` do."""
    form: dict[str, Any] = {"delimiter": delimiter, "escapechar": escape}
    found = csv.DictReader(read_lines(path), list(columns) or None, quoting=csv.QUOTE_NONE, **form)
    if lacking := [name for name in required if name not in (found.fieldnames or ())]:
        there = ", ".join(found.fieldnames or ()) or "none"
        raise DataError(f"{path} has no column {', '.join(lacking)}; it has {there}.")
    for row in found:
        yield {str(name): value or "" for name, value in row.items() if isinstance(name, str)}
