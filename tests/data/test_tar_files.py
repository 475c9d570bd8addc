"""Members of tar files."""

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.size_limits import FILE_LIMIT
from auricle.core.storage import open_storage
from auricle.data.data_files import RemoteFile
from auricle.data.tar_files import iter_members
from auricle.media.archives import parse_member
from tests.support.tar_shards import write_tar

MEMBERS = [("d/a.txt", b"first"), ("d/b.bin", b"x" * 5000), ("c.txt", b"")]


def test_members_have_positions_at_which_they_can_be_read_alone(tmp_path: Path) -> None:
    members = [
        *iter_members(write_tar(tmp_path / "x.tar", MEMBERS), lambda name: FILE_LIMIT if name.endswith("txt") else None)
    ]
    assert [(member.name, member.content) for member in members] == [
        ("d/a.txt", b"first"),
        ("d/b.bin", None),
        ("c.txt", b""),
    ]
    for member, (_, content) in zip(members, MEMBERS, strict=True):
        parsed = parse_member(member.uri)
        assert parsed is not None
        assert parsed.read() == content


def test_a_tar_that_ends_early_is_an_error(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "x.tar", MEMBERS)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(DataError, match=r"x\.tar is not a complete tar file"):
        [*iter_members(path, lambda _: FILE_LIMIT)]
    path.write_bytes(b"this is no tar" * 100)
    with pytest.raises(DataError, match=r"x\.tar is not a complete tar file"):
        [*iter_members(path, lambda _: FILE_LIMIT)]


HEADER_OF_SECOND = 1024


@pytest.mark.parametrize(
    "damage",
    [
        lambda tar: tar[:HEADER_OF_SECOND] + b"\xff" * 512 + tar[HEADER_OF_SECOND + 512 :],
        lambda tar: tar[: HEADER_OF_SECOND + 10],
    ],
    ids=["damaged", "cut off"],
)
def test_a_header_that_cannot_be_read_does_not_end_a_tar_silently(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = write_tar(tmp_path / "x.tar", [("a.txt", b"first"), ("b.txt", b"second"), ("c.txt", b"third")])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"after 1 members: .*\. Copy it again, or leave it out"):
        [*iter_members(path, lambda _: FILE_LIMIT)]


@pytest.mark.parametrize(
    "properties",
    [
        {"GNU.sparse.size": "many", "GNU.sparse.map": "0,x"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9"},
    ],
)
def test_properties_that_are_no_numbers_are_those_of_a_damaged_tar(tmp_path: Path, properties: dict[str, str]) -> None:
    header = tarfile.TarInfo("a.txt")
    header.pax_headers = properties
    (tmp_path / "x.tar").write_bytes(header.tobuf(tarfile.PAX_FORMAT) + bytes(1024))
    with pytest.raises(DataError, match=r"x\.tar is not a complete tar file"):
        [*iter_members(tmp_path / "x.tar", lambda _: FILE_LIMIT)]


@pytest.mark.slow
def test_a_tar_in_a_bucket_is_streamed(bucket: str, tmp_path: Path) -> None:
    open_storage(bucket).upload("p/x.tar", write_tar(tmp_path / "x.tar", MEMBERS))
    members = [*iter_members(RemoteFile(f"{bucket}/p/x.tar"), lambda _: FILE_LIMIT)]
    assert [(member.name, member.content) for member in members] == MEMBERS
    parsed = parse_member(members[1].uri)
    assert parsed is not None
    assert parsed.archive == f"{bucket}/p/x.tar"
    assert parsed.read() == MEMBERS[1][1]
