"""The files of live calls in a run directory: a two-channel recording and a log of events for each call.

    calls/NAME.flac    left the caller as sent, right the agent as played
    calls/NAME.jsonl   one event per line, as in the journal

NAME is the id of the sample and a digest of the content. Both are written before the line of the journal that refers to
them, and they replace those of earlier attempts. A call that failed keeps its log, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from auricle.core.call_serialization import encode_event
from auricle.core.calls import CallRecording
from auricle.core.errors import AudioError
from auricle.core.files import make_folder, read_regular_file, write_atomically
from auricle.core.redaction import SECRETS
from auricle.core.serialization import dumps
from auricle.core.types import Generation, Output, Record, get_call
from auricle.media import Audio
from auricle.runs.journal import CALLS_FOLDER

MAX_ID_CHARS = 60
"""Length from which on the id of a sample is shortened in file names."""
_DIGEST_BYTES = 16


def store_calls(run_path: Path, record: Record) -> Record:
    """Store the calls of a record as files, and return the record that refers to them by relative path."""
    if not any(map(get_call, record.outputs)):
        return record
    prefix = _name_prefix(record.sample.id)
    names: set[str] = set()

    def store(output: Output) -> Output:
        call = get_call(output)
        if call is None:
            return output
        stored, name = _store_call(run_path, prefix, call)
        names.add(name)
        return replace(output, call=stored) if isinstance(output, Generation) else stored

    stored_record = replace(record, outputs=tuple(map(store, record.outputs)))
    _remove_others(run_path, prefix, names)
    return stored_record


def store_failed_call(run_path: Path, sample_id: str, recording: CallRecording) -> str:
    """Store what was recorded of a call that failed, and return the relative path of its log."""
    prefix = _name_prefix(sample_id)
    _, name = _store_call(run_path, prefix, recording)
    _remove_others(run_path, prefix, {name})
    return f"{CALLS_FOLDER}{name}.jsonl"


def encode_log(recording: CallRecording) -> bytes:
    """Return the event log of a call, one event per line, without secrets."""
    return b"".join(SECRETS.redact_line(dumps(encode_event(event))) for event in recording.events)


def find_call_problems(run_path: Path, recording: CallRecording) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the files of a call: the name of the file, and a message.

    Args:
        run_path: Run directory.
        recording: A call of the journal, with the absolute path of its audio.
    """
    audio = recording.audio
    if audio is None or audio.path is None or audio.path.parent != run_path / CALLS_FOLDER:
        return
    name = audio.path.stem
    try:
        if _digest(read_regular_file(audio.path)) != name[-2 * _DIGEST_BYTES :]:
            yield f"{CALLS_FOLDER}{audio.path.name}", "does not have the content it is named after"
    except OSError:
        yield f"{CALLS_FOLDER}{audio.path.name}", "is missing"
    log = audio.path.with_suffix(".jsonl")
    try:
        if read_regular_file(log) != encode_log(recording):
            yield f"{CALLS_FOLDER}{log.name}", "does not have the events of the journal"
    except OSError:
        yield f"{CALLS_FOLDER}{log.name}", "is missing"


def _store_call(run_path: Path, prefix: str, recording: CallRecording) -> tuple[CallRecording, str]:
    """Store the audio and the log of a call; return the recording with a relative path, and the name of the files."""
    folder = run_path / CALLS_FOLDER
    audio = recording.audio
    if audio and audio.path and audio.path.parent == folder:  # stored by an earlier pass
        return replace(recording, audio=Audio(f"{CALLS_FOLDER}{audio.path.name}")), audio.path.stem
    make_folder(folder)
    content, log = _encode_audio(audio), encode_log(recording)
    name = f"{prefix}-{_digest(log if content is None else content)}"
    write_atomically(folder / f"{name}.jsonl", log)
    if content is None:
        return replace(recording, audio=None), name
    write_atomically(folder / f"{name}.flac", content)
    return replace(recording, audio=Audio(f"{CALLS_FOLDER}{name}.flac")), name


def _encode_audio(audio: Audio | None) -> bytes | None:
    """Return both channels as FLAC, or None if there is no audio that can be encoded."""
    if audio is None:
        return None
    try:
        return audio.encode("flac", mono=False)
    except AudioError:
        return None


def _name_prefix(sample_id: str) -> str:
    """Return the id of a sample as a file name; an id that has to be changed gets a digest, so that none are equal."""
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", sample_id)[:MAX_ID_CHARS].lstrip(".-")
    is_unchanged = name == sample_id and name == name.lower()  # some file systems ignore case
    return name if is_unchanged else f"{name}-{_digest(sample_id.encode('utf-8', 'replace'))[:8]}"


def _remove_others(run_path: Path, prefix: str, names: set[str]) -> None:
    """Remove the files of earlier attempts at a sample, which no line of the journal refers to any more."""
    own_file = re.compile(rf"({re.escape(prefix)}-[0-9a-f]{{{2 * _DIGEST_BYTES}}})\.(flac|jsonl)(\.tmp)?")
    for path in (run_path / CALLS_FOLDER).iterdir():
        match = own_file.fullmatch(path.name)
        if match and match[1] not in names:
            path.unlink(missing_ok=True)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()
