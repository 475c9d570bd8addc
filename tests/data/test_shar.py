"""Lhotse Shar without lhotse."""

import gzip
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.storage import open_storage
from auricle.core.types import RejectedRow
from auricle.data.data_files import RemoteFile
from auricle.data.file_formats import Row, read_rows
from auricle.data.shar import is_shar_cuts, read_cuts
from auricle.data.sources import DataSource
from tests.support.tar_shards import write_shar, write_tar


def test_cuts_are_paired_with_their_recordings(tmp_path: Path) -> None:
    folder = write_shar(tmp_path, ["one", "two", "three", "four"])
    first, second, third = read_rows(folder / "cuts.000000.jsonl.gz")
    assert isinstance(second, Row)
    audio = second.values["audio"]
    assert audio["path"].startswith(f"{tmp_path}/recording.000000.tar#utt-1.x.flac@")
    assert {**second.values, "audio": 0} == {
        "id": "utt-1.x",
        "duration": 0.1,
        "text": "two",
        "speaker": "anna",
        "language": "en",
        "dialect": "x",
        "snr": 12.5,
        "audio": 0,
    }
    assert first.origin == "cuts.000000.jsonl.gz:1"
    assert third.origin == "cuts.000000.jsonl.gz:3"


def test_a_folder_of_shar_is_read_by_its_cuts(tmp_path: Path) -> None:
    folder = write_shar(tmp_path, ["one", "two", "three", "four"])
    assert [Path(file.location).name for file in DataSource(f"{folder}/").files] == [
        "cuts.000000.jsonl.gz",
        "cuts.000001.jsonl.gz",
    ]


def test_a_cut_without_a_recording_is_rejected(tmp_path: Path) -> None:
    rows = [*read_cuts(write_shar(tmp_path, ["one", "two", "three"], missing=1) / "cuts.000000.jsonl.gz")]
    assert rows[1] == RejectedRow("cuts.000000.jsonl.gz:2", "cut 'utt-1.x' has no recording")
    assert isinstance(rows[2], Row)


def test_recordings_of_other_cuts_are_refused(tmp_path: Path) -> None:
    cuts = write_shar(tmp_path, ["one", "two"]) / "cuts.000000.jsonl.gz"
    write_tar(tmp_path / "recording.000000.tar", [("utt-0.x.flac", b"1"), ("utt-9.x.flac", b"2")])
    with pytest.raises(DataError, match=r"cut 'utt-1\.x' is that of 'utt-9\.x'"):
        [*read_cuts(cuts)]
    write_tar(tmp_path / "recording.000000.tar", [("utt-0.x.flac", b"1")])
    with pytest.raises(DataError, match="differ in length after 1 cuts"):
        [*read_cuts(cuts)]


def test_texts_are_read_without_recordings(tmp_path: Path) -> None:
    cuts = write_shar(tmp_path, ["one", "two"]) / "cuts.000000.jsonl.gz"
    (tmp_path / "recording.000000.tar").write_bytes(b"never opened")
    rows = [*read_rows(cuts, skip_binary=True)]
    assert [row.values["text"] for row in rows if isinstance(row, Row)] == ["one", "two"]


def test_cuts_without_tars_are_ordinary_rows(tmp_path: Path) -> None:
    path = tmp_path / "cuts.000000.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"audio": "a.wav"}\n'))
    assert [*read_rows(path)] == [Row("cuts.000000.jsonl.gz:1", {"audio": "a.wav"})]


def test_names_of_cuts() -> None:
    names = ["cuts.jsonl", "cuts.000001.jsonl", "cuts.000001.jsonl.gz", "mycuts.jsonl", "cuts.x.jsonl"]
    assert [is_shar_cuts(name) for name in names] == [True, True, True, False, False]


@pytest.mark.slow
def test_shar_is_read_from_a_bucket(bucket: str, tmp_path: Path) -> None:
    storage = open_storage(bucket)
    for path in write_shar(tmp_path, ["one", "two"]).iterdir():
        storage.upload(f"s/{path.name}", path)
    rows = [*read_rows(RemoteFile(f"{bucket}/s/cuts.000000.jsonl.gz"))]
    assert [row.values["text"] for row in rows if isinstance(row, Row)] == ["one", "two"]
    assert all(isinstance(row, Row) and row.values["audio"]["bytes"] for row in rows)
