"""Appending to journals and reading them after a crash."""

import json
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.core.checked_lines import add_checksum
from auricle.core.errors import RunDirectoryLost
from auricle.core.serialization import decode_record, digest
from auricle.core.types import Generation, Record, Sample
from auricle.media import Audio
from auricle.runs import journal as journal_module
from auricle.runs.health import DamagedLine
from auricle.runs.journal import (
    Journal,
    JournalIndex,
    encode_record_line,
    encode_removal,
    encode_storable,
    iter_journal,
    move_damaged_lines,
    read_latest,
    read_lines,
    read_record,
    truncate_partial_line,
)
from tests.support.journal_lines import encode_line


def test_lines_are_written_in_order(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    lines = [f"line {number}\n".encode() for number in range(1000)]
    for line in lines:
        journal.append(line)
    journal.close()
    assert path.read_bytes() == b"".join(lines)


def test_lines_are_appended_to_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for line in (b"first\n", b"second\n"):
        journal = Journal(path)
        journal.append(line)
        journal.close()
    assert list(read_lines(path)) == [(0, b"first\n"), (6, b"second\n")]


def test_write_error_is_raised_on_close(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_full(_: int) -> None:
        raise OSError(28, "No space left on device")

    journal = Journal(tmp_path / "journal")
    monkeypatch.setattr(os, "fsync", raise_full)
    journal.append(b"line\n")
    with pytest.raises(OSError, match="No space left"):
        journal.close()


def test_the_name_of_a_new_file_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("auricle.runs.journal.fsync_folder", synced.append)
    for _ in range(2):
        Journal(tmp_path / "journal").close()
    assert synced == [tmp_path]


def test_an_open_journal_does_not_keep_python_from_ending(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    writers = [thread for thread in threading.enumerate() if thread.name == "auricle-journal"]
    assert writers
    assert all(thread.daemon for thread in writers)
    journal.close()


def lose_by_deleting(folder: Path) -> None:
    shutil.rmtree(folder)


def lose_by_moving(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def lose_by_replacing(folder: Path) -> None:
    lose_by_moving(folder)
    folder.mkdir()
    (folder / "journal").touch()


@pytest.mark.parametrize("lose", [lose_by_deleting, lose_by_moving, lose_by_replacing])
def test_lost_folder_is_noticed_although_nothing_is_appended(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    journal = Journal(folder / "journal")
    journal.check()
    lose(folder)
    journal._writer.join()  # it ends with the first error
    with pytest.raises(RunDirectoryLost, match=r"run/journal was deleted, moved or replaced"):
        journal.check()
    with pytest.raises(RunDirectoryLost):
        journal.append(b"line\n")
    with pytest.raises(RunDirectoryLost):
        journal.close()


def test_partial_last_line_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"one\ntwo\nthr")
    assert [line for _, line in read_lines(path)] == [b"one\n", b"two\n"]
    assert list(read_lines(tmp_path / "missing")) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", b""),
        (b"partial", b""),
        (b"a\nb", b"a\n"),
        (b"a\n", b"a\n"),
        (b"a\n" + b"x" * 99, b"a\n"),
        (b"ab\ncd\nxxxxxx", b"ab\ncd\n"),
    ],
)
def test_truncation_keeps_complete_lines(tmp_path: Path, content: bytes, expected: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(content)
    truncate_partial_line(path, block=7)
    assert path.read_bytes() == expected


def make_record(sample_id: str, audio: Audio | None = None) -> Record:
    sample = Sample(id=sample_id, inputs={"text": "x"})
    return Record(sample=sample, row=0, outputs=(Generation(text="yes", audio=audio),))


def test_lines_of_a_journal_are_records_and_removals(tmp_path: Path) -> None:
    first, second = encode_record_line(make_record("a")), encode_record_line(make_record("b"))
    (tmp_path / "outputs.jsonl").write_bytes(first + second + encode_removal(digest("a")))
    lines = list(iter_journal(tmp_path / "outputs.jsonl"))
    assert [line.offset for line in lines] == [0, len(first), len(first) + len(second)]
    assert not any(line.damage for line in lines)
    assert [line.record and line.record.sample.id for line in lines] == ["a", "b", None]


@pytest.mark.parametrize(
    "content", [b"\xff\n", b"{}\n", b"[]\n", b'{"gone":\n', b'{"gone":"x"}\n', b'{"id":3,"row":0}\n']
)
def test_damaged_line_is_neither_a_record_nor_a_removal(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "outputs.jsonl").write_bytes(content)
    (line,) = iter_journal(tmp_path / "outputs.jsonl")
    assert line.damage
    assert line.record is None


def test_spoken_output_has_an_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_bytes(encode_record_line(make_record("a", Audio("speech/x.wav"))))
    (line,) = iter_journal(tmp_path / "outputs.jsonl")
    record = line.record
    assert record is not None
    (output,) = record.outputs
    assert isinstance(output, Generation)
    assert output.audio == Audio(str(tmp_path / "speech" / "x.wav"))


def test_line_is_read_from_its_offset(tmp_path: Path) -> None:
    first = encode_record_line(make_record("a"))
    (tmp_path / "outputs.jsonl").write_bytes(first + encode_record_line(make_record("b")))
    record = read_record(tmp_path / "outputs.jsonl", len(first))
    assert record is not None
    assert record.sample.id == "b"
    assert read_record(tmp_path / "outputs.jsonl", 5) is None


def test_spoken_output_of_a_line_that_is_read_from_its_offset_has_an_absolute_path(tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_bytes(encode_record_line(make_record("a", Audio("speech/x.wav"))))
    record = read_record(tmp_path / "outputs.jsonl", 0)
    assert record is not None
    assert record.outputs == (Generation(text="yes", audio=Audio(str(tmp_path / "speech" / "x.wav"))),)


def test_record_that_cannot_be_stored_fails_and_keeps_its_sample() -> None:
    record = replace(make_record("a"), outputs=(Generation(text="yes", tokens=2**70),))
    line, stored = encode_storable(record)
    assert decode_record(json.loads(line)) == stored
    assert (stored.sample, stored.outputs) == (record.sample, ())
    assert stored.error
    assert stored.error.message.startswith("the result cannot be stored: ")


def test_sample_that_cannot_be_stored_keeps_its_id() -> None:
    sample = Sample(id="a", inputs={"text": "x"}, meta={"number": 2**70}, origin="data.jsonl:1")
    _, stored = encode_storable(replace(make_record("a"), sample=sample))
    assert stored.sample == Sample(id="a", inputs={}, origin="data.jsonl:1")
    assert stored.error


def test_record_that_can_be_stored_is_returned_unchanged() -> None:
    record = make_record("a")
    assert encode_storable(record) == (encode_record_line(record), record)


def test_damaged_lines_are_moved_and_the_others_kept(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    intact = [encode_record_line(make_record(name)) for name in "ab"]
    path.write_bytes(intact[0] + b"damaged\n" + intact[1])
    with JournalIndex(path) as index:
        aside = move_damaged_lines(path, index.damaged)
    assert (path.read_bytes(), aside.read_bytes()) == (b"".join(intact), b"damaged\n")
    assert aside.name == "outputs.damaged.jsonl"
    assert not JournalIndex(path).damaged


def test_lines_of_an_unknown_kind_are_named(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(add_checksum(b'{"other":1}\n'))
    with JournalIndex(path) as index:
        assert index.damaged == [DamagedLine(1, "is neither a record nor a removal")]
        assert len(index) == 0


def test_records_with_fields_of_a_wrong_type_are_named(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    intact = encode_record_line(make_record("a"))
    wrong = json.loads(encode_record_line(make_record("b")))
    wrong = {name: None if name == "inputs" else value for name, value in wrong.items() if name != "crc"}
    path.write_bytes(intact + add_checksum(json.dumps(wrong, separators=(",", ":")).encode() + b"\n"))
    with JournalIndex(path) as index:
        assert [record.sample.id for record in index.records()] == ["a"]
        assert index.damaged == [DamagedLine(2, "has fields of a wrong type")]


# --- one pass over a journal ---------------------------------------------------------------------


class Texts:
    """The answer and the offset of every record that a pass reads."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.offsets: list[int] = []

    def add(self, offsets: Sequence[int], documents: Sequence[dict[str, Any]]) -> None:
        answers = [document["outputs"][0]["text"].strip() for document in documents]
        self.answers += answers
        self.offsets += offsets


def answer(sample_id: str, text: Any) -> bytes:
    return encode_line(json.loads(encode_record_line(make_record(sample_id))) | {"outputs": [{"text": text}]})


@pytest.fixture(params=[1, 1 << 17], ids=["line by line", "in one block"])
def journal_path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(journal_module, "BLOCK_BYTES", request.param)
    return tmp_path / "outputs.jsonl"


def test_one_pass_names_the_last_record_of_each_sample_in_the_order_of_completion(journal_path: Path) -> None:
    lines = [answer("a", "failed"), answer("b", "two"), answer("a", "one"), b'{"id":"being written"']
    journal_path.write_bytes(b"".join(lines))
    texts = Texts()
    latest = read_latest(journal_path, texts.add)
    assert [texts.answers[position] for position in latest.positions.values()] == ["two", "one"]
    assert texts.offsets == [0, len(lines[0]), len(lines[0] + lines[1])]
    assert (list(latest.positions), latest.count, latest.damaged_lines) == (["b", "a"], 3, 0)


def test_one_pass_leaves_out_removed_samples_until_they_are_answered_again(journal_path: Path) -> None:
    removals = encode_removal(digest("a")) + encode_removal(digest("c")) + encode_removal(digest("unknown"))
    both = answer("a", "one") + answer("b", "two") + answer("c", "three")
    journal_path.write_bytes(both + removals + answer("c", "again") + answer("d", "four") + encode_removal(digest("d")))
    texts = Texts()
    latest = read_latest(journal_path, texts.add)
    assert {name: texts.answers[position] for name, position in latest.positions.items()} == {"b": "two", "c": "again"}
    assert latest.damaged_lines == 0


def test_one_pass_counts_lines_that_cannot_be_read_and_stores_nothing_of_them(journal_path: Path) -> None:
    damaged = [b"\xff\n", encode_line({"id": 3}), encode_line({"gone": "x"}), answer("b", 3)]
    journal_path.write_bytes(answer("a", "one") + answer("b", "two") + b"".join(damaged) + answer("c", "three"))
    texts = Texts()
    latest = read_latest(journal_path, texts.add)
    assert latest.damaged_lines == 4
    assert texts.answers == ["one", "two", "three"]
    assert list(latest.positions) == ["a", "c"]  # the latest record of b cannot be read


def test_one_pass_stops_at_the_maximum_number_of_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "BLOCK_BYTES", 1)
    path = tmp_path / "outputs.jsonl"
    path.write_bytes(b"".join(answer(name, name) for name in "abcde"))
    assert list(read_latest(path, Texts().add, max_samples=2).positions) == ["a", "b"]
    assert not read_latest(tmp_path / "missing", Texts().add).positions
