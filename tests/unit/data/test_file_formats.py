"""Rows of manifest files."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Sample
from auricle.core.errors import DataError
from auricle.core.types import RejectedRow
from auricle.data import ColumnMapping, Manifest
from auricle.data.file_formats import Row, count_rows, file_revision, read_rows

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
