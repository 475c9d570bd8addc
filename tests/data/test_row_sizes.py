"""Bytes of rows, from the beginning of a file."""

import gzip
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.data import row_sizes
from auricle.data.row_sizes import measure_row_size
from tests.support.tar_shards import write_tar


def estimate_rows(path: Path) -> int:
    size = path.stat().st_size
    row_size = measure_row_size(str(path), size)
    assert row_size is not None
    return round(size / row_size)


def test_rows_of_small_files_are_counted(tmp_path: Path) -> None:
    members = [(f"{row}.{field}", b"x" * 50) for row in range(7) for field in ("txt", "json")]
    assert estimate_rows(write_tar(tmp_path / "a.tar", members)) == 7
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"id": 1}\n' * 30))
    assert estimate_rows(tmp_path / "a.jsonl.gz") == 30
    (tmp_path / "a.csv").write_text("id,text\n" + "1,x\n" * 12)
    assert estimate_rows(tmp_path / "a.csv") == 12


def test_only_the_beginning_of_a_large_tar_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_sizes, "INSPECTED_ROWS", 20)
    path = write_tar(tmp_path / "a.tar", [(f"{row}.flac", b"x" * 5000) for row in range(300)])
    assert estimate_rows(path) == pytest.approx(300, rel=0.02)


def test_a_damaged_compressed_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(b"this is no gzip file")
    with pytest.raises(DataError, match=r"a\.jsonl\.gz is not a gzip file"):
        estimate_rows(tmp_path / "a.jsonl.gz")


def test_other_formats_are_unknown(tmp_path: Path) -> None:
    assert measure_row_size(str(tmp_path / "a.lst"), 10) is None
