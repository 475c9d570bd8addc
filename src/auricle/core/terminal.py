"""Make text from models, servers and data safe to show on a terminal."""

from __future__ import annotations

import re

from auricle.core.redaction import redact_text

CONTROL_SEQUENCES = re.compile(
    r"(\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor movement, clearing the screen
    r"|(\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(\x07|\x1b\\|\x9c)"  # OSC and others: titles, clipboard
    r"|\x1b[ -/]*[0-~]?"
    r"|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"  # all other control characters but tab and line breaks
)
UNESCAPED_IN_JSON = re.compile(rb"\x7f|\xc2[\x80-\x9f]")
"""Control characters that JSON need not escape, in UTF-8."""


def clean_text(text: str) -> str:
    r"""Return a text without control sequences and secrets, for a terminal.

    >>> clean_text("\x1b]0;title\x07\x1b[31mred\x1b[0m")
    'red'
    """
    return redact_text(CONTROL_SEQUENCES.sub("", text))


def clean_json(content: bytes) -> bytes:
    """Return JSON with every control character escaped, which changes nothing for programs that read it."""
    return UNESCAPED_IN_JSON.sub(lambda match: rb"\u%04x" % ord(match[0].decode()), content)
