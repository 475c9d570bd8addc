"""Lines of journals that tests change."""

import json
from typing import Any

from auricle.core.checked_lines import add_checksum
from auricle.core.serialization import dump_canonical


def encode_line(document: dict[str, Any]) -> bytes:
    """Return a line with the checksum of its content."""
    return add_checksum(dump_canonical({name: value for name, value in document.items() if name != "crc"}))


def change_line(line: bytes | str, **fields: Any) -> bytes:
    """Return a line with other values of some fields, as if it had been written with them."""
    return encode_line({**json.loads(line), **fields})
