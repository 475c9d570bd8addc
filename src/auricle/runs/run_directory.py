"""Read and write run directories.

    spec.json       what the run evaluates; written atomically
    outputs.jsonl   the journal: one line per finished sample, append-only
    verdicts.jsonl  replies of judges, append-only
    speech/         spoken outputs, named by content
    calls/          recordings and event logs of live calls
    progress.json   whether the last pass completed, and the timing of each pass
    all other files are derived and safe to delete

Journal lines are written and fsynced every tenth of a second. A process killed at any moment loses
at most the requests in flight and leaves at most one partial line, which is removed when the run is
opened again. Opening a run with the same spec resumes it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from socket import gethostname
from typing import IO

from auricle.core.calls import CallRecording
from auricle.core.closing import Closing
from auricle.core.errors import AudioError, RunLocked
from auricle.core.file_lock import try_lock
from auricle.core.files import (
    check_regular,
    fsync_folder,
    make_folder,
    read_regular_file,
    write_atomically,
    write_lines_atomically,
)
from auricle.core.home_folder import home_folder
from auricle.core.redaction import SECRETS
from auricle.core.types import Generation, Output, Record
from auricle.media import Audio
from auricle.runs.calls import store_calls, store_failed_call
from auricle.runs.health import DamagedLine
from auricle.runs.journal import (
    SPEECH_FOLDER,
    Journal,
    JournalIndex,
    JournalLine,
    encode_removal,
    encode_storable,
    has_stored_media,
    move_damaged_lines,
    read_lines,
    truncate_partial_line,
)
from auricle.runs.metrics import Metrics, read_current_metrics
from auricle.runs.progress import PROGRESS_FILE, Progress, read_progress, write_progress
from auricle.runs.run_spec import (
    LOAD_TEST_FILE,
    OUTPUTS_FILE,
    SPEC_FILE,
    VERDICTS_FILE,
    RunSpec,
    read_run_spec,
    write_run_spec,
)
from auricle.runs.shards.large_runs import check_has_samples

LOCK_FILE = ".lock"
FOREIGN_WRITER_SECONDS = 60.0
"""Time without a change after which a process of another machine is taken to have ended."""


class Run(Closing):
    """A run directory. `Run.open` allows appending; `Run.load` only reading."""

    def __init__(self, path: Path, spec: RunSpec) -> None:
        self.location = path
        """Where the run is, as it was given."""
        self.path = Path(home_folder(), path)
        self.spec = spec
        self.moved_lines: tuple[DamagedLine, ...] = ()
        """Damaged lines that were moved out of the journal while the run was open."""
        self._journal: Journal | None = None
        self._lock: IO[str] | None = None

    @classmethod
    def open(cls, path: Path, spec: RunSpec) -> Run:
        """Start or resume a run in `path`, and lock it against other processes until `close`.

        Raises:
            RunMismatch: if `path` contains a different run.
            RunLocked: if another process is writing to `path`.
        """
        make_folder(path)
        lock = lock_run(path)
        try:
            if _has_records(path):  # an empty run may be replaced by a different one
                existing_spec = read_run_spec(path)
                if existing_spec.describe_differences(spec) and not has_answers(path):
                    _discard_failures(path)
                else:
                    existing_spec.check_same_run(path, spec)
                    spec = replace(spec, created=existing_spec.created)
            write_run_spec(path, spec)
            run = cls(path, spec)
            truncate_partial_line(run.outputs_path)
            run._lock, run._journal = lock, Journal(run.outputs_path)
        except BaseException:
            lock.close()
            raise
        return run

    @classmethod
    def load(cls, path: Path) -> Run:
        """Read a run without changing it.

        Raises:
            DataError: if `path` is not a run directory.
        """
        return cls(path, read_run_spec(path))

    @property
    def outputs_path(self) -> Path:
        return self.path / OUTPUTS_FILE

    @property
    def verdicts_path(self) -> Path:
        return self.path / VERDICTS_FILE

    def append(self, record: Record) -> Record:
        """Append a record to the journal; it is on disk within two tenths of a second.

        Returns:
            The record, or a failed one in its place if a value of it cannot be stored.
        """
        complete = record
        if has_stored_media(record):
            complete = store_calls(self.path, record)
            complete = replace(complete, outputs=tuple(map(self._store_audio, complete.outputs)))
        line, stored = encode_storable(complete)
        self._append(line)
        return record if stored is complete else stored

    def store_failed_call(self, sample_id: str, recording: CallRecording) -> str:
        """Store what was recorded of a call that failed, and return the relative path of its event log."""
        return store_failed_call(self.path, sample_id, recording)

    def _store_audio(self, output: Output) -> Output:
        """Store a spoken output as a file of the run, named by its content."""
        if not isinstance(output, Generation) or output.audio is None:
            return output
        audio = output.audio
        if audio.path and audio.path.parent == self.path / SPEECH_FOLDER:  # stored by an earlier pass
            return replace(output, audio=Audio(f"{SPEECH_FOLDER}{audio.path.name}"))
        if audio.data is None:  # in a file that the model wrote
            return output
        try:
            is_file = isinstance(audio.data, bytes) and not audio.start and audio.end is None
            content = audio.data if is_file else audio.encode("flac")
        except AudioError:
            return replace(output, audio=None)
        assert isinstance(content, bytes)
        name = f"{SPEECH_FOLDER}{Audio(data=content).hash}{_audio_suffix(content)}"
        if not (self.path / name).exists():
            make_folder(self.path / SPEECH_FOLDER)
            write_atomically(self.path / name, content)
        return replace(output, audio=Audio(name))

    def mark_removed(self, id_digests: set[int]) -> None:
        """Exclude samples that are no longer in the data, by the digests of their ids."""
        for id_digest in id_digests:
            self._append(encode_removal(id_digest))

    def _append(self, line: bytes) -> None:
        assert self._journal, "a loaded run is read-only; use Run.open"
        self._journal.append(line)

    def check(self) -> None:
        """Raise an error if the journal can no longer be written; see `Journal.check`."""
        if self._journal:
            self._journal.check()

    def flush(self) -> None:
        """Wait until everything appended is on disk."""
        assert self._journal, "only an open run can be flushed"
        self._journal.close()
        self._journal = Journal(self.outputs_path)

    def close(self) -> None:
        """Write the remaining lines and release the lock."""
        try:
            if self._journal:
                self._journal.close()
        finally:
            if self._lock:
                self._lock.close()
            self._journal = self._lock = None

    def open_index(self, *, beyond_limit: bool = False) -> JournalIndex:
        """Return an index of the journal as it is now: of the rows that the run is about, or of all its answers.

        If the run is open, damaged lines are first moved to another file: their samples are sent again, and the lines
        that replace them make the journal intact.

        Raises:
            DataError: if the samples are in the run directories of shards.
        """
        if self._journal is None:
            check_has_samples(self.path)
        index = JournalIndex(self.outputs_path, beyond_limit=beyond_limit)
        if index.damaged and self._journal:
            self._journal.close()
            move_damaged_lines(self.outputs_path, index.damaged)
            self._journal = Journal(self.outputs_path)
            self.moved_lines = (*self.moved_lines, *index.damaged)
            index = JournalIndex(self.outputs_path, beyond_limit=beyond_limit)
        return index

    def records(self) -> Iterator[Record]:
        """Yield the latest record of each sample."""
        with self.open_index() as index:
            yield from index.records()

    def read_metrics(self) -> Metrics | None:
        """Read `metrics.json`; return None if it is missing, damaged or older than the journal."""
        return read_current_metrics(self.path)

    def read_progress(self) -> Progress:
        """Read `progress.json`; during a pass it only contains the timing of earlier passes."""
        return read_progress(self.path)

    def write_progress(self, progress: Progress) -> None:
        write_progress(self.path, progress)

    def write(self, name: str, content: bytes) -> None:
        """Write a derived file atomically."""
        write_lines_atomically(self.path / name, [SECRETS.redact_bytes(content)])


AUDIO_SUFFIXES = {b"RIFF": ".wav", b"fLaC": ".flac", b"OggS": ".ogg", b"ID3": ".mp3", b"\xff": ".mp3"}


def _audio_suffix(content: bytes) -> str:
    return next((end for magic, end in AUDIO_SUFFIXES.items() if content.startswith(magic)), ".bin")


def lock_run(path: Path) -> IO[str]:
    """Lock a run directory until the returned file is closed.

    Raises:
        RunLocked: if another process is writing to it.
    """
    check_regular(path / LOCK_FILE)
    file = (path / LOCK_FILE).open("a+", encoding="utf-8")
    if not try_lock(file):
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise RunLocked(f"Process {holder} is writing to {path}. Wait for it, or choose another folder with -o.")
    file.truncate(0)
    file.write(f"{os.getpid()} on {gethostname()}")
    file.flush()
    return file


def is_being_written(path: Path) -> bool:
    """Return whether a process is writing to a run directory, as far as that can be known.

    A process of another machine, on a shared folder, is taken to write if the journal or the lock changed a short
    while ago: locks of other machines cannot be seen on every file system.
    """
    try:
        pid, _, host = read_regular_file(path / LOCK_FILE).decode().partition(" on ")
        if host not in ("", gethostname()):
            return time.time() - _last_change(path) < FOREIGN_WRITER_SECONDS
        if not _is_alive(int(pid)):
            return False
        with (path / LOCK_FILE).open(encoding="utf-8") as file:
            return not try_lock(file, shared=True)
    except (OSError, ValueError):
        return False


def find_writer(path: Path) -> int | None:
    """Return the id of the process of this machine that is writing to a run directory, if there is one."""
    with suppress(OSError, ValueError):
        pid, _, host = read_regular_file(path / LOCK_FILE).decode().partition(" on ")
        if host in ("", gethostname()) and is_being_written(path):
            return int(pid)
    return None


def _last_change(path: Path) -> float:
    files = (path / OUTPUTS_FILE, path / VERDICTS_FILE, path / LOCK_FILE)
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":  # where `os.kill` would end the process; the lock decides
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        return True
    return True


def contains_run(path: Path) -> bool:
    """Return whether a folder contains a run or a load test, complete or not."""
    return any((path / name).exists() for name in (SPEC_FILE, OUTPUTS_FILE, LOAD_TEST_FILE))


def contains_load_test(path: Path) -> bool:
    """Return whether a folder contains a load test."""
    return (path / LOAD_TEST_FILE).is_file()


def find_conflict(path: Path, spec: RunSpec) -> str:
    """Describe why a run cannot be started or resumed in `path`, or return "" if it can."""
    if contains_load_test(path):
        return "it is a load test"
    differences = read_run_spec(path).describe_differences(spec) if _has_records(path) else ""
    return differences if differences and has_answers(path) else ""


def has_answers(path: Path) -> bool:
    """Return whether a run has an answer, or a line that cannot be read; a run with failures alone can be replaced."""
    for offset, content in read_lines(path / OUTPUTS_FILE):
        line = JournalLine(path, offset, content)
        record = line.record
        if line.damage or (record and not record.error):
            return True
    return False


def is_unanswered_load_test(path: Path) -> bool:
    """Return whether a folder contains a load test in which nothing was answered."""
    return contains_load_test(path) and not any(has_answers(point) for point in path.iterdir() if point.is_dir())


def _discard_failures(path: Path) -> None:
    """Remove what a run left in which every request failed."""
    for name in (OUTPUTS_FILE, PROGRESS_FILE):
        (path / name).unlink(missing_ok=True)


def _has_records(path: Path) -> bool:
    journal = path / OUTPUTS_FILE
    return journal.exists() and bool(journal.stat().st_size)


def first_usable(folder: Path, is_usable: Callable[[Path], bool]) -> Path:
    """Return the first of `folder`, `folder-2`, `folder-3`, … that is usable."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(filter(is_usable, chain([folder], numbered)))


def set_aside(path: Path) -> Path | None:
    """Rename an earlier run or load test in `path`; return its new path, or None if there was none."""
    if not contains_run(path):
        return None
    lock_run(path).close()  # raises while another process is writing
    number = 1
    while (aside := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    path.rename(aside)
    fsync_folder(path.parent)
    return aside
