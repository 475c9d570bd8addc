"""Data by pattern, folder and URL."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.redaction import redact_text
from auricle.core.storage import open_storage
from auricle.data import sources
from auricle.data.sources import DataSource, SourceFile, expand_braces, is_data_source


def names(location: str | Path) -> list[str]:
    source = DataSource(str(location))
    return [source.label(file.location) for file in source.files]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.jsonl", "a.jsonl", "sub/c.jsonl", "sub/deep/d.jsonl", "note.txt", "x.wav"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
    return tmp_path / "data"


def test_globs_match_in_the_order_of_names(folder: Path) -> None:
    assert names(f"{folder}/*.jsonl") == ["a.jsonl", "b.jsonl"]
    assert names(f"{folder}/?.jsonl") == ["a.jsonl", "b.jsonl"]
    assert names(f"{folder}/[!a].jsonl") == ["b.jsonl"]
    assert names(f"{folder}/*/c.jsonl") == ["sub/c.jsonl"]
    assert names(f"{folder}/**/*.jsonl") == ["a.jsonl", "b.jsonl", "sub/c.jsonl", "sub/deep/d.jsonl"]


def test_relative_patterns_are_relative_to_the_working_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert [file.location for file in DataSource("*.jsonl").files] == ["a.jsonl", "b.jsonl"]


def test_braces_are_ranges_and_lists(folder: Path) -> None:
    assert [*expand_braces("s-{08..11}.tar")] == ["s-08.tar", "s-09.tar", "s-10.tar", "s-11.tar"]
    assert [*expand_braces("{a,b}/{0..1}")] == ["a/0", "b/0", "a/1", "b/1"]
    assert [Path(file.location).name for file in DataSource(f"{folder}/{{b,a}}.jsonl").files] == ["b.jsonl", "a.jsonl"]
    with pytest.raises(DataError, match=r"No such file|c\.jsonl"):
        names(f"{folder}/{{a,c}}.jsonl")


def test_a_folder_contributes_the_files_of_its_only_format(folder: Path) -> None:
    expected = ["a.jsonl", "b.jsonl", "sub/c.jsonl", "sub/deep/d.jsonl"]
    assert names(f"{folder}/") == names(folder) == expected
    (folder / "e.parquet").write_text("")
    with pytest.raises(DataError, match=r"files of several formats \(\.jsonl, \.parquet\).*/\*\.jsonl"):
        names(folder)


def test_nothing_to_read_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No files match .*/\*\.tar"):
        names(f"{folder}/*.tar")
    with pytest.raises(DataError, match="No such folder"):
        names(f"{tmp_path}/missing/")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="contains no data"):
        names(f"{tmp_path}/empty/")
    with pytest.raises(DataError, match=r"^No such file: .*/x-0\.tar\.$"):
        names(f"{tmp_path}/empty/x-{{0..2}}.tar")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "data[1].jsonl").write_text("{}\n")
    source = DataSource(str(tmp_path / "data[1].jsonl"))
    assert source.is_single
    assert [file.size for file in source.files] == [3]


def test_the_revision_follows_content_if_data_is_small_and_versions_otherwise(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = f"{folder}/*.jsonl"
    before = DataSource(pattern).revision
    os.utime(folder / "a.jsonl", (1, 1))
    assert DataSource(pattern).revision == before
    (folder / "a.jsonl").write_text("[]\n")
    assert DataSource(pattern).revision != before
    monkeypatch.setattr(sources, "MAX_HASHED_BYTES", 1)
    before = DataSource(pattern).revision
    os.utime(folder / "a.jsonl", (2, 2))
    assert DataSource(pattern).revision != before


def test_data_is_recognised_by_its_form() -> None:
    for name in ("x.jsonl", "x.JSONL.gz", "d/*.tar", "s3://b/x", "d/", "s-{0..9}.parquet", "https://h/x.tar?sig=1"):
        assert is_data_source(name), name
    for name in ("librispeech", "emotion-*", "my.package:task", "suite.yaml"):
        assert not is_data_source(name), name


@pytest.mark.slow
def test_buckets_are_matched_like_folders(bucket: str) -> None:
    storage = open_storage(bucket)
    for name in ("p/b.tar", "p/a.tar", "p/deep/c.tar", "p/readme.md"):
        storage.write(name, b"x")
    assert names(f"{bucket}/p/*.tar") == ["a.tar", "b.tar"]
    assert names(f"{bucket}/p/") == ["a.tar", "b.tar", "deep/c.tar"]
    assert names(f"{bucket}/p/{{a,b}}.tar") == ["a.tar", "b.tar"]
    assert names(f"{bucket}/p/a.tar") == [""]
    with pytest.raises(DataError, match=rf"No such file: {bucket}/p/x\.tar \(1 of 2 are missing\)"):
        names(f"{bucket}/p/{{a,x}}.tar")
    before = DataSource(f"{bucket}/p/*.tar").revision
    storage.write("p/a.tar", b"y")
    assert DataSource(f"{bucket}/p/*.tar").revision != before


def test_a_file_is_identified_without_the_secrets_of_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    urls = [f"https://host/{name}.tar?X-Amz-Signature=0123456789abcdef" for name in "ab"]
    source = DataSource("https://host/{a,b}.tar?X-Amz-Signature=0123456789abcdef")
    monkeypatch.setitem(source.__dict__, "files", [SourceFile(url, 1, "v") for url in urls])
    shown = redact_text(urls[1])
    assert "0123456789abcdef" not in shown
    assert source.find_location(shown) == urls[1]
    assert source.find_location("s3://bucket/a.tar") == "s3://bucket/a.tar"
    with pytest.raises(DataError, match="is not a file of"):
        source.find_location(shown.replace("b.tar", "c.tar"))
