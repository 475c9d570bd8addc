"""Completions of shards as objects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auricle.core.errors import DataError
from auricle.runs.documents import UnknownFormat
from auricle.runs.shards.completions import (
    StoredFile,
    completion_path,
    decode_completion,
    digest_content,
    encode_completion,
    parse_completion_path,
)
from tests.support.shards import make_completion

FILE = StoredFile(name="outputs.jsonl", size=3, digest=digest_content(b"abc"), pieces=("shards/00003/1/outputs.jsonl",))


def test_a_completion_is_read_as_it_was_written() -> None:
    completion = replace(make_completion(3, generation=2, epoch=4), files=(FILE,), cost=0.25, currency="USD")
    assert decode_completion(encode_completion(completion), "done/00003.2") == completion


@pytest.mark.parametrize(("shard", "generation"), [(0, 1), (17, 2), (123_456, 10)])
def test_the_path_names_shard_and_generation(shard: int, generation: int) -> None:
    assert parse_completion_path(completion_path(shard, generation)) == (shard, generation)


@pytest.mark.parametrize("path", ["done/x", "done/1.2.3", "leases/1", "done/00001.tmp"])
def test_other_paths_are_no_completions(path: str) -> None:
    assert parse_completion_path(path) is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"shard": 1}', b'{"shard": "1"}'])
def test_a_damaged_completion_is_reported(content: bytes) -> None:
    with pytest.raises(DataError, match="done/1 cannot be read"):
        decode_completion(content, "done/1")


def test_a_completion_of_a_newer_version_is_refused() -> None:
    with pytest.raises(UnknownFormat, match="has format 2"):
        decode_completion(encode_completion(replace(make_completion(1), format=2)), "done/1")
