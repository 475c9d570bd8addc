"""Samples of WebDataset tars."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.core.storage import open_storage
from auricle.core.types import RejectedRow, Sample
from auricle.data.data_files import RemoteFile
from auricle.data.file_formats import Row
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.webdataset import read_tar, split_name
from auricle.media import Audio
from tests.support.tar_shards import make_sound, write_tar, write_webdataset

ASR = ColumnMapping(target_columns=("text",), default_question="?", requires_media=True)


def read(path: Path, members: list[tuple[str, bytes]], **options: Any) -> list[Any]:
    return [*read_tar(write_tar(path / "x.tar", members), **options)]


def test_the_key_ends_at_the_first_dot_of_the_base_name() -> None:
    assert split_name("a.b/c.d.flac") == ("a.b/c", "d.flac")
    assert split_name("c.FLAC") == ("c", "flac")
    assert split_name("readme") == ("readme", "")


def test_fields_become_columns(tmp_path: Path) -> None:
    meta = {"speaker": "anna", "text": "replaced"}
    (row,) = read(
        tmp_path, [("k.flac", b"s"), ("k.json", json.dumps(meta).encode()), ("k.txt", b"hello\n"), ("k.cls", b"3")]
    )
    assert isinstance(row, Row)
    assert (row.origin, row.default_id) == ("x.tar#k", "k")
    audio = row.values["audio"]
    assert audio["path"].startswith(f"{tmp_path}/x.tar#k.flac@")
    assert {**row.values, "audio": None} == {"speaker": "anna", "text": "hello", "label": "3", "audio": None}


def test_several_sounds_of_a_sample_are_named_by_their_first_extension(tmp_path: Path) -> None:
    (row,) = read(tmp_path, [("k.seg1.flac", b"a"), ("k.seg2.wav", b"b")])
    assert [*row.values] == ["seg1", "seg2"]


def test_a_damaged_field_costs_its_sample_only(tmp_path: Path) -> None:
    rows = read(tmp_path, [("a.json", b"{"), ("b.json", b"[1]"), ("c.txt", b"\xff"), ("d.txt", b"fine")])
    assert [type(row) for row in rows] == [RejectedRow, RejectedRow, RejectedRow, Row]
    assert rows[0].reason.startswith("the field .json is not valid JSON")
    assert rows[1].reason == "the field .json must be a JSON object, not list"
    assert rows[2].reason == "the field .txt is not UTF-8 text"


def test_media_can_be_left_out(tmp_path: Path) -> None:
    (row,) = read(tmp_path, [("k.flac", b"s"), ("k.txt", b"hello")], skip_binary=True)
    assert row.values == {"text": "hello"}


def test_samples_have_their_key_as_id_and_a_sound_that_is_read_from_the_tar(tmp_path: Path) -> None:
    path = write_webdataset(tmp_path / "x.tar", {"d/000": "one", "d/001": "two"})
    samples = [*Manifest(path, ASR)]
    assert [(sample.id, sample.target) for sample in samples if isinstance(sample, Sample)] == [
        ("d/000", "one"),
        ("d/001", "two"),
    ]
    audio = _audio(samples[1])
    assert audio.data is None
    assert audio.seconds == pytest.approx(0.1)
    assert audio.hash == Audio.of(make_sound(frequency=220.0)).hash


@pytest.mark.slow
def test_sounds_of_a_remote_tar_are_in_memory_and_have_the_same_hash(bucket: str, tmp_path: Path) -> None:
    path = write_webdataset(tmp_path / "x.tar", {"000": "one", "001": "two"})
    open_storage(bucket).upload("x.tar", path)
    local, remote = [*read_tar(path)], [*read_tar(RemoteFile(f"{bucket}/x.tar"))]
    for near, far in zip(local, remote, strict=True):
        assert isinstance(near, Row)
        assert isinstance(far, Row)
        assert isinstance(far.values["audio"]["bytes"], bytes)
        assert Audio.of(near.values["audio"]).hash == Audio.of(far.values["audio"]).hash


def _audio(sample: Any) -> Audio:
    (audio,) = sample.inputs["audio"]
    assert isinstance(audio, Audio)
    return audio
