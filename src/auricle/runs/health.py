"""What of a run is damaged or missing, and which content its derived files were made from."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import cast

from auricle.core.files import open_regular_file
from auricle.runs.run_spec import OUTPUTS_FILE

MAX_NAMED_LINES = 100
"""Damaged lines that are named; further ones are only counted."""
MAX_LISTED_LINES = 10
"""Line numbers in a message."""
RECENT_NS = 20_000_000
"""Clocks of file systems tick every few milliseconds: a file could change again without a new time."""


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that is not as it was written."""

    line: int
    """Its number, from 1."""
    reason: str
    file: str = OUTPUTS_FILE


@dataclass(frozen=True, slots=True)
class JournalHealth:
    """What of a run can be read: the samples with a record, and the damaged lines."""

    records: int = 0
    rows: int | None = None
    """Rows of the data; None unless the last pass over them completed."""
    damaged_records: int = 0
    damaged_verdicts: int = 0
    damaged: tuple[DamagedLine, ...] = ()
    """The first damaged lines of the journal and of the verdicts."""

    @classmethod
    def build(cls, records: int, rows: int | None, damaged: Iterable[DamagedLine]) -> JournalHealth:
        """Count the damaged lines of all files."""
        lines = tuple(damaged)
        outputs = sum(line.file == OUTPUTS_FILE for line in lines)
        return cls(records, rows, outputs, len(lines) - outputs, lines[:MAX_NAMED_LINES])

    @property
    def total(self) -> int:
        """The number of samples that coverage is relative to."""
        return self.records + self.damaged_records if self.rows is None else max(self.rows, self.records)

    @property
    def missing(self) -> int:
        """Samples without a record that can be read."""
        return self.total - self.records

    @property
    def is_intact(self) -> bool:
        return not (self.damaged_records or self.damaged_verdicts or self.missing)

    def describe(self) -> tuple[str, ...]:
        """Return a sentence on each problem."""
        counts = {OUTPUTS_FILE: self.damaged_records, "verdicts.jsonl": self.damaged_verdicts}
        sentences = [
            f"{describe_lines([line.line for line in self.damaged if line.file == file], count)} of {file} "
            f"{'is' if count == 1 else 'are'} damaged and {'was' if count == 1 else 'were'} not used."
            for file, count in counts.items()
            if count
        ]
        if self.missing:
            samples = "sample has" if self.missing == 1 else "samples have"
            sentences.append(
                f"{self.missing} of {self.total} {samples} no record that can be read. "
                "Run the same `auricle run` command again to send what is missing."
            )
        return tuple(sentences)


def describe_lines(numbers: list[int], count: int) -> str:
    """Return the numbers of lines, such as `3 lines (4, 9, 12)`.

    >>> describe_lines([4, 9], 2), describe_lines([7], 1)
    ('2 lines (4, 9)', '1 line (7)')
    """
    listed = ", ".join(map(str, numbers[:MAX_LISTED_LINES]))
    return f"{count} {'line' if count == 1 else 'lines'} ({listed}{', …' if count > MAX_LISTED_LINES else ''})"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identifies the content of a file."""

    size: int
    digest: str
    changed_ns: int = 0
    """When the file was last changed, as only the operating system can set it; 0 if that was too recent to rely on."""

    @classmethod
    def take(cls, path: Path) -> Fingerprint:
        """Read a file completely."""
        with open_regular_file(path) as file:
            status = os.fstat(file.fileno())
            digest = hashlib.file_digest(cast(BufferedReader, file), "sha256").hexdigest()
        is_old = time.time_ns() - status.st_ctime_ns > RECENT_NS
        return cls(status.st_size, digest, status.st_ctime_ns if is_old else 0)

    def matches(self, path: Path) -> bool:
        """Return whether a file has this content; it is read only if it was changed, copied or moved since."""
        try:
            status = path.stat()
        except FileNotFoundError:
            return False
        if status.st_size != self.size:
            return False
        return status.st_ctime_ns == self.changed_ns or Fingerprint.take(path).digest == self.digest


def take_fingerprints(folder: Path, names: Iterable[str]) -> dict[str, Fingerprint]:
    """Return the fingerprints of the files that exist."""
    return {name: Fingerprint.take(folder / name) for name in names if (folder / name).exists()}
