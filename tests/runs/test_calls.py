"""Recordings and event logs of calls in run directories."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from auricle.core.call_serialization import decode_event
from auricle.core.calls import CallRecording, Event, EventKind
from auricle.core.redaction import SECRETS
from auricle.core.types import Generation, Record, Sample, get_call
from auricle.media import Audio
from auricle.runs.calls import store_failed_call
from auricle.runs.integrity import verify_run
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from tests.support.calls import RATE, make_recording, two_channels

SPEC = RunSpec(identity={"task": "a"}, spec={})


def make_record(sample_id: str, *outputs: Any) -> Record:
    return Record(sample=Sample(id=sample_id, inputs={}), row=0, outputs=outputs)


def write_run(path: Path, *records: Record) -> list[Record]:
    with Run.open(path, SPEC) as run:
        for record in records:
            run.append(record)
    return list(Run.load(path).records())


def list_files(path: Path) -> list[str]:
    return sorted(file.name for file in (path / "calls").iterdir())


def test_a_call_is_stored_as_two_channels_and_a_log_of_events(tmp_path: Path) -> None:
    recording = make_recording()
    (stored,) = write_run(tmp_path, make_record("greeting", recording))
    (call,) = stored.outputs
    assert isinstance(call, CallRecording)
    assert replace(call, audio=None) == replace(recording, audio=None)
    assert call.audio is not None
    assert call.audio.path is not None
    assert re.fullmatch(r"greeting-[0-9a-f]{32}\.flac", call.audio.path.name)
    samples = call.audio.decode(mono=False)
    assert samples.shape == (RATE // 2, 2)
    assert samples[:, 0].max() > 0.4
    assert not samples[:, 1].any()
    log = call.audio.path.with_suffix(".jsonl").read_bytes().splitlines()
    assert tuple(decode_event(orjson.loads(line)) for line in log) == recording.events
    assert verify_run(tmp_path).is_intact


def test_the_call_beside_a_text_is_stored_in_the_same_way(tmp_path: Path) -> None:
    (stored,) = write_run(tmp_path, make_record("a", Generation(text="hello", call=make_recording())))
    (output,) = stored.outputs
    call = get_call(output)
    assert isinstance(output, Generation)
    assert call is not None
    assert call.audio is not None
    assert call.audio.path == tmp_path / "calls" / list_files(tmp_path)[0]
    assert verify_run(tmp_path).is_intact


def test_files_of_an_earlier_attempt_at_a_sample_are_replaced(tmp_path: Path) -> None:
    write_run(tmp_path, make_record("a", make_recording()), make_record("a-b", make_recording()))
    (tmp_path / "calls" / f"a-{'0' * 32}.flac.tmp").write_bytes(b"partial")
    write_run(tmp_path, make_record("a", make_recording(audio=two_channels(loudness=0.2))))
    assert len(list_files(tmp_path)) == 4
    assert verify_run(tmp_path).is_intact


def test_a_call_of_an_earlier_pass_keeps_its_files(tmp_path: Path) -> None:
    (stored,) = write_run(tmp_path, make_record("a", make_recording()))
    files = list_files(tmp_path)
    assert write_run(tmp_path, replace(stored, row=3)) == [replace(stored, row=3)]
    assert list_files(tmp_path) == files


@pytest.mark.parametrize("ids", [("a/b", "a_b"), ("../../x", "x"), ("A", "a"), ("x" * 300, "x" * 301), ("嗨", "喂")])
def test_ids_that_are_no_file_names_get_names_of_their_own(tmp_path: Path, ids: tuple[str, str]) -> None:
    write_run(tmp_path, *(make_record(sample_id, make_recording()) for sample_id in ids))
    names = list_files(tmp_path)
    assert len({name.lower() for name in names}) == 4
    assert verify_run(tmp_path).is_intact


def test_a_call_whose_audio_cannot_be_encoded_keeps_its_log(tmp_path: Path) -> None:
    (stored,) = write_run(tmp_path, make_record("a", make_recording(audio=Audio(data=b"no audio"))))
    (call,) = stored.outputs
    assert isinstance(call, CallRecording)
    assert call.audio is None
    assert [name.rpartition(".")[2] for name in list_files(tmp_path)] == ["jsonl"]


def test_damaged_and_missing_files_are_listed(tmp_path: Path) -> None:
    write_run(tmp_path, make_record("a", make_recording()))
    audio, log = (tmp_path / "calls" / name for name in list_files(tmp_path))
    audio.write_bytes(audio.read_bytes()[:-1])
    log.write_bytes(log.read_bytes().replace(b"nine", b"five"))
    assert [problem.describe() for problem in verify_run(tmp_path).problems] == [
        f"calls/{audio.name} does not have the content it is named after (sample 'a').",
        f"calls/{log.name} does not have the events of the journal (sample 'a').",
    ]
    audio.unlink()
    log.unlink()
    assert [problem.message for problem in verify_run(tmp_path).problems] == ["is missing (sample 'a')."] * 2


def test_secrets_are_neither_in_the_log_nor_in_the_journal(tmp_path: Path) -> None:
    SECRETS.add(["sk-verysecretvalue123"])
    event = Event(at=0.0, side="received", kind=EventKind.ERROR, text="wrong key sk-verysecretvalue123")
    try:
        write_run(tmp_path, make_record("a", make_recording(events=(event,))))
        assert verify_run(tmp_path).is_intact
    finally:
        SECRETS.clear()
    for file in (tmp_path / "outputs.jsonl", tmp_path / "calls" / list_files(tmp_path)[1]):
        assert b"wrong key" in file.read_bytes()
        assert b"verysecret" not in file.read_bytes()


def test_a_failed_call_keeps_its_log_until_the_sample_is_answered(tmp_path: Path) -> None:
    log = store_failed_call(tmp_path, "a", make_recording(audio=None))
    assert (tmp_path / log).read_bytes().count(b"\n") == len(make_recording().events)
    write_run(tmp_path, make_record("a", make_recording()))
    assert not (tmp_path / log).exists()
