"""Appending to, resuming, repairing and locking run directories."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Generation, Likelihood, Prediction, Sample
from auricle.core.errors import DataError, RunDirectoryLost, RunLocked, RunMismatch
from auricle.core.serialization import digest
from auricle.core.types import Failure, Record
from auricle.runs.journal import COMMIT_SECONDS
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts, write_metrics
from auricle.runs.run_directory import (
    Run,
    contains_run,
    find_conflict,
    first_usable,
    is_unanswered_load_test,
    set_aside,
)
from auricle.runs.run_spec import RunSpec

SPEC = RunSpec(identity={"task": "a", "model": "x"}, spec={})


def record(name: str = "1", row: int = 0, **fields: Any) -> Record:
    sample = Sample(id=name, inputs={"question": "what?"}, target="that", meta={"k": 1})
    return Record(**{"sample": sample, "row": row, "key": "k1", **fields})


def write_run(path: Path, *records: Record) -> Run:
    with Run.open(path, SPEC) as run:
        for stored in records:
            run.append(stored)
    return Run.load(path)


def test_record_is_read_as_written(tmp_path: Path) -> None:
    sample = Sample(
        id='quo"te,"row":é',
        inputs={"audio": [Audio("a.wav", 1.0, 2.5)], "choices": ["a", "b"], "question": "?"},
        target=["x", "y"],
        meta={"speaker": None, "n": 1.5},
        origin="m.jsonl:3",
    )
    outputs = (
        Generation(text="hello", tokens=3),
        Likelihood(logprobs=(-0.1, -2.0)),
        Prediction(values={"angry": 0.1 + 0.2}, scale="probability"),
    )
    original = Record(sample=sample, row=7, key="ab", outputs=outputs, seconds=0.5, attempts=2)
    assert list(write_run(tmp_path, original).records()) == [original]


def test_failure_is_read_as_written(tmp_path: Path) -> None:
    failed = record(error=Failure("AudioError", "no such file"))
    assert list(write_run(tmp_path, failed).records()) == [failed]


def test_unpaired_surrogate_is_replaced(tmp_path: Path) -> None:
    run = write_run(tmp_path, record(outputs=(Generation(text="bad \ud800 good"),)))
    (stored,) = run.records()
    assert stored.outputs == (Generation(text="bad ? good"),)


def test_audio_bytes_are_not_written_to_the_journal(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"audio": [Audio(uri="x.wav", data=b"SECRETBYTES")]})
    write_run(tmp_path, Record(sample=sample, row=0))
    assert b"SECRETBYTES" not in (tmp_path / "outputs.jsonl").read_bytes()


def test_latest_record_of_a_sample_is_used(tmp_path: Path) -> None:
    failed, answered = record(error=Failure("X", "y")), record(outputs=(Generation(text="a"),))
    assert list(write_run(tmp_path, failed, answered).records()) == [answered]


def test_removed_samples_are_left_out(tmp_path: Path) -> None:
    write_run(tmp_path, record("1"), record("2", row=1))
    with Run.open(tmp_path, SPEC) as run:
        id_digests = run.open_index().id_digests()
        run.mark_removed(id_digests - {next(iter(id_digests))})
    assert len(list(Run.load(tmp_path).records())) == 1


def test_a_record_is_on_disk_within_two_tenths_of_a_second(tmp_path: Path) -> None:
    with Run.open(tmp_path, SPEC) as run:
        run.append(record())
        deadline = time.monotonic() + 20 * COMMIT_SECONDS
        while not run.outputs_path.stat().st_size and time.monotonic() < deadline:
            time.sleep(0.01)
        assert run.outputs_path.read_bytes().endswith(b"\n")


def test_partial_last_line_is_removed_on_opening(tmp_path: Path) -> None:
    write_run(tmp_path, record("1"), record("2", row=1))
    with (tmp_path / "outputs.jsonl").open("ab") as file:
        file.write(b'{"id":"3","row":2,"key":"torn')
    run = write_run(tmp_path, record("4", row=3))
    assert [stored.sample.id for stored in run.records()] == ["1", "2", "4"]


def test_damaged_line_loses_only_its_own_sample(tmp_path: Path) -> None:
    write_run(tmp_path, record("1"), record("2", row=1), record("3", row=2))
    lines = (tmp_path / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:30] + b"\x00\x00\n"
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(lines))
    run = Run.load(tmp_path)
    assert [stored.sample.id for stored in run.records()] == ["1", "3"]
    with run.open_index() as index:
        assert index.get("2") is None


def test_different_spec_is_rejected_with_the_difference(tmp_path: Path) -> None:
    write_run(tmp_path, record())
    other = RunSpec(identity={"task": "a", "model": "y"}, spec={})
    with pytest.raises(RunMismatch, match=r"model was 'x', now 'y'.*--fresh"):
        Run.open(tmp_path, other)


def test_first_usable_folder_is_numbered_from_two(tmp_path: Path) -> None:
    taken = {tmp_path / "run", tmp_path / "run-2"}
    assert first_usable(tmp_path / "run", lambda path: path not in taken) == tmp_path / "run-3"
    assert first_usable(tmp_path / "other", lambda path: path not in taken) == tmp_path / "other"
    assert first_usable(tmp_path / "run", lambda path: path != tmp_path / "run") == tmp_path / "run-2"


def test_conflict_is_a_different_run_or_a_load_test(tmp_path: Path) -> None:
    write_run(tmp_path / "run", record())
    spec = Run.load(tmp_path / "run").spec
    assert find_conflict(tmp_path / "run", spec) == ""
    assert find_conflict(tmp_path / "new", spec) == ""
    assert find_conflict(tmp_path / "run", RunSpec(identity={}, spec={})).startswith("model was 'x', now not set")
    (tmp_path / "perf").mkdir()
    (tmp_path / "perf" / "perf.json").write_text("{}")
    assert find_conflict(tmp_path / "perf", spec) == "it is a load test"


def test_run_with_a_spoken_answer_is_not_replaced(tmp_path: Path) -> None:
    write_run(tmp_path, record(outputs=(Generation(text="", audio=Audio(data=b"RIFF....")),)))
    assert find_conflict(tmp_path, RunSpec(identity={}, spec={})).startswith("model was 'x'")


def test_run_with_failures_alone_may_be_replaced_by_a_different_one(tmp_path: Path) -> None:
    failed = replace(record(), outputs=(), error=Failure("Rejected", "HTTP 401"))
    write_run(tmp_path, failed)
    other = RunSpec(identity={"task": "a", "model": "y"}, spec={})
    assert find_conflict(tmp_path, other) == ""
    with Run.open(tmp_path, other) as run:
        assert list(run.records()) == []
    assert Run.load(tmp_path).spec.identity == other.identity


def test_run_with_a_damaged_line_is_not_replaced(tmp_path: Path) -> None:
    write_run(tmp_path, replace(record(), outputs=(), error=Failure("Rejected", "HTTP 401")))
    with (tmp_path / "outputs.jsonl").open("ab") as journal:
        journal.write(b"damaged\n")
    with pytest.raises(RunMismatch):
        Run.open(tmp_path, RunSpec(identity={}, spec={}))


def test_rejected_opening_releases_the_lock(tmp_path: Path) -> None:
    write_run(tmp_path, record())
    with pytest.raises(RunMismatch):
        Run.open(tmp_path, RunSpec(identity={}, spec={}))
    write_run(tmp_path)


def test_two_processes_cannot_write_to_one_run(tmp_path: Path) -> None:
    code = f"""
