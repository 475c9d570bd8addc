"""Lines of JSON with a checksum, so that a damaged or edited line is noticed.

A line is a JSON object without spaces, whose fields are in alphabetical order. Its last field, `crc`, is the CRC-32 of
all that precedes it. A line that another program wrote in another form (spaces, another order of fields, escapes) is
intact as long as its content is the same. The order inside a field is content: it is the order in which a model
returned its labels, and the first of two equal scores wins.
"""

from __future__ import annotations

from zlib import crc32

import orjson

CHECKSUM_FIELD = "crc"
CHECKSUM_SUFFIX = b',"crc":"%08x"}\n'
SUFFIX_BYTES = len(CHECKSUM_SUFFIX % 0)


def add_checksum(line: bytes) -> bytes:
    """Return a line of canonical JSON, which ends in a brace and a line break, with its checksum."""
    body = line[:-2]
    return body + CHECKSUM_SUFFIX % crc32(body)


def find_damage(line: bytes) -> str:
    """Return what is wrong with a line, or an empty text if it is intact."""
    if line[-SUFFIX_BYTES:] == CHECKSUM_SUFFIX % crc32(line[:-SUFFIX_BYTES]):  # as it was written
        return ""
    return _find_damage_in_content(line)


def _find_damage_in_content(line: bytes) -> str:
    """Check a line whose bytes are not as they were written."""
    if b"\0" in line:
        return "contains NUL bytes"
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError:
        return "is not valid JSON"
    if not isinstance(document, dict):
        return "is not a JSON object"
    checksum = document.pop(CHECKSUM_FIELD, None)
    if checksum is None:
        return "has no checksum"
    try:
        content = orjson.dumps(dict(sorted(document.items())))
    except TypeError:  # nested more deeply than anything that is written
        return "is nested too deeply"
    return "" if checksum == f"{crc32(content[:-1]):08x}" else "does not match its checksum"
