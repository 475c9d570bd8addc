"""Files of data: local, compressed, remote."""

import gzip
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.storage import open_storage
from auricle.data.data_files import RemoteFile, data_suffix, open_data_file, stat_data_file, to_data_file


def test_locations_become_paths_or_remote_files() -> None:
    assert to_data_file("a/b.jsonl") == Path("a/b.jsonl")
    assert to_data_file("file:///a/b.jsonl") == Path("/a/b.jsonl")
    remote = to_data_file("https://host/p/x.tar?X-Amz-Signature=abcdef0123456789")
    assert isinstance(remote, RemoteFile)
    assert (remote.name, remote.suffix, data_suffix(remote)) == ("x.tar", ".tar", ".tar")
    assert "abcdef0123456789" not in str(remote)


def test_compressed_files_are_decompressed_and_damaged_ones_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b"one\n" * 1000))
    with open_data_file(path) as file:
        assert file.read() == b"one\n" * 1000
    for content in (path.read_bytes()[:-20], b"plain text"):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"x\.jsonl\.gz is not a complete gzip file"), open_data_file(path) as file:
            file.read()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No such file: .*/x\.jsonl"):
        stat_data_file(tmp_path / "x.jsonl")


@pytest.mark.slow
def test_remote_files_are_read_and_missing_ones_named(bucket: str) -> None:
    open_storage(bucket).write("p/x.jsonl.gz", gzip.compress(b"{}\n"))
    remote = RemoteFile(f"{bucket}/p/x.jsonl.gz")
    with open_data_file(remote) as file:
        assert file.read() == b"{}\n"
    assert stat_data_file(remote).size > 0
    missing = RemoteFile(f"{bucket}/p/y.jsonl")
    with pytest.raises(DataError, match=rf"No such file: {bucket}/p/y\.jsonl"), open_data_file(missing):
        pass
