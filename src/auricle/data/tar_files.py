"""Read members of tar files in order, without extracting them.

A sound in a tar has an address that names the tar and the position in it, so that it can be read alone later.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from typing import NamedTuple, Self

from auricle.core.errors import DataError
from auricle.core.size_limits import SizeLimit
from auricle.data.data_files import DataFile, RemoteFile, open_data_file
from auricle.media.archives import member_uri

STREAM_BUFFER = 1 << 20
NAME_TYPES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE)
MAX_NAME_BYTES = 1 << 20
DAMAGED_HEADER_ERRORS = (
    tarfile.InvalidHeaderError,  # type: ignore[attr-defined]
    tarfile.TruncatedHeaderError,  # type: ignore[attr-defined]
    ValueError,  # of fields that are no numbers
    LookupError,  # of a list of holes that is cut off
)


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
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in NAME_TYPES and header.size > MAX_NAME_BYTES:  # which `tarfile` reads into memory
            raise tarfile.ReadError(f"a name or its properties have {header.size:,} bytes")
        return header

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tar)
        except DAMAGED_HEADER_ERRORS as error:
            raise tarfile.ReadError(str(error)) from error


def iter_members(file: DataFile, limit_of: Callable[[str], SizeLimit | None]) -> Iterator[Member]:
    """Yield the files in a tar, in order.

    Args:
        file: The tar; one at a URL is read once from its beginning to its end.
        limit_of: How large a member that is to be read may be, by its name; None for one that is not.

    Raises:
        DataError: if it is damaged, or a member that is to be read is larger than its limit.
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
                    content = None
                    if (limit := limit_of(member.name)) and (reader := tar.extractfile(member)):
                        limit.check(member.size, f"{member.name} in {file}")
                        content = reader.read()
                    if content is not None and len(content) != member.size:
                        raise tarfile.ReadError("unexpected end of data")
                    uri = member_uri(location, member.name, member.offset_data, member.size)
                    yield Member(member.name, member.offset_data, member.size, uri, content)
        except tarfile.TarError as error:
            raise DataError(
                f"{file} is not a complete tar file: after {count:,} members: {error}. Copy it again, or leave it out."
            ) from error
