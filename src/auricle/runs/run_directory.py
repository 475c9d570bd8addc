"""A run is a directory: what was asked, and what became of each sample.

    spec.json       what was asked; written once, whole or not at all
    outputs.jsonl   the journal: one line a finished sample, appended and never rewritten
    verdicts.jsonl  what judges said of the answers, appended and never rewritten
    speech/         what the model said aloud, by content
    progress.json   how far the last pass over the data came, and what each pass took
    the rest        derived; safe to delete

Lines are written and fsynced together every tenth of a second. A process killed at any
moment loses at most what was in flight, and leaves at most one torn last line, which the
next opening cuts off. A run is resumed by opening it again with the same spec.
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
from auricle.core.files import Journal, truncate_partial_line, write_atomically
from auricle.core.serialization import decode_record, digest, dumps, encode_record, read_id_digest
from auricle.core.types import Generation, Json, Output, Record

SPEECH_FOLDER = "speech/"
DERIVED = ("scores.jsonl", "metrics.json", "metrics_summary.csv", "metrics_detail.csv", "report.html")


REMOVED_PREFIX = b'{"gone":'


def _decode_line(line: bytes, folder: Path) -> Record | None:
    """The record a line holds; a damaged line holds none, and its sample is asked again."""
    try:
        record = decode_record(orjson.loads(line))
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        return None
    if not _has_audio_output(record):
        return record
    return replace(record, outputs=tuple(_resolve_audio_path(folder, each) for each in record.outputs))


def _has_audio_output(record: Record) -> bool:
    for each in record.outputs:  # noqa: SIM110 - a generator costs more, for every record
        if isinstance(each, Generation) and each.audio is not None:
            return True
    return False


def _resolve_audio_path(folder: Path, output: Output) -> Output:
    """Speech is written down relative to its run, which may have been moved since."""
    if not isinstance(output, Generation) or not output.audio:
        return output
    name = output.audio.uri
    return replace(output, audio=Audio(str(folder / name))) if name.startswith(SPEECH_FOLDER) else output


class JournalIndex:
    """What a journal holds, by sample: where each latest record stands, not what it says."""

    def __init__(self, path: Path, offsets: dict[int, int]) -> None:
        self._path = path
        self._offsets = offsets
        self._file: IO[bytes] | None = None

    def get(self, sample_id: str) -> Record | None:
        """The latest record of a sample, read from the journal."""
        offset = self._offsets.get(digest(sample_id)) if self._offsets else None
        if offset is None:
            return None
        if self._file is None:
            self._file = self._path.open("rb")
        self._file.seek(offset)
        return _decode_line(self._file.readline(), self._path.parent)

    def id_digests(self) -> set[int]:
        """Digests of the ids of all samples held."""
        return set(self._offsets)

    def close(self) -> None:
        if self._file:
            self._file.close()

    def __enter__(self) -> JournalIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Run:
    """One run directory. Opened with a spec it can be appended to; loaded, only read."""

    def __init__(self, path: Path, spec: Mapping[str, Json]) -> None:
        self.path = path
        self.spec = spec
        self._journal: Journal | None = None
        self._lock: IO[str] | None = None

    @classmethod
    def open(cls, path: Path, spec: Mapping[str, Json]) -> Run:
        """Start a run in `path`, or take it up where it stopped. Nobody else may until `close`."""
        path.mkdir(parents=True, exist_ok=True)
        lock = lock_run(path)
        try:
            begun = (path / "outputs.jsonl").exists() and (path / "outputs.jsonl").stat().st_size
            if begun:  # a run that never answered anything may be begun anew
                held = cls.load(path).spec
                _check_same_run(path, held, spec)
                spec = {**spec, "created": held.get("created")}
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
        """Read a run without touching it."""
        try:
            spec = orjson.loads((path / "spec.json").read_bytes())
        except FileNotFoundError as error:
            raise DataError(f"{path} is no run: {_explain_not_a_run(path)}.") from error
        except NotADirectoryError as error:
            raise DataError(f"{path} is a file, not a run's folder.") from error
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
        """Keep a record; it is on disk within two tenths of a second."""
        if _has_audio_output(record):
            record = replace(record, outputs=tuple(map(self._store_audio, record.outputs)))
        self._append(encode_record(record))

    def _store_audio(self, output: Output) -> Output:
        """What a model said aloud as a file of the run, named by its content."""
        if not isinstance(output, Generation) or output.audio is None:
            return output
        sound = output.audio
        if sound.path and sound.path.parent == self.path / SPEECH_FOLDER:  # kept before
            return replace(output, audio=Audio(f"{SPEECH_FOLDER}{sound.path.name}"))
        if sound.data is None:  # in a file of the model's own
            return output
        try:
            content = sound.data if isinstance(sound.data, bytes) else sound.encode()
        except AudioError:  # nothing that could be played
            return replace(output, audio=None)
        name = f"{SPEECH_FOLDER}{sound.hash}{_audio_suffix(content)}"
        if not (self.path / name).exists():
            (self.path / SPEECH_FOLDER).mkdir(exist_ok=True)
            write_atomically(self.path / name, content)
        return replace(output, audio=Audio(name))

    def mark_removed(self, id_digests: set[int]) -> None:
        """Leave out samples that are no longer in the data, by the digests of their ids."""
        for sample in id_digests:
            self._append(dumps({"gone": sample}))

    def _append(self, line: bytes) -> None:
        assert self._journal, "a loaded run cannot be appended to; open it"
        self._journal.append(line)

    def flush(self) -> None:
        """Wait until everything appended is on disk."""
        assert self._journal, "only an open run has anything to flush"
        self._journal.close()
        self._journal = Journal(self.outputs_path)

    def close(self) -> None:
        """Write what is left and let others in."""
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
        """What the journal holds now."""
        return JournalIndex(self.outputs_path, self._latest_offsets())

    def records(self) -> Iterator[Record]:
        """The latest record of each sample, read one by one."""
        latest = set(self._latest_offsets().values())
        for offset, line in self._raw_lines():
            if offset in latest and (record := _decode_line(line, self.path)):
                yield record

    def _latest_offsets(self) -> dict[int, int]:
        """Where each sample's latest record stands. Digests, so that a million stay small."""
        latest: dict[int, int] = {}
        for offset, line in self._raw_lines():
            if (sample := read_id_digest(line)) is not None:
                latest[sample] = offset
            elif line.startswith(REMOVED_PREFIX):
                with suppress(orjson.JSONDecodeError):
                    latest.pop(orjson.loads(line)["gone"], None)
        return latest

    def read_metrics(self) -> dict[str, Any] | None:
        """What `metrics.json` says, unless it is older than what it was made from."""
        written = self.path / "metrics.json"
        sources = (self.outputs_path, self.verdicts_path)
        newest = max((each.stat().st_mtime_ns for each in sources if each.exists()), default=0)
        if not written.exists() or written.stat().st_mtime_ns < newest:
            return None
        with suppress(orjson.JSONDecodeError):  # damaged is as good as not there: it is derived
            return dict(orjson.loads(written.read_bytes()))
        return None

    def read_progress(self) -> dict[str, Any]:
        """How far the last pass came; while one is under way only what those before it took."""
        path = self.path / "progress.json"
        return dict(orjson.loads(path.read_bytes())) if path.exists() else {}

    def write_progress(self, progress: Mapping[str, Json] | None) -> None:
        if progress is None:
            (self.path / "progress.json").unlink(missing_ok=True)
        else:
            self.write("progress.json", orjson.dumps(progress, option=orjson.OPT_INDENT_2))

    def write(self, name: str, content: bytes) -> None:
        """Write a derived file whole or not at all."""
        write_atomically(self.path / name, content)

    def _raw_lines(self) -> Iterator[tuple[int, bytes]]:
        """Each whole line with its offset."""
        if not self.outputs_path.exists():
            return
        offset = 0
        with self.outputs_path.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    yield offset, line
                offset += len(line)


