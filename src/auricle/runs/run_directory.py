"""Read and write run directories.

    spec.json       what the run evaluates; written atomically
    outputs.jsonl   the journal: one line per finished sample, append-only
    verdicts.jsonl  replies of judges, append-only
    speech/         spoken outputs, named by content
    progress.json   whether the last pass completed, and the timing of each pass
    all other files are derived and safe to delete

Journal lines are written and fsynced every tenth of a second. A process killed at any moment loses
at most the requests in flight and leaves at most one partial line, which is removed when the run is
opened again. Opening a run with the same spec resumes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import orjson

from auricle.audio import Audio
from auricle.core.errors import AudioError, DataError, RunLocked, RunMismatch
from auricle.core.files import write_atomically
from auricle.core.serialization import decode_record, digest, dumps, encode_record, read_id_digest
from auricle.core.types import Generation, Json, Output, Record
from auricle.runs.journal import Journal, read_lines, truncate_partial_line

SPEECH_FOLDER = "speech/"
REMOVED_PREFIX = b'{"gone":'


def _decode_line(line: bytes, folder: Path) -> Record | None:
    """Return the record of a line, or None if the line is damaged; its sample is then sent again."""
    try:
        record = decode_record(orjson.loads(line))
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        return None
    if not _has_audio_output(record):
        return record
    return replace(record, outputs=tuple(_resolve_audio_path(folder, output) for output in record.outputs))


def _has_audio_output(record: Record) -> bool:
    for output in record.outputs:  # noqa: SIM110 - a generator is slower, and this runs for every record
        if isinstance(output, Generation) and output.audio is not None:
            return True
    return False


def _resolve_audio_path(folder: Path, output: Output) -> Output:
    """Make the path of a spoken output absolute; it is stored relative to the run directory."""
    if not isinstance(output, Generation) or not output.audio:
        return output
    name = output.audio.uri
    return replace(output, audio=Audio(str(folder / name))) if name.startswith(SPEECH_FOLDER) else output


class JournalIndex:
    """Index of a journal: the offset of the latest record of each sample."""

    def __init__(self, path: Path, offsets: dict[int, int]) -> None:
        self._path = path
        self._offsets = offsets
        self._file: IO[bytes] | None = None

    def get(self, sample_id: str) -> Record | None:
        """Read the latest record of a sample, if there is one."""
        offset = self._offsets.get(digest(sample_id)) if self._offsets else None
        if offset is None:
            return None
        if self._file is None:
            self._file = self._path.open("rb")
        self._file.seek(offset)
        return _decode_line(self._file.readline(), self._path.parent)

    def id_digests(self) -> set[int]:
        """Return the digests of all sample ids in the journal."""
        return set(self._offsets)

    def close(self) -> None:
        if self._file:
            self._file.close()

    def __enter__(self) -> JournalIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Run:
    """A run directory. `Run.open` allows appending; `Run.load` only reading."""

    def __init__(self, path: Path, spec: Mapping[str, Json]) -> None:
        self.path = path
        self.spec = spec
        self._journal: Journal | None = None
        self._lock: IO[str] | None = None

    @classmethod
    def open(cls, path: Path, spec: Mapping[str, Json]) -> Run:
        """Start or resume a run in `path`, and lock it against other processes until `close`.

        Raises:
            RunMismatch: if `path` contains a different run.
            RunLocked: if another process is writing to `path`.
        """
        path.mkdir(parents=True, exist_ok=True)
        lock = lock_run(path)
        try:
            has_records = (path / "outputs.jsonl").exists() and (path / "outputs.jsonl").stat().st_size
            if has_records:  # an empty run may be replaced by a different one
                existing_spec = cls.load(path).spec
                _check_same_run(path, existing_spec, spec)
                spec = {**spec, "created": existing_spec.get("created")}
            write_atomically(path / "spec.json", orjson.dumps(spec, option=orjson.OPT_INDENT_2))
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
        try:
            spec = orjson.loads((path / "spec.json").read_bytes())
        except FileNotFoundError as error:
            raise DataError(f"Not a run directory: {path} ({_explain_not_a_run(path)}).") from error
        except NotADirectoryError as error:
            raise DataError(f"Not a run directory: {path} (it is a file).") from error
        except orjson.JSONDecodeError as error:
            raise DataError(f"{path / 'spec.json'} is not valid JSON: {error}.") from error
        if not isinstance(spec, dict) or not {"identity", "spec"} <= spec.keys():
            raise DataError(f"{path / 'spec.json'} does not describe a run.")
        return cls(path, spec)

    @property
    def outputs_path(self) -> Path:
        return self.path / "outputs.jsonl"

    @property
    def verdicts_path(self) -> Path:
        return self.path / "verdicts.jsonl"

    def append(self, record: Record) -> None:
        """Append a record to the journal; it is on disk within two tenths of a second."""
        if _has_audio_output(record):
            record = replace(record, outputs=tuple(map(self._store_audio, record.outputs)))
        self._append(encode_record(record))

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
            content = audio.data if isinstance(audio.data, bytes) else audio.encode()
        except AudioError:
            return replace(output, audio=None)
        name = f"{SPEECH_FOLDER}{audio.hash}{_audio_suffix(content)}"
        if not (self.path / name).exists():
            (self.path / SPEECH_FOLDER).mkdir(exist_ok=True)
            write_atomically(self.path / name, content)
        return replace(output, audio=Audio(name))

    def mark_removed(self, id_digests: set[int]) -> None:
        """Exclude samples that are no longer in the data, by the digests of their ids."""
        for id_digest in id_digests:
            self._append(dumps({"gone": id_digest}))

    def _append(self, line: bytes) -> None:
        assert self._journal, "a loaded run is read-only; use Run.open"
        self._journal.append(line)

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

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_index(self) -> JournalIndex:
        """Return an index of the journal as it is now."""
        return JournalIndex(self.outputs_path, self._latest_offsets())

    def records(self) -> Iterator[Record]:
        """Yield the latest record of each sample."""
        latest = set(self._latest_offsets().values())
        for offset, line in read_lines(self.outputs_path):
            if offset in latest and (record := _decode_line(line, self.path)):
                yield record

    def _latest_offsets(self) -> dict[int, int]:
        """Return the offset of the latest record of each sample, by digest of its id."""
        latest: dict[int, int] = {}
        for offset, line in read_lines(self.outputs_path):
            if (id_digest := read_id_digest(line)) is not None:
                latest[id_digest] = offset
            elif line.startswith(REMOVED_PREFIX):
                with suppress(orjson.JSONDecodeError):
                    latest.pop(orjson.loads(line)["gone"], None)
        return latest

    def read_metrics(self) -> dict[str, Any] | None:
        """Read `metrics.json`; return None if it is missing, damaged or older than the journal."""
        metrics = self.path / "metrics.json"
        sources = (self.outputs_path, self.verdicts_path)
        newest = max((source.stat().st_mtime_ns for source in sources if source.exists()), default=0)
        if not metrics.exists() or metrics.stat().st_mtime_ns < newest:
            return None
        with suppress(orjson.JSONDecodeError):
            return dict(orjson.loads(metrics.read_bytes()))
        return None

    def read_progress(self) -> dict[str, Any]:
        """Read `progress.json`; during a pass it only contains the timing of earlier passes."""
        path = self.path / "progress.json"
        return dict(orjson.loads(path.read_bytes())) if path.exists() else {}

    def write_progress(self, progress: Mapping[str, Json] | None) -> None:
        if progress is None:
            (self.path / "progress.json").unlink(missing_ok=True)
        else:
            self.write("progress.json", orjson.dumps(progress, option=orjson.OPT_INDENT_2))

    def write(self, name: str, content: bytes) -> None:
        """Write a derived file atomically."""
        write_atomically(self.path / name, content)


def _check_same_run(path: Path, existing: Mapping[str, Json], requested: Mapping[str, Json]) -> None:
    old, new = (spec.get("identity") for spec in (existing, requested))
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    changed = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    if changed:
        differences = "; ".join(f"{key} was {old.get(key)!r}, now {new.get(key)!r}" for key in changed)
        raise RunMismatch(
            f"{path} already contains a different run ({differences}). Choose another folder with -o, "
            "use --fresh to start over, or give the same settings to resume."
        )


def _explain_not_a_run(path: Path) -> str:
    """Explain why a folder without a spec is not a run directory."""
    if (path / "perf.json").exists():
        return f"it contains a load test; `auricle perf {path}` summarises it"
    return "it has no spec.json"


AUDIO_SUFFIXES = {b"RIFF": ".wav", b"fLaC": ".flac", b"OggS": ".ogg", b"ID3": ".mp3", b"\xff": ".mp3"}


def _audio_suffix(content: bytes) -> str:
    return next((end for magic, end in AUDIO_SUFFIXES.items() if content.startswith(magic)), ".bin")


def lock_run(path: Path) -> IO[str]:
    """Lock a run directory until the returned file is closed.

    Raises:
        RunLocked: if another process is writing to it.
    """
    import fcntl

    file = (path / ".lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise RunLocked(
            f"Process {holder} is writing to {path}. Wait for it, or choose another folder with -o."
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def set_aside(path: Path) -> Path | None:
    """Rename an earlier run or load test in `path`; return its new path, or None if there was none."""
    if not any((path / name).exists() for name in ("spec.json", "outputs.jsonl", "perf.json")):
        return None
    lock_run(path).close()  # raises while another process is writing
    number = 1
    while (aside := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    return path.rename(aside)
