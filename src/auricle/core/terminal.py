"""The terminal: its width, and text from models, servers and data that is safe to show on it."""

from __future__ import annotations

import os
import re
import sys
from contextvars import ContextVar
from dataclasses import dataclass, field

from auricle.core.redaction import redact_text

CONTROL_SEQUENCES = re.compile(
    r"(\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor movement, clearing the screen
    r"|(\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(\x07|\x1b\\|\x9c)"  # OSC and others: titles, clipboard
    r"|\x1b[ -/]*[0-~]?"
    r"|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"  # all other control characters but tab and line breaks
)
UNESCAPED_IN_JSON = re.compile(rb"\x7f|\xc2[\x80-\x9f]")
"""Control characters that JSON need not escape, in UTF-8."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Where tables have to fit."""

    width: int
    left_out: dict[str, None] = field(default_factory=dict)
    """Titles of the columns that were left out of tables."""

    @classmethod
    def find(cls) -> Screen | None:
        """Return the terminal that standard output is written to, with the width of `COLUMNS` if that is set.

        Files and pipes have no width, unless `COLUMNS` is set.
        """
        stated = os.environ.get("COLUMNS", "")
        if stated.isdecimal() and int(stated):
            return cls(int(stated))
        try:
            return cls(os.get_terminal_size(sys.stdout.fileno()).columns or 80)
        except (OSError, ValueError, AttributeError):  # not a terminal, closed, or replaced by a program
            return None


SCREEN: ContextVar[Screen | None] = ContextVar("screen", default=None)
"""Where tables have to fit; None if they may be as wide as they need to be."""


def clean_text(text: str) -> str:
    r"""Return a text without control sequences and secrets, for a terminal.

    >>> clean_text("\x1b]0;title\x07\x1b[31mred\x1b[0m")
    'red'
    """
    return redact_text(CONTROL_SEQUENCES.sub("", text))


def clean_json(content: bytes) -> bytes:
    """Return JSON with every control character escaped, which changes nothing for programs that read it."""
    return UNESCAPED_IN_JSON.sub(lambda match: rb"\u%04x" % ord(match[0].decode()), content)