import sys, time
from pathlib import Path
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
run = Run.open(Path({str(tmp_path)!r}), {SPEC!r})
print("open", flush=True)
sys.stdin.read()
"""
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout
        assert other.stdout.readline() == "open\n"
        with pytest.raises(RunLocked, match=f"Process {other.pid} on .* is writing"):
            Run.open(tmp_path, SPEC)
    finally:
        other.communicate()
    write_run(tmp_path)


def test_a_run_is_locked_while_it_is_open(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    with Run.open(tmp_path / "run", SPEC):
        locked = f"Process {os.getpid()} on {socket.gethostname()} is writing to {tmp_path / 'run'}"
        with pytest.raises(RunLocked, match=locked):
            Run.open(tmp_path / "run", SPEC)
        with pytest.raises(RunLocked, match=locked):
            set_aside(tmp_path / "run")
    assert set_aside(tmp_path / "run") == tmp_path / "run.1"


def test_a_closed_run_refuses_records(tmp_path: Path) -> None:
    run = Run.open(tmp_path, SPEC)
    run.close()
    run.close()
    with pytest.raises(AssertionError, match="read-only"):
        run.append(record())


def test_a_run_whose_folder_is_lost_is_noticed(tmp_path: Path) -> None:
    run = Run.open(tmp_path / "run", SPEC)
    run.check()
    shutil.rmtree(tmp_path / "run")
    assert run._journal
    run._journal._writer.join()  # it ends with the first error
    with pytest.raises(RunDirectoryLost):
        run.check()
    with pytest.raises(RunDirectoryLost):
        run.close()


def test_appended_record_is_returned_unless_it_cannot_be_stored(tmp_path: Path) -> None:
    spoken = record(outputs=(Generation(text="hi", audio=Audio(data=b"RIFF....")),))
    with Run.open(tmp_path, SPEC) as run:
        assert run.append(spoken) is spoken
        assert run.append(record(outputs=(Generation(text="x", tokens=2**70),))).error


def test_numbers_of_a_run_are_read_if_they_are_current(tmp_path: Path) -> None:
    metrics = Metrics(task=TaskFacts("t"), model=ModelFacts("m"))
    (tmp_path / "run").mkdir()
    run = Run(tmp_path / "run", SPEC)
    assert run.read_metrics() is None
    write_metrics(run.path, metrics)
    assert run.read_metrics() == metrics
    run.outputs_path.touch()
    assert run.read_metrics() is None


def test_a_load_test_is_unanswered_if_no_point_of_it_has_an_answer(tmp_path: Path) -> None:
    failed, answered = record(error=Failure("Rejected", "no")), record(outputs=(Generation(text="a"),))
    write_run(tmp_path / "perf" / "1", failed)
    assert not is_unanswered_load_test(tmp_path / "perf"), "not a load test"
    (tmp_path / "perf" / "perf.json").write_text("{}")
    assert is_unanswered_load_test(tmp_path / "perf")
    write_run(tmp_path / "perf" / "2", answered)
    assert not is_unanswered_load_test(tmp_path / "perf")


@pytest.mark.parametrize("name", ["spec.json", "outputs.jsonl", "perf.json"])
def test_a_folder_with_one_file_of_a_run_contains_a_run(tmp_path: Path, name: str) -> None:
    assert not contains_run(tmp_path)
    (tmp_path / name).touch()
    assert contains_run(tmp_path)


def test_folder_without_spec_is_not_a_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Not a run directory: .* \(it has no spec\.json\)"):
        Run.load(tmp_path)


def test_full_disk_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_full(_: int) -> None:
        raise OSError(28, "No space left on device")

    run = Run.open(tmp_path, SPEC)
    monkeypatch.setattr(os, "fsync", raise_full)
    run.append(record())
    with pytest.raises(OSError, match="No space left"):
        run.close()


def test_set_aside_renames_an_earlier_run(tmp_path: Path) -> None:
    write_run(tmp_path / "run", record())
    aside = set_aside(tmp_path / "run")
    assert aside
    assert aside.name == "run.1"
    assert len(list(Run.load(aside).records())) == 1
    assert set_aside(tmp_path / "run") is None
    write_run(tmp_path / "run", record())
    assert set_aside(tmp_path / "run") == tmp_path / "run.2"


def test_journal_lines_are_plain_json(tmp_path: Path) -> None:
    write_run(tmp_path, record(outputs=(Generation(text="ü"),)))
    (line,) = (tmp_path / "outputs.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["outputs"] == [{"kind": "Generation", "text": "ü", "tokens": None}]


def test_journal_without_spec_cannot_be_opened(tmp_path: Path) -> None:
    write_run(tmp_path, record())
    (tmp_path / "spec.json").unlink()
    with pytest.raises(DataError, match=r"has no spec\.json"):
        Run.open(tmp_path, SPEC)


def test_empty_run_may_be_replaced_by_a_different_one(tmp_path: Path) -> None:
    write_run(tmp_path)
    with Run.open(tmp_path, RunSpec(identity={"model": "corrected"}, spec={})) as run:
        assert run.spec.identity == {"model": "corrected"}


@pytest.mark.parametrize("content", [b"{}", b"[]", b"nonsense"])
def test_invalid_spec_file_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "spec.json").write_bytes(content)
    with pytest.raises(DataError, match=r"spec\.json"):
        Run.load(tmp_path)


@pytest.mark.parametrize(
    "line", [b'{"gone":', b'{"id":"1","row":0,"inputs":null}', b'{"id":nonsense,"row":1}', b"7", b"[]"]
)
def test_damaged_lines_are_ignored(tmp_path: Path, line: bytes) -> None:
    write_run(tmp_path, record("0"))
    with (tmp_path / "outputs.jsonl").open("ab") as file:
        file.write(line + b"\n")
    run = Run.load(tmp_path)
    assert [stored.sample.id for stored in run.records()] == ["0"]
    with run.open_index() as index:
        assert index.get("1") is None


def test_load_test_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "perf.json").write_text("{}")
    with pytest.raises(DataError, match=f"contains a load test; `auricle perf {tmp_path}`"):
        Run.load(tmp_path)


def test_lines_that_another_program_rewrote_are_read(tmp_path: Path) -> None:
    with Run.open(tmp_path, SPEC) as run:
        for number in range(6):
            run.append(record(f"s{number}", number))
        run.mark_removed({digest("s5")})
    lines = (tmp_path / "outputs.jsonl").read_text().splitlines()
    rewritten = [json.dumps(json.loads(line), sort_keys=True) if at % 2 else line for at, line in enumerate(lines)]
    rewritten[-1] = json.dumps(json.loads(lines[-1]), indent=None, separators=(" , ", " : "))
    (tmp_path / "outputs.jsonl").write_text("".join(f"{line}\n" for line in rewritten))
    run = Run.load(tmp_path)
    assert [each.sample.id for each in run.records()] == ["s0", "s1", "s2", "s3", "s4"]
    with run.open_index() as index:
        stored = index.get("s3")
        assert stored
        assert stored.row == 3


# --- speech -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "suffix"),
    [(b"RIFF....", ".wav"), (b"fLaC...", ".flac"), (b"OggS...", ".ogg"), (b"ID3...", ".mp3"), (b"\xff\xfb..", ".mp3")],
)
def test_speech_is_stored_under_its_digest_with_the_suffix_of_its_format(
    tmp_path: Path, content: bytes, suffix: str
) -> None:
    audio = Audio(data=content)
    run = write_run(tmp_path / "run", record(outputs=(Generation(text="hi", audio=audio),)))
    (stored,) = run.records()
    (output,) = stored.outputs
    assert isinstance(output, Generation)
    assert output.audio
    assert output.audio.uri == str(tmp_path / "run" / "speech" / f"{audio.hash}{suffix}")
    assert Path(output.audio.uri).read_bytes() == content


def test_equal_speech_is_stored_once(tmp_path: Path) -> None:
    spoken = Generation(text="hi", audio=Audio(data=b"RIFF...."))
    write_run(tmp_path, record("1", outputs=(spoken,)), record("2", 1, outputs=(spoken, spoken)))
    assert len(list((tmp_path / "speech").iterdir())) == 1


def test_speech_in_a_file_of_the_model_is_not_copied(tmp_path: Path) -> None:
    spoken = Generation(text="hi", audio=Audio("/models/answer.wav"))
    (stored,) = write_run(tmp_path, record(outputs=(spoken,))).records()
    assert stored.outputs == (spoken,)
    assert not (tmp_path / "speech").exists()


def test_speech_that_cannot_be_encoded_leaves_its_transcript(tmp_path: Path) -> None:
    broken = Audio(data=np.array([np.nan], np.float32), rate=16_000)
    (stored,) = write_run(tmp_path, record(outputs=(Generation(text="hi", audio=broken),))).records()
    assert stored.outputs == (Generation(text="hi"),)


def test_outputs_without_speech_are_stored_beside_spoken_ones(tmp_path: Path) -> None:
    others = (Generation(text="written"), Prediction(values={"a": 1.0}, scale="logit"))
    spoken = Generation(text="spoken", audio=Audio(data=b"RIFF one"))
    (stored,) = write_run(tmp_path, record(outputs=(*others, spoken))).records()
    assert stored.outputs[:2] == others
    audio = stored.outputs[2].audio  # type: ignore[union-attr]
    assert audio is not None
    assert audio.path
    assert audio.path.read_bytes() == b"RIFF one"


def test_speech_of_an_earlier_pass_is_stored_under_the_same_name(tmp_path: Path) -> None:
    (first,) = write_run(tmp_path, record(outputs=(Generation(text="a", audio=Audio(data=b"RIFF one")),))).records()
    (second,) = write_run(tmp_path, first).records()
    assert second == first
    assert len([*(tmp_path / "speech").iterdir()]) == 1


def test_open_run_moves_damaged_lines_and_accepts_further_records(tmp_path: Path) -> None:
    write_run(tmp_path, record("a"), record("b"))
    journal = tmp_path / "outputs.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"damaged\n" + lines[1])
    with Run.open(tmp_path, SPEC) as run:
        run.append(record("e"))
        assert [stored.sample.id for stored in run.records()] == ["b", "e"]
        assert [(line.line, line.file) for line in run.moved_lines] == [(1, "outputs.jsonl")]
        run.append(record("c"))
        run.flush()
        run.append(record("d"))
    assert [stored.sample.id for stored in Run.load(tmp_path).records()] == ["b", "e", "c", "d"]
    assert (tmp_path / "outputs.damaged.jsonl").read_bytes() == b"damaged\n"


def test_loaded_run_with_damaged_lines_is_not_changed(tmp_path: Path) -> None:
    run = write_run(tmp_path, record("a"))
    with run.outputs_path.open("ab") as file:
        file.write(b"damaged\n")
    content = run.outputs_path.read_bytes()
    assert [stored.sample.id for stored in run.records()] == ["a"]
    assert run.moved_lines == ()
    assert run.outputs_path.read_bytes() == content
    run.check()


# --- durability -------------------------------------------------------------------


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Collect the files and folders that are written to disk."""
    paths: list[Path] = []
    fsync = os.fsync

    def record_and_sync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        assert path.is_dir() or path.stat().st_size, "nothing was written yet"
        paths.append(path)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record_and_sync)
    return paths


def test_new_journal_and_its_lines_are_on_disk(tmp_path: Path, synced: list[Path]) -> None:
    with Run.open(tmp_path / "run", SPEC) as run:
        assert tmp_path / "run" in synced
        synced.clear()
        run.append(record())
        run.flush()
        assert synced == [run.outputs_path]


def test_damaged_lines_are_on_disk_before_they_leave_the_journal(tmp_path: Path, synced: list[Path]) -> None:
    write_run(tmp_path, record("a"))
    with (tmp_path / "outputs.jsonl").open("ab") as file:
        file.write(b"damaged\n")
    with Run.open(tmp_path, SPEC) as run:
        synced.clear()
        run.open_index().close()
        assert synced[0] == tmp_path / "outputs.damaged.jsonl"
        assert tmp_path in synced


def test_renaming_a_run_is_on_disk(tmp_path: Path, synced: list[Path]) -> None:
    write_run(tmp_path / "run", record())
    synced.clear()
    assert set_aside(tmp_path / "run") == tmp_path / "run.1"
    assert synced == [tmp_path]
