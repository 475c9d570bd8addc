"""Write an ordinary run from the completed shards of a run that fits into memory.

The records of all shards, in the order of the plan, get the row numbers that they have in the data. A sample whose id
occurs in an earlier shard becomes the rejected row that an ordinary run records in its place.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from auricle.core.files import (
    make_folder,
    open_regular_file,
    read_regular_file,
    write_atomically,
    write_lines_atomically,
)
from auricle.core.serialization import decode_record
from auricle.core.types import Record
from auricle.runs.journal import CALLS_FOLDER, SPEECH_FOLDER, UNREADABLE_ERRORS, JournalIndex, encode_storable
from auricle.runs.progress import PassTiming, Progress, read_progress
from auricle.runs.run_directory import lock_run
from auricle.runs.run_spec import OUTPUTS_FILE, VERDICTS_FILE
from auricle.runs.shards.completions import Completion
from auricle.runs.shards.duplicate_ids import number_rows
from auricle.runs.shards.store import ShardStore
from auricle.runs.sound_measures import SIGNALS_FILE
from auricle.runs.usage import PRICES_FILE

MEDIA_FOLDERS = (SPEECH_FOLDER, CALLS_FOLDER)
COPIED_BYTES = 1 << 20
JUDGES_START = b'{"judges"'


def assemble_run(store: ShardStore, folder: Path) -> Progress:
    """Write the journal, verdicts, media and measures of all completed shards as those of one run.

    Args:
        store: The sharded run.
        folder: Run directory to write.

    Returns:
        The progress of the run: complete if all shards are, with the passes of all shards.
    """
    make_folder(folder)
    with lock_run(folder), TemporaryDirectory(prefix="auricle-merge-") as scratch:
        assembly = Assembly(store, folder, Path(scratch))
        write_atomically(folder / OUTPUTS_FILE, assembly.write_lines())
        assembly.finish()
    is_complete = assembly.shards == store.plan.count
    rows = assembly.rows
    return Progress(complete=is_complete, rows=rows, total=rows if is_complete else None, passes=tuple(assembly.passes))


class Assembly:
    """Goes through the completed shards once; the lines of the journal are passed on, other files are copied.

    Args:
        store: The sharded run.
        folder: Run directory to write.
        scratch: Folder for copies of shards that are not in a local folder.
    """

    def __init__(self, store: ShardStore, folder: Path, scratch: Path) -> None:
        self._store = store
        self._folder = folder
        self._scratch = scratch
        self._first_rows: dict[str, int] = {}
        self._verdicts: list[bytes] = []
        self._judges = b""
        self._signals: list[bytes] = []
        self.passes: list[PassTiming] = []
        self.rows = 0
        self.shards = 0

    def write_lines(self) -> Iterator[bytes]:
        """Yield the lines of the journal, in the order of the data."""
        for completion in self._store.completions():
            shard = self._store.fetch(completion, self._scratch / str(completion.shard))
            yield from self._add_shard(completion, shard)
            shutil.rmtree(self._scratch / str(completion.shard), ignore_errors=True)

    def _add_shard(self, completion: Completion, shard: Path) -> Iterator[bytes]:
        for record in number_rows(_read_records(shard), self.rows, self._find_first_row):
            yield encode_storable(record)[0]
        self.rows += completion.rows
        self.shards += 1
        self.passes += read_progress(shard).passes
        self._add_verdicts(shard / VERDICTS_FILE)
        if (shard / SIGNALS_FILE).exists():
            self._signals.append(read_regular_file(shard / SIGNALS_FILE))
        if (shard / PRICES_FILE).exists():
            shutil.copyfile(shard / PRICES_FILE, self._folder / PRICES_FILE)
        for name in MEDIA_FOLDERS:
            _copy_files(shard / name, self._folder / name)

    def _find_first_row(self, sample_id: str, row: int) -> int:
        return self._first_rows.setdefault(sample_id, row)

    def _add_verdicts(self, path: Path) -> None:
        """Add verdicts; the line that names their judges is the same in most shards."""
        if not path.exists():
            return
        for line in read_regular_file(path).splitlines(keepends=True):
            is_judges = line.startswith(JUDGES_START)
            if not is_judges or line != self._judges:
                self._verdicts.append(line)
            if is_judges:
                self._judges = line

    def finish(self) -> None:
        """Write what was collected beside the journal."""
        for name, lines in ((VERDICTS_FILE, self._verdicts), (SIGNALS_FILE, self._signals)):
            if lines:
                write_atomically(self._folder / name, lines)
            else:
                (self._folder / name).unlink(missing_ok=True)


def _read_records(shard: Path) -> list[Record]:
    """Return the latest record of each sample, in the order of the rows; media are named as they are stored."""
    records = []
    with JournalIndex(shard / OUTPUTS_FILE) as index:
        for line in index.lines():
            try:
                records.append(decode_record(orjson.loads(line)))
            except UNREADABLE_ERRORS:  # the merged run counts its row as missing
                continue
    return sorted(records, key=lambda record: record.row)


def _copy_files(source: Path, target: Path) -> None:
    """Copy the files of a folder, which are named by content; a kill leaves no incomplete one."""
    if not source.is_dir():
        return
    make_folder(target)
    for path in source.iterdir():
        if not (target / path.name).exists():
            with open_regular_file(path) as source_file:
                write_lines_atomically(target / path.name, iter(partial(source_file.read, COPIED_BYTES), b""))
