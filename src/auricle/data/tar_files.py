"""Read members of tar files in order, without extracting them.

A sound in a tar has an address that names the tar and the position in it, so that it can be read alone later.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

from auricle.audio.archives import member_uri
from auricle.core.errors import DataError
from auricle.data.data_files import DataFile, RemoteFile, open_data_file

STREAM_BUFFER = 1 << 20
DAMAGED_HEADER_ERRORS = (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError)  # type: ignore[attr-defined]


class Member(NamedTuple):
    """A file in a tar."""

    name: str
    offset: int
    size: int
    uri: str
    """Where it is: the tar, the name and the position."""
    content: bytes | None
    """None if it was not asked for."""


class CheckedTarInfo(tarfile.TarInfo):
    """A header; one that is damaged or cut off raises an error, where `tarfile` would end the archive silently."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tar)
        except DAMAGED_HEADER_ERRORS as error:
            raise tarfile.ReadError(str(error)) from error


def iter_members(file: DataFile, needs_content: Callable[[str], bool]) -> Iterator[Member]:
    """Yield the files in a tar, in order.

    Args:
        file: The tar; one at a URL is read once from its beginning to its end.
        needs_content: Whether to read a member, by its name.

    Raises:
        DataError: if it is damaged.
    """
    location = file.url if isinstance(file, RemoteFile) else str(file)
    count = 0
    with open_data_file(file) as stream:
        try:
            with tarfile.open(
                fileobj=stream,
                mode="r|" if isinstance(file, RemoteFile) else "r:",
                bufsize=STREAM_BUFFER,
                tarinfo=CheckedTarInfo,
            ) as tar:
                for member in tar:
                    tar.members.clear()  # type: ignore[attr-defined]  # otherwise all headers stay in memory
                    if not member.isfile():
                        continue
                    count += 1
                    reader = tar.extractfile(member) if needs_content(member.name) else None
                    content = reader.read() if reader else None
                    if content is not None and len(content) != member.size:
                        raise tarfile.ReadError("unexpected end of data")
                    uri = member_uri(location, member.name, member.offset_data, member.size)
                    yield Member(member.name, member.offset_data, member.size, uri, content)
        except tarfile.TarError as error:
            raise DataError(
                f"{file} is not a complete tar file: after {count:,} members: {error}. Copy it again, or leave it out."
            ) from error
