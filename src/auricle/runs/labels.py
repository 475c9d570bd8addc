"""`labels.json`: verdicts of people on some samples of a run, which judges are compared with and corrected by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import Record, RejectedRow
from auricle.data.file_formats import read_rows
from auricle.metrics.judge import GOLD_FIELDS, find_gold_label
from auricle.runs.documents import read_document, write_document
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import LABELS_FILE

ID_COLUMN, LABEL_COLUMNS = "id", ("label", *GOLD_FIELDS)


@dataclass(frozen=True, slots=True)
class HumanLabels:
    """Labels of people by the ids of samples."""

    labels: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read_file(cls, path: Path) -> HumanLabels:
        """Read a data file with the columns `id` and `label`; rows without a label are left out.

        Raises:
            DataError: if a row cannot be read, or there is no label.
        """
        labels: dict[str, Any] = {}
        columns: dict[str, None] = {}
        for row in read_rows(path):
            if isinstance(row, RejectedRow):
                raise DataError(f"{row.origin}: {row.reason}")
            columns |= dict.fromkeys(row.values)
            label = next((row.values[name] for name in LABEL_COLUMNS if name in row.values), None)
            if ID_COLUMN in row.values and label is not None and str(label).strip():
                labels[str(row.values[ID_COLUMN])] = label
        if not labels:
            raise DataError(
                f"{path} has no labels: some rows should have an id and a label. Columns with values: "
                f"{', '.join(columns) or 'none'}."
            )
        return cls(labels)

    @classmethod
    def load(cls, run_path: Path) -> HumanLabels:
        """Read the labels of a run; none if it has none."""
        with suppress(FileNotFoundError):
            return read_document(run_path / LABELS_FILE, cls)
        return cls()

    def save(self, run_path: Path) -> None:
        write_document(run_path / LABELS_FILE, self)

    def exist_in(self, run: Run) -> bool:
        """Return whether there are labels, here or in the data of a run."""
        return bool(self.labels) or any(find_gold_label(record.sample) is not None for record in run.records())

    def attach(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records, those with a label with it in their metadata."""
        for record in records:
            label = self.labels.get(record.sample.id)
            if label is None:
                yield record
            else:
                meta = {**record.sample.meta, GOLD_FIELDS[0]: label}
                yield replace(record, sample=replace(record.sample, meta=meta))
