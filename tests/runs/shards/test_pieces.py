"""Files of lines as immutable pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.files import write_atomically
from auricle.core.local_storage import LocalStorage
from auricle.runs.shards import pieces as pieces_module
from auricle.runs.shards.completions import StoredFile, digest_content
from auricle.runs.shards.pieces import PieceWriter, open_stored_file, split_piece_name


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path / "store", create_folder=True)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "outputs.jsonl"


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


def read(storage: LocalStorage, file: StoredFile) -> bytes:
    with open_stored_file(storage, file) as content:
        return content.read()


def test_pieces_consist_of_complete_lines(storage: LocalStorage, journal: Path) -> None:
    writer = PieceWriter(storage, "e/outputs.jsonl", journal)
    writer.store(writer.end)
    append(journal, b"a\nb\nincompl")
    writer.store(writer.end)
    append(journal, b"ete\n")
    writer.store(writer.end)
    assert [storage.read(path) for path in writer.pieces] == [b"a\nb\n", b"incomplete\n"]
    file = writer.finish("outputs.jsonl")
    assert file.pieces == ("e/outputs.jsonl.00000", "e/outputs.jsonl.00001")
    assert (file.size, file.digest) == (15, digest_content(journal.read_bytes()))
    assert read(storage, file) == journal.read_bytes()


def test_only_lines_up_to_a_position_are_stored(storage: LocalStorage, journal: Path) -> None:
    append(journal, b"a\n")
    writer = PieceWriter(storage, "e/outputs.jsonl", journal)
    end = writer.end
    append(journal, b"b\n")
    writer.store(end)
    assert [storage.read(path) for path in writer.pieces] == [b"a\n"]
    assert writer.pending == 2


def test_a_file_is_cut_into_pieces_of_a_limited_size(
    storage: LocalStorage, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces_module, "PIECE_BYTES", 4)
    append(journal, b"a\nb\nc\na line that is longer than a piece\nd\n")
    writer = PieceWriter(storage, "e/outputs.jsonl", journal)
    file = writer.finish("outputs.jsonl")
    assert storage.read(writer.pieces[0]) == b"a\nb\n"
    assert read(storage, file) == journal.read_bytes()


def test_restored_pieces_are_not_stored_again(storage: LocalStorage, journal: Path) -> None:
    storage.write("1/outputs.jsonl.00000", b"a\n")
    append(journal, b"a\n")
    writer = PieceWriter(storage, "2/outputs.jsonl", journal, ["1/outputs.jsonl.00000"])
    append(journal, b"b\n")
    assert writer.finish("outputs.jsonl").pieces == ("1/outputs.jsonl.00000", "2/outputs.jsonl.00000")


def test_a_file_whose_damaged_lines_were_removed_is_stored_whole(storage: LocalStorage, journal: Path) -> None:
    append(journal, b"a\ndamaged\n")
    writer = PieceWriter(storage, "e/outputs.jsonl", journal)
    writer.store(writer.end)
    write_atomically(journal, b"a\n")
    append(journal, b"b\n")
    writer.store(writer.end)
    file = writer.finish("outputs.jsonl")
    assert file.pieces == ("e/outputs.jsonl",)
    assert read(storage, file) == b"a\nb\n"


def test_an_empty_file_has_no_pieces(storage: LocalStorage, journal: Path) -> None:
    journal.touch()
    file = PieceWriter(storage, "e/outputs.jsonl", journal).finish("outputs.jsonl")
    assert (file.size, file.pieces) == (0, ())
    assert read(storage, file) == b""


def test_what_was_appended_after_the_completion_is_not_read(storage: LocalStorage) -> None:
    storage.write("a", b"12345")
    assert read(storage, StoredFile(name="x", size=3, digest="", pieces=("a",))) == b"123"


@pytest.mark.parametrize("name", ["outputs.jsonl", "sums.bin.00001", "outputs.jsonl.1"])
def test_other_names_are_no_pieces(name: str) -> None:
    assert split_piece_name(name) is None
