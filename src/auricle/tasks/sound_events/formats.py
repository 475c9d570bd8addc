"""Read tables of sound events, with a line for each event.

DCASE's tables have the columns `filename onset offset event_label`, for all recordings in one file. Other tables belong
to one recording and may have no header: onset, offset and label, separated by tabs, as Audacity writes label tracks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from auricle.core.errors import DataError, SampleError
from auricle.core.types import RejectedRow
from auricle.data.file_formats import SNIFFED_BYTES, Row, read_rows, sniff_delimiter
from auricle.data.manifest import Manifest

FILE_COLUMNS = ("filename", "file_name", "file", "audio", "audio_path", "path")
ONSET_COLUMNS = ("onset", "event_onset")
OFFSET_COLUMNS = ("offset", "event_offset")
LABEL_COLUMNS = ("event_label", "label", "event", "class")
HEADERLESS = ("onset", "offset", "event_label")
MAX_TABLE_BYTES = 100_000_000
EVENTS_COLUMN = "events"


@dataclass(frozen=True, slots=True)
class EventColumns:
    """The columns of a table of events; `file` is empty if the table belongs to one recording."""

    onset: str
    offset: str
    label: str
    file: str = ""

    @classmethod
    def of(cls, columns: Iterator[str] | Mapping[str, Any]) -> EventColumns | None:
        """Recognise a table of events by its columns; None if it is another table."""
        names = list(columns)
        onset, offset, label, file = (
            next((name for name in candidates if name in names), "")
            for candidates in (ONSET_COLUMNS, OFFSET_COLUMNS, LABEL_COLUMNS, FILE_COLUMNS)
        )
        return cls(onset, offset, label, file) if onset and offset else None

    def read_event(self, cells: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the event of a line; None for a line that states that a recording has no event."""
        names = {"onset": self.onset, "offset": self.offset, "label": self.label}
        event = {role: cells[name] for role, name in names.items() if cells.get(name) not in (None, "")}
        return event or None


@dataclass(frozen=True)
class EventManifest(Manifest):
    """A manifest that may also be a table of events, whose lines are grouped by recording."""

    def _read_rows(self) -> Iterator[Row | RejectedRow]:
        rows = list(super()._read_rows()) if self.path.suffix.lower() in (".tsv", ".csv") else None
        if rows is None:
            return super()._read_rows()
        first = next((row for row in rows if isinstance(row, Row)), None)
        columns = EventColumns.of(iter(self.list_columns())) if first else None
        return group_events(rows, columns) if columns and columns.file else iter(rows)

    def __len__(self) -> int:
        if self.path.suffix.lower() not in (".tsv", ".csv"):
            return super().__len__()
        return self.count_selected(sum(1 for _ in self._read_rows()))


def group_events(rows: list[Row | RejectedRow], columns: EventColumns) -> Iterator[Row | RejectedRow]:
    """Yield a row for each recording of a table, in the order of their first event."""
    groups: dict[str, Row] = {}
    for row in rows:
        if isinstance(row, RejectedRow):
            yield row
        elif not row.values.get(columns.file):
            yield RejectedRow(row.origin, f"no {columns.file}")
        else:
            name = str(row.values[columns.file])
            values = {"id": name, "audio": name, EVENTS_COLUMN: []}
            group = groups.setdefault(name, Row(row.origin, values))
            if event := columns.read_event(row.values):
                group.values[EVENTS_COLUMN].append(event)
    yield from groups.values()


def read_event_table(path: Path, recording: str = "") -> list[dict[str, Any]]:
    """Return the events of one recording from a table.

    Args:
        path: The table: CSV or TSV with a header, or lines with onset, offset and label separated by tabs.
        recording: Name of the recording, if the table has several.

    Raises:
        SampleError: if the file cannot be read or is not a table of events.
    """
    try:
        rows = [row for row in read_rows(path) if isinstance(row, Row)] if _has_header(path) else _read_plain(path)
    except (DataError, OSError) as error:
        raise SampleError(f"the events in {path.name} cannot be read: {error}") from error
    columns = EventColumns.of(rows[0].values) if rows else None
    if rows and columns is None:
        raise SampleError(f"{path.name} has no columns onset and offset; its columns are {', '.join(rows[0].values)}")
    events = []
    for row in rows:
        assert columns
        is_own = not columns.file or PurePath(str(row.values.get(columns.file))).name == PurePath(recording).name
        if is_own and (event := columns.read_event(row.values)):
            events.append(event)
    return events


def _has_header(path: Path) -> bool:
    """Return whether the first cell of a table is not a number."""
    if path.stat().st_size > MAX_TABLE_BYTES:
        raise OSError("it is larger than a table of events can be")
    with path.open("rb") as file:
        start = file.read(SNIFFED_BYTES)
    line = start.decode("utf-8-sig", "replace").partition("\n")[0]
    first = next(csv.reader(io.StringIO(line), delimiter=_choose_delimiter(path, start)), [""])[0]
    try:
        float(first)
    except ValueError:
        return bool(line.strip())
    return False


def _choose_delimiter(path: Path, start: bytes) -> str:
    return sniff_delimiter(start) if path.suffix.lower() == ".csv" else "\t"


def _read_plain(path: Path) -> list[Row]:
    """Read a table without header; lines with another number of cells are an error."""
    content = path.read_bytes()
    lines = csv.reader(io.StringIO(content.decode("utf-8-sig", "replace")), delimiter=_choose_delimiter(path, content))
    rows = []
    for number, cells in enumerate(lines, 1):
        if not any(cells) or cells[0].startswith("\\"):  # Audacity's second line of a label has frequencies
            continue
        if len(cells) < len(HEADERLESS):
            raise SampleError(f"{path.name}:{number}: expected onset, offset and label, got {cells!r}")
        rows.append(Row(f"{path.name}:{number}", dict(zip(HEADERLESS, cells, strict=False))))
    return rows
