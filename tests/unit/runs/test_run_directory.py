"""The run directory: appended, resumed, repaired, locked."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Generation, Likelihood, Prediction, Sample
from auricle.core.errors import DataError, RunLocked, RunMismatch
from auricle.core.files import COMMIT_SECONDS, truncate_partial_line
from auricle.core.types import Failure, Record
from auricle.runs.run_directory import Run, set_aside

SPEC = {"identity": {"task": "a", "model": "x"}, "spec": {}}


def record(name: str = "1", row: int = 0, **given: Any) -> Any:
    sample = Sample(id=name, inputs={"question": "what?"}, target="that", meta={"k": 1})
    return Record(**{"sample": sample, "row": row, "key": "k1", **given})


def opened(path: Any, *records: Any) -> Any:
    with Run.open(path, SPEC) as run:
        for each in records:
            run.append(each)
    return Run.load(path)


def test_a_record_survives_the_disk(tmp_path: Path) -> None:
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
    kept = Record(sample=sample, row=7, key="ab", outputs=outputs, seconds=0.5, attempts=2)
    (found,) = opened(tmp_path, kept).records()
    assert found == kept


def test_a_failure_survives_the_disk(tmp_path: Path) -> None:
    kept = record(error=Failure("AudioError", "no such file"))
    assert list(opened(tmp_path, kept).records()) == [kept]


def test_half_a_surrogate_pair_does_not_stop_a_run(tmp_path: Path) -> None:
    run = opened(tmp_path, record(outputs=(Generation(text="bad \ud800 good"),)))
    (found,) = run.records()
    assert found.outputs[0].text == "bad ? good"


def test_sound_bytes_never_enter_the_journal(tmp_path: Path) -> None:
    sample = Sample(id="1", inputs={"audio": [Audio(uri="x.wav", data=b"SECRETBYTES")]})
    opened(tmp_path, Record(sample=sample, row=0))
    assert b"SECRETBYTES" not in (tmp_path / "outputs.jsonl").read_bytes()


def test_the_latest_record_of_a_sample_counts(tmp_path: Path) -> None:
    failed, answered = record(error=Failure("X", "y")), record(outputs=(Generation(text="a"),))
    assert list(opened(tmp_path, failed, answered).records()) == [answered]


def test_samples_that_left_the_data_are_left_out(tmp_path: Path) -> None:
    opened(tmp_path, record("1"), record("2", row=1))
    with Run.open(tmp_path, SPEC) as run:
        held = run.open_index()
        run.mark_removed(held.id_digests() - {next(iter(held.id_digests()))})
    assert len(list(Run.load(tmp_path).records())) == 1


def test_a_record_is_on_disk_within_two_tenths_of_a_second(tmp_path: Path) -> None:
    with Run.open(tmp_path, SPEC) as run:
        run.append(record())
        deadline = time.monotonic() + 20 * COMMIT_SECONDS
        while not run.outputs_path.stat().st_size and time.monotonic() < deadline:
            time.sleep(0.01)
        assert run.outputs_path.read_bytes().endswith(b"\n")


def test_a_torn_last_line_is_cut_on_opening(tmp_path: Path) -> None:
    opened(tmp_path, record("1"), record("2", row=1))
    with (tmp_path / "outputs.jsonl").open("ab") as file:
        file.write(b'{"id":"3","row":2,"key":"torn')
    run = opened(tmp_path, record("4", row=3))
    assert [each.sample.id for each in run.records()] == ["1", "2", "4"]


@pytest.mark.parametrize(
    ("content", "left"), [(b"", b""), (b"torn", b""), (b"a\nb", b"a\n"), (b"a\n", b"a\n"), (b"a\n" + b"x" * 99, b"a\n")]
)
def test_cutting_leaves_whole_lines(tmp_path: Path, content: Any, left: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(content)
    truncate_partial_line(path, block=7)
    assert path.read_bytes() == left


def test_a_damaged_line_in_the_middle_costs_only_itself(tmp_path: Path) -> None:
    opened(tmp_path, record("1"), record("2", row=1), record("3", row=2))
    lines = (tmp_path / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:30] + b"\x00\x00\n"
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(lines))
    run = Run.load(tmp_path)
    assert [each.sample.id for each in run.records()] == ["1", "3"]
    with run.open_index() as held:
        assert held.get("2") is None


def test_another_spec_is_refused_with_what_differs(tmp_path: Path) -> None:
    opened(tmp_path, record())
    other = {"identity": {"task": "a", "model": "y"}, "spec": {}}
    with pytest.raises(RunMismatch, match=r"model was 'x', now 'y'.*--fresh"):
        Run.open(tmp_path, other)


def test_a_refused_opening_leaves_the_lock_free(tmp_path: Path) -> None:
    opened(tmp_path, record())
    with pytest.raises(RunMismatch):
        Run.open(tmp_path, {"identity": {}, "spec": {}})
    opened(tmp_path)


def test_two_processes_cannot_write_to_one_run(tmp_path: Path) -> None:
    code = f"""
