"""Addresses of sounds and images in tar files: `speech.tar#dir/clip.flac@512+31244`, with offset and size."""

from __future__ import annotations

import re
from typing import NamedTuple

from auricle.core.size_limits import FILE_LIMIT
from auricle.core.storage import open_storage, split_location

_MEMBER = re.compile(
    r"(?P<archive>.+\.tar(?:\?[^#]*)?)#(?P<name>.+)@(?P<offset>\d+)\+(?P<size>\d+)", re.DOTALL | re.IGNORECASE
)


class ArchiveMember(NamedTuple):
    """A file within a tar."""

    archive: str
    """Path or URL of the tar."""
    name: str
    offset: int
    """Position of the content in the tar."""
    size: int

    def read(self) -> bytes:
        """Return the content, and nothing else of the tar."""
        FILE_LIMIT.check(self.size, self.name)
        folder, name = split_location(self.archive)
        return open_storage(folder).read(name, self.offset, self.offset + self.size)


def member_uri(archive: str, name: str, offset: int, size: int) -> str:
    """Return the address of a file within a tar.

    >>> member_uri("speech.tar", "a/clip.flac", 512, 31244)
    'speech.tar#a/clip.flac@512+31244'
    """
    return f"{archive}#{name}@{offset}+{size}"


def parse_member(uri: str) -> ArchiveMember | None:
    """Return the file within a tar that an address names; None for any other address.

    >>> parse_member("speech.tar#a/clip.flac@512+31244").offset
    512
    """
    if "#" not in uri:
        return None
    match = _MEMBER.fullmatch(uri)
    return ArchiveMember(match["archive"], match["name"], int(match["offset"]), int(match["size"])) if match else None
