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
from auricle.core.types import Rejected, Sample
from auricle.data.huggingface import HuggingFace
from auricle.data.manifest import Manifest
from auricle.data.rows import Row
from auricle.tasks.recordings import holds

if TYPE_CHECKING:
    from auricle.tasks.benchmarks.base import Benchmark, Hub

Part: TypeAlias = Mapping[str, str]
"""Which part of a benchmark: `split`, `language`, and further options by name."""
Item: TypeAlias = dict[str, Any]
"""One row as a manifest has it."""
Items: TypeAlias = Iterable[Item | Rejected]
HUB_SPLIT, HUB_ROW = "hub:split", "hub:row"
"""What rows of Hugging Face are told beside their columns: their split, and their place in it."""


@dataclass(frozen=True)
class Published(Manifest, ABC):
    """Samples of a benchmark, wherever its rows are."""

    bench: Benchmark = None  # type: ignore[assignment]  # always given; fields above have defaults
    part: Part = field(default_factory=dict)

    @property
    def title(self) -> str:
        return " ".join([self.bench.title, *self.bench.told(self.part)])

    def notes(self) -> list[str]:
        """A sentence where there are fewer or more rows than are published."""
        expected, here = self.bench.expected(self.part), len(self)
        if expected is None or here == expected or self.spanned:
            return []
        return [f"{self.title}: {here:,} rows are here, {expected:,} are published."]

    @abstractmethod
    def items(self) -> Items:
        """The rows themselves, as a manifest would have them."""


@dataclass(frozen=True)
class OnDisk(Published):
    """Samples of an official archive, which is looked through when first needed."""

    def __iter__(self) -> Iterator[Sample | Rejected]:
        for at, each in self.taken(self._items):
            if isinstance(each, Rejected):
                yield each
            else:
                yield self.sample(at, Row(f"{self.bench.name}:{each['id']}", each))

    def __len__(self) -> int:
        return self.number(len(self._items))

    def items(self) -> Items:
        return (each for _, each in self.taken(self._items))

    @property
    def revision(self) -> str:
        """Which rows, with which answers; the sounds themselves are known by their content."""
        whole = blake2b(digest_size=4)
        for each in self._items:
            known = each if isinstance(each, Rejected) else (each["id"], each["target"])
            whole.update(repr(known).encode())
        told = ".".join([self.bench.name, *self.bench.told(self.part)])
        return f"{told}@{whole.hexdigest()}{self.spanned}"

    @cached_property
    def _items(self) -> Sequence[Item | Rejected]:
        root = self._base
        if not root.is_dir():
            what = "is a file" if root.exists() else "is not there"
            raise DataError(f"{root} {what}: give {self.bench.title}'s folder, -T root=DIR.")
        try:
            read = self.bench.read(root, self.part)
            found = read if isinstance(read, Sequence) else list(read)  # a sequence may be lazy
            if not found:
                raise missing(root, f"{self.title} rows")
        except NotFound as error:
            raise DataError(
                f"{self.bench.title}: {error} Looked for {self.bench.layout}."
            ) from None
        return found

    def _columns(self) -> str:
        return f"Looked for {self.bench.layout}."


@dataclass(frozen=True)
class OnHub(HuggingFace, Published):
    """Samples of a Hugging Face dataset whose rows are made ours one by one."""

    hub: Hub = None  # type: ignore[assignment]  # always given; fields above have defaults

    def __iter__(self) -> Iterator[Sample | Rejected]:
        for at, made in self._made():
            yield self.sample(at, Row(f"{self.name}:{self.split}:{at + 1}", made))

    def items(self) -> Items:
        return (made for _, made in self._made())

    def _made(self) -> Iterator[tuple[int, Item]]:
        """Rows that count, each with its place."""
        for at, values in self.taken(self._dataset()):
            known = {HUB_SPLIT: self.split, HUB_ROW: at, **values}
            try:
                made = self.hub.item(known)
            except KeyError as error:
                there = ", ".join(values)
                raise DataError(f"hf:{self.name} has no column {error}; it has {there}.") from error
            if made is not None:
                yield at, made

    def _dataset(self) -> Any:
        if "+" in self.split:
            return self._joined(self.split.split("+"))
        try:
            found = super()._dataset()
        except (DataError, MissingExtra) as error:
            archive = f"{self.bench.title}'s own archive ({self.bench.source})"
            told = f"{str(error).rstrip('.')}. {archive} is read with -T root=DIR."
            raise DataError(told) from error
        for column, wanted in self.hub.only(self.part).items():
            if column not in found.column_names:
                there = ", ".join(found.column_names)
                raise DataError(f"hf:{self.name} has no column {column!r}; it has {there}.")
            found = found.select([at for at, held in enumerate(found[column]) if held == wanted])
        return found

    def _joined(self, splits: Sequence[str]) -> Any:
        """Several splits as one; each row knows its split and its place there."""
        import datasets

        of = {split: replace(self, split=split) for split in splits}
        found = {split: each._dataset() for split, each in of.items()}  # noqa: SLF001 - its own
        return datasets.concatenate_datasets(
            [
                each.add_column(HUB_SPLIT, [split] * len(each)).add_column(
                    HUB_ROW, list(range(len(each)))
                )
                for split, each in found.items()
            ]
        )


class NotFound(DataError):
    """A folder does not hold what a corpus's archive does."""


def missing(root: Path, what: str, also: str = "") -> NotFound:
    """What to raise where something that should be in a folder is not."""
    return NotFound(f"no {what} in {root}. {holds(root)}{also}")


def below(root: Path, *names: str) -> Path:
    """The first of these that is there, below a folder; an empty name is the folder itself."""
    for name in names:
        if (root / name).exists():
            return root / name
    raise missing(root, " or ".join(filter(None, names)))


def lines(path: Path) -> Iterator[str]:
    """Lines of a text file without their ends; empty ones are left out."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from (line.rstrip("\r\n") for line in file if not line.isspace())
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: {error}.") from error
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.") from error


def table(
    path: Path,
    columns: Sequence[str] = (),
    delimiter: str = "\t",
    needs: Sequence[str] = (),
    escape: str | None = None,
) -> Iterator[dict[str, str]]:
    """Rows of a table whose quotation marks are text; the header names columns, or `columns` do."""
    form: dict[str, Any] = {"delimiter": delimiter, "escapechar": escape}
    found = csv.DictReader(lines(path), list(columns) or None, quoting=csv.QUOTE_NONE, **form)
    if lacking := [name for name in needs if name not in (found.fieldnames or ())]:
        there = ", ".join(found.fieldnames or ()) or "none"
        raise DataError(f"{path} has no column {', '.join(lacking)}; it has {there}.")
    for row in found:
        yield {str(name): value or "" for name, value in row.items() if isinstance(name, str)}
