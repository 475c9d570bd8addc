"""Rows of manifest files."""

import json
import os
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from auricle import Sample
from auricle.core.errors import DataError
from auricle.core.types import RejectedRow
from auricle.data import ColumnMapping, Manifest
from auricle.data.file_formats import Row, count_rows, file_revision, list_suffixes, read_rows, sniff_delimiter

ASR = ColumnMapping(target_columns=("text", "answer"), default_question="Write it down.")


def samples(path: Any, fields: Any = ASR, **options: Any) -> Any:
    return list(Manifest(path, fields, **options))


def test_blank_lines_keep_line_numbers(manifest: Any) -> None:
    (row,) = samples(manifest(["", "", {"audio": "a", "text": "x"}]))
    assert row.origin == "mine.jsonl:3"


def test_ragged_csv_rows_are_rejected_by_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,audio,text\n1,a.wav,x\n2,b.wav\n3,c.wav,y,z\n")
    assert [type(item) for item in samples(path)] == [Sample, RejectedRow, RejectedRow]


def test_tsv_with_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("﻿id\taudio\ttext\n1\ta.wav\thello, you\n", encoding="utf-8")
    (sample,) = samples(path)
    assert (sample.id, sample.target) == ("1", "hello, you")


def test_json_array_and_json_lines_are_read_from_json_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('[{"a": 1},\n {"a": 2}, 3]')
    first, second, third = read_rows(path)
    assert (first, second) == (Row("mine.json:1", {"a": 1}), Row("mine.json:2", {"a": 2}))
    assert third == RejectedRow("mine.json:3", "expected a JSON object, got int")
    assert count_rows(path) == 3
    path.write_text('{"a": 1}\n{"a": 2}\n')
    assert [row.origin for row in read_rows(path)] == ["mine.json:1", "mine.json:2"]


@pytest.mark.parametrize("content", ['{"version": 1, "data": [{"a": 1}]}', '{"a": 1}'])
def test_json_array_may_be_under_data_and_an_object_is_one_row(content: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(content)
    assert list(read_rows(path)) == [Row("mine.json:1", {"a": 1})]


def test_broken_json_array_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('[{"a": 1},')
    with pytest.raises(DataError, match="neither a JSON array nor JSON lines"):
        list(read_rows(path))


def test_rows_are_counted_without_parsing_them(manifest: Any, tmp_path: Path) -> None:
    assert count_rows(manifest([{"a": 1}] * 7)) == 7
    path = tmp_path / "no-newline.csv"
    path.write_text("id\n1\n2")
    assert count_rows(path) == 2


def test_revision_changes_with_the_content(manifest: Any) -> None:
    first = file_revision(manifest([{"a": 1}]))
    assert file_revision(manifest([{"a": 2}])) != first


def test_rows_are_read_lazily(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("w") as file:
        file.write(json.dumps({"a": 1}) + "\n" + "{broken\n" * 100_000)
    row = next(read_rows(path))
    assert isinstance(row, Row)
    assert row.values == {"a": 1}


def test_an_empty_csv_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("")
    assert len(Manifest(path, ASR)) == 0
    with pytest.raises(DataError, match="has no rows"):
        Manifest(path, ASR).validate()


def test_long_cells_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"id,audio,text\n1,a.wav,{'x' * 200_000}\n")
    (sample,) = samples(path)
    assert len(sample.target) == 200_000


def test_bytes_that_are_not_utf_8_cost_only_their_row(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes("id,audio,text\n1,a.wav,caf\n2,a.wav,caf\xe9\n3,a.wav,猫\n".encode("latin-1", "backslashreplace"))
    first, second, third = read_rows(path)
    assert (type(first), type(third)) == (Row, Row)
    assert second == RejectedRow("mine.csv:3", "not UTF-8 text")


def test_a_value_that_cannot_be_converted_costs_only_its_row(tmp_path: Path) -> None:
    texts = pyarrow.Array.from_buffers(
        pyarrow.string(),
        3,
        [None, *(pyarrow.py_buffer(data) for data in (b"\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", b"a\xffc"))],
    )
    path = tmp_path / "mine.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), path)
    first, second, third = read_rows(path)
    assert (first, third) == (Row("mine.parquet:1", {"text": "a"}), Row("mine.parquet:3", {"text": "c"}))
    assert isinstance(second, RejectedRow)
    assert second.reason.startswith("invalid value (UnicodeDecodeError")


def test_media_in_a_parquet_file_can_be_left_unread(tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    sound = {"bytes": b"RIFF", "path": "a.wav"}
    pyarrow.parquet.write_table(pyarrow.table({"audio": [sound], "image": [b"PNG"], "answer": [2]}), path)
    assert list(read_rows(path, skip_binary=True)) == [Row("mine.parquet:1", {"answer": 2})]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "parquet"])
def test_a_named_pipe_a_folder_and_a_missing_file_are_refused(tmp_path: Path, suffix: str) -> None:
    os.mkfifo(tmp_path / f"pipe.{suffix}")
    (tmp_path / f"folder.{suffix}").mkdir()
    for name, message in [
        (f"pipe.{suffix}", r"Cannot read '.*pipe\..*': not a regular file\."),
        (f"folder.{suffix}", "Not a file but a folder"),
        (f"gone.{suffix}", "No such file"),
        (f"a\0b.{suffix}", r"a\\x00b\..*': embedded null byte"),
    ]:
        for read in (read_rows, count_rows, file_revision):
            with pytest.raises(DataError, match=message):
                read(tmp_path / name)


def test_an_error_does_not_quote_the_file(tmp_path: Path) -> None:
    for suffix in ("jsonl", "json", "parquet"):
        path = tmp_path / f"secret.{suffix}"
        path.write_bytes(b"SECRET:$y$j9T:19000::\nSECRET\xff:x\n" * 2)
        with pytest.raises(DataError) as caught:
            Manifest(path, ASR).validate()
        assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2,5\n3;4,5\n", ";"),
        ("a;b, c\n1;2\n3;4\n", ";"),
        ("a|b\n1|2\n", "|"),
        ("a\tb\n1\t2\n", "\t"),
        ('a,b\n"x;y;z",2\n', ","),
        ('a;b\n"two\nlines";2\n', ";"),
        ("a;b;c\n1;2;3\n1;2;3;4\n1;2;3\n", ";"),
        ("audio\na.wav\n", ","),
        ("", ","),
    ],
)
def test_delimiter_is_the_one_that_splits_rows_like_the_header(text: str, delimiter: str) -> None:
    assert sniff_delimiter(text.encode()) == delimiter


def test_semicolons_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("audio;text\na.wav;one, two\n", encoding="utf-8-sig")
    (row,) = read_rows(tmp_path / "mine.csv")
    assert isinstance(row, Row)
    assert row.values == {"audio": "a.wav", "text": "one, two"}


def test_formats_of_features_are_read_and_listed_after_those_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.rttm"
    path.write_text("SPEAKER a 1 0.0 1.0 <NA> <NA> anna <NA> <NA>\nSPEAKER b 1 0.0 1.0 <NA> <NA> ben <NA> <NA>\n")
    assert [row.origin for row in read_rows(path)] == ["a.rttm:a", "a.rttm:b"]
    assert count_rows(path) == 2
    assert list_suffixes().index(".tar") < list_suffixes().index(".rttm")


def test_a_file_of_another_format_is_refused_with_the_formats_that_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Supported suffixes: \.jsonl, .*\.tar, .*\.lst"):
        read_rows(tmp_path / "a.docx")