def _check_same_run(path: Path, existing: Mapping[str, Json], requested: Mapping[str, Json]) -> None:
    old, new = (spec.get("identity") for spec in (existing, requested))
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    changed = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    if changed:
        what = "; ".join(f"{key} was {old.get(key)!r}, now {new.get(key)!r}" for key in changed)
        raise RunMismatch(
            f"{path} holds another run ({what}). "
            "Give another -o, --fresh to begin again, or the same settings to resume."
        )


def _explain_not_a_run(path: Path) -> str:
    """What a folder without a spec is."""
    if (path / "perf.json").exists():
        return f"it holds a measurement of serving, which `auricle perf {path}` sums up again"
    return "it has no spec.json"


AUDIO_SUFFIXES = {b"RIFF": ".wav", b"fLaC": ".flac", b"OggS": ".ogg", b"ID3": ".mp3", b"\xff": ".mp3"}


def _audio_suffix(content: bytes) -> str:
    return next((end for magic, end in AUDIO_SUFFIXES.items() if content.startswith(magic)), ".bin")


def lock_run(path: Path) -> IO[str]:
    """Hold a run against other processes until this is closed."""
    import fcntl

    file = (path / ".lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise RunLocked(f"Process {holder} is writing to {path}. Wait for it, or give another -o.") from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def set_aside(path: Path) -> Path | None:
    """Move an earlier run out of the way; where it is now, or None if there was none."""
    if not any((path / name).exists() for name in ("spec.json", "outputs.jsonl", "perf.json")):
        return None
    lock_run(path).close()  # refuses while somebody is writing to it
    number = 1
    while (aside := path.with_name(f"{path.name}.{number}")).exists():
        number += 1
    return path.rename(aside)