import sys, time
from pathlib import Path
from auricle.runs.run_directory import Run
run = Run.open(Path({str(tmp_path)!r}), {SPEC!r})
print("open", flush=True)
sys.stdin.read()
"""
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(RunLocked, match=f"Process {other.pid} is writing"):
            Run.open(tmp_path, SPEC)
    finally:
        other.communicate()
    opened(tmp_path)


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is no run: it has no spec\.json"):
        Run.load(tmp_path)


def test_a_full_disk_is_told_not_swallowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Any) -> None:
        raise OSError(28, "No space left on device")

    run = Run.open(tmp_path, SPEC)
    monkeypatch.setattr(os, "fsync", full)
    run.append(record())
    with pytest.raises(OSError, match="No space left"):
        run.close()


def test_an_earlier_run_is_set_aside_not_deleted(tmp_path: Path) -> None:
    opened(tmp_path / "run", record())
    aside = set_aside(tmp_path / "run")
    assert aside.name == "run.1"
    assert len(list(Run.load(aside).records())) == 1
    assert set_aside(tmp_path / "run") is None


def test_journal_lines_are_plain_json(tmp_path: Path) -> None:
    opened(tmp_path, record(outputs=(Generation(text="ü"),)))
    (line,) = (tmp_path / "outputs.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["outputs"] == [{"kind": "Generation", "text": "ü", "tokens": None}]


def test_a_journal_whose_spec_is_gone_is_nobodys(tmp_path: Path) -> None:
    opened(tmp_path, record())
    (tmp_path / "spec.json").unlink()
    with pytest.raises(DataError, match=r"has no spec\.json"):
        Run.open(tmp_path, SPEC)


def test_a_run_that_answered_nothing_may_be_begun_anew(tmp_path: Path) -> None:
    opened(tmp_path)
    with Run.open(tmp_path, {"identity": {"model": "corrected"}, "spec": {}}) as run:
        assert run.spec["identity"] == {"model": "corrected"}


@pytest.mark.parametrize("content", [b"{}", b"[]", b"nonsense"])
def test_a_spec_that_is_none_is_told_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "spec.json").write_bytes(content)
    with pytest.raises(DataError, match=r"spec\.json"):
        Run.load(tmp_path)


@pytest.mark.parametrize(
    "line", [b'{"gone":', b'{"id":"1","row":0,"inputs":null}', b'{"id":nonsense,"row":1}', b"7", b"[]"]
)
def test_any_damaged_line_counts_as_never_written(tmp_path: Path, line: bytes) -> None:
    opened(tmp_path, record("0"))
    with (tmp_path / "outputs.jsonl").open("ab") as file:
        file.write(line + b"\n")
    run = Run.load(tmp_path)
    assert [each.sample.id for each in run.records()] == ["0"]
    with run.open_index() as held:
        assert held.get("1") is None


def test_a_measurement_is_told_from_a_run(tmp_path: Path) -> None:
    (tmp_path / "perf.json").write_text("{}")
    with pytest.raises(DataError, match=f"`auricle perf {tmp_path}` sums up again"):
        Run.load(tmp_path)
