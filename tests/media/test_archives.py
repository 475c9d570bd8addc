"""Addresses of sounds in tars."""

import pytest

from auricle.media.archives import ArchiveMember, member_uri, parse_member


@pytest.mark.parametrize("archive", ["/a/x.tar", "s3://b/x.tar", "https://h/x.tar?sig=1", "odd#name@1+2.tar"])
def test_addresses_are_parsed_as_they_were_made(archive: str) -> None:
    uri = member_uri(archive, "d/clip #1@x.flac", 512, 99)
    assert parse_member(uri) == ArchiveMember(archive, "d/clip #1@x.flac", 512, 99)


@pytest.mark.parametrize("uri", ["clip.flac", "x.tar", "x.tar#clip.flac", "a#b@1+2", ""])
def test_other_addresses_are_not_members(uri: str) -> None:
    assert parse_member(uri) is None
