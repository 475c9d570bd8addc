"""Checksums of lines: every change of content is noticed, and no change of form is."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.core.checked_lines import add_checksum, find_damage
from auricle.core.serialization import dump_canonical

DOCUMENT: dict[str, Any] = {"id": "é 1", "row": 3, "meta": {"b": 1.5, "a": [None, True]}, "text": 'a"b'}
LINE = add_checksum(dump_canonical(DOCUMENT))


def test_line_ends_with_the_checksum_of_what_precedes_it() -> None:
    assert LINE == b'{"id":"\xc3\xa9 1","meta":{"b":1.5,"a":[null,true]},"row":3,"text":"a\\"b","crc":"1839d651"}\n'
    assert find_damage(LINE) == ""


def rewrite(**options: Any) -> bytes:
    return json.dumps(json.loads(LINE), **options).encode() + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        rewrite(),
        rewrite(ensure_ascii=False, indent=None, separators=(", ", " : ")),
        json.dumps(dict(reversed(list(json.loads(LINE).items())))).encode(),
    ],
)
def test_same_content_in_another_form_is_intact(line: bytes) -> None:
    assert line != LINE
    assert find_damage(line) == ""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (LINE.replace(b":3", b":4"), "does not match its checksum"),
        (rewrite().replace(b'"row": 3', b'"row": 4'), "does not match its checksum"),
        (LINE.replace(b"1839", b"183a"), "does not match its checksum"),
        (LINE.replace(b'"1839d651"', b"17"), "does not match its checksum"),
        (rewrite(sort_keys=True), "does not match its checksum"),  # the order of labels in a prediction counts
        (dump_canonical(DOCUMENT), "has no checksum"),
        (LINE[:9] + bytes(4) + LINE[13:], "contains NUL bytes"),
        (LINE[3:], "is not valid JSON"),
        (b"\xff\n", "is not valid JSON"),
        (b"\n", "is not valid JSON"),
        (b"[1]\n", "is not a JSON object"),
        (b'{"crc":"00000000","a":' + b"[" * 300 + b"]" * 300 + b"}\n", "is nested too deeply"),
    ],
)
def test_damage_is_explained(line: bytes, reason: str) -> None:
    assert find_damage(line) == reason


@settings(max_examples=300)
@given(position=st.integers(0, len(LINE) - 2), byte=st.integers(0, 255))
def test_any_changed_byte_of_content_is_noticed(position: int, byte: int) -> None:
    changed = LINE[:position] + bytes([byte]) + LINE[position + 1 :]
    try:
        is_same = json.loads(changed) == json.loads(LINE)
    except ValueError:
        is_same = False
    assert bool(find_damage(changed)) is not is_same
