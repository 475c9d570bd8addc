"""Read Hugging Face datasets, from the hub at a pinned revision or from a folder.

Audio stays encoded until a model needs it, so no decoder of that library is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from auricle.core.errors import DataError, MissingExtra
from auricle.core.types import RejectedRow, Sample
from auricle.data.file_formats import Row, convert_row
from auricle.data.manifest import Manifest
from auricle.data.parts import DataPart

HF_PREFIX = "hf:"
MEDIA_FEATURES = ("Audio", "Image", "Video")
"""Types of columns with media; older versions of the library lack some of them."""
CONVERTED_REVISION_PREFIX = "refs/convert/"
"""Revisions that the hub converts itself, from datasets that consist of code."""
CONVERTED_SHARDS_PATTERN = "{config}/{split}/*.parquet"  # files of a split in such a revision


@dataclass(frozen=True)
class HuggingFaceDataset(Manifest):
    """A split of a dataset, read row by row from its memory-mapped files."""

    names_classes: ClassVar[bool] = True
    """Whether `ClassLabel` columns are read as the names of their classes."""

    config: str | None = None
    split: str = "test"
    pinned_revision: str | None = None
    data_files: str = ""
    """Files of the split, so that those of other splits are not downloaded."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        dataset = self._dataset()
        name_classes = partial(_name_classes, _class_names(dataset.features) if self.names_classes else {})
        for index, row in self._iter_dataset(dataset):
            named = row if isinstance(row, RejectedRow) else convert_row(row.origin, name_classes, row)
            yield self.make_sample(index, named)

    def iter_rows(self) -> Iterator[tuple[int, Row | RejectedRow]]:
        """Yield the rows in `row_range` with their index and null values; undecodable rows are rejected."""
        return self._iter_dataset(self._dataset())

    def _iter_dataset(self, dataset: Any) -> Iterator[tuple[int, Row | RejectedRow]]:
        for index, _ in self.select_rows(range(len(dataset))):
            yield index, convert_row(self.row_origin(index), self._read_row, dataset, index)

    def _read_row(self, dataset: Any, index: int) -> Row:
        return Row(self.row_origin(index), dataset[index])

    def row_origin(self, index: int) -> str:
        return f"{self.name}:{self.split}:{index + 1}"

    def __len__(self) -> int:
        return self.count_selected(len(self._dataset()))

    def plan_parts(self, target_bytes: int) -> Iterator[DataPart]:
        """Yield ranges of rows, which can be read from any row on; their size follows from that of the dataset."""
        dataset = self._dataset()
        first, last, _ = slice(*self.row_range).indices(len(dataset))
        row_bytes = (dataset.dataset_size or dataset.data.nbytes) / max(1, len(dataset))
        step = max(1, int(target_bytes / max(1.0, row_bytes)))
        for start in range(first, last, step):
            end = min(last, start + step)
            yield DataPart(str(self.path), "rows", start, end, end - start, etag=self.pinned_revision or "")

    @property
    def name(self) -> str:
        return str(self.path).removeprefix(HF_PREFIX)

    @property
    def revision(self) -> str:
        split = f"{self.name}.{self.config or 'default'}.{self.split}"
        return f"{split}@{self.pinned_revision or 'unpinned'}{self.row_range_suffix}"

    def list_columns(self) -> list[str]:
        """Return the columns of the dataset."""
        return list(self._dataset().column_names)

    def _dataset(self) -> Any:
        try:
            import datasets
            from datasets import load_dataset  # noqa: F401 - fails if `datasets` is only a local folder
        except ImportError as error:
            raise MissingExtra("A Hugging Face dataset", "huggingface") from error
        try:
            dataset = self._load(datasets)
        except (OSError, ValueError, ImportError, datasets.exceptions.DatasetsError) as error:
            raise DataError(f"Cannot load hf:{self.name}: {_root_cause_message(error)}") from error
        for name, feature in dataset.features.items():
            if self.skips_media and type(feature).__name__ in MEDIA_FEATURES:
                dataset = dataset.remove_columns(name)
            elif isinstance(feature, datasets.Audio):
                dataset = dataset.cast_column(name, datasets.Audio(decode=False))
        return dataset

    def _load(self, datasets: Any) -> Any:
        folder = Path(self.name)
        if (folder / "dataset_info.json").exists() or (folder / "dataset_dict.json").exists():
            saved = datasets.load_from_disk(self.name)
            if not hasattr(saved, "keys"):
                return saved
            if self.split not in saved:
                raise DataError(f"hf:{self.name} has no split {self.split!r}. Splits: {', '.join(saved)}.")
            return saved[self.split]
        options: dict[str, Any] = {"split": self.split, "revision": self.pinned_revision}
        converted = self.config and str(self.pinned_revision).startswith(CONVERTED_REVISION_PREFIX)
        if pattern := self.data_files or (CONVERTED_SHARDS_PATTERN if converted else ""):
            files = {self.split: pattern.format(config=self.config, split=self.split)}
            return datasets.load_dataset(self.name, data_files=files, **options)
        return datasets.load_dataset(self.name, self.config, **options)


def _class_names(features: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Return the names of the classes of each `ClassLabel` column, whose values are integers."""
    names_by_column = {column: getattr(feature, "names", None) for column, feature in features.items()}
    return {column: names for column, names in names_by_column.items() if names}


def _name_classes(names_by_column: Mapping[str, Sequence[str]], row: Row) -> Row:
    """Replace classes by their names; -1, which datasets use for a label that is not published, becomes null."""
    classes = {column: row.values[column] for column in names_by_column}
    named = {
        column: None if number is None or number == -1 else names_by_column[column][number]
        for column, number in classes.items()
    }
    return row._replace(values={**row.values, **named}) if named else row


def _root_cause_message(error: BaseException) -> str:
    """Return the message of the first cause; the library wraps errors in vaguer ones."""
    while error.__cause__ is not None:
        error = error.__cause__
    message = " ".join(str(error).split())
    if "torchcodec" in message:
        message = f"{message.rstrip('.')}. For a folder with a metadata.csv, use that file as data instead."
    return message
