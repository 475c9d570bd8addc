"""Replies that were cut off: at a token limit, or in the middle of their reasoning."""

from __future__ import annotations

import re

CUT_OFF_REASONS = frozenset(
    {
        *("length", "max_tokens", "max_output_tokens", "max_new_tokens", "max_length"),
        *("model_length", "token_limit", "model_context_window_exceeded"),
    }
)
"""Finish reasons of servers and packages that stand for a token limit, in lower case."""
THOUGHT_TAGS = "think|thinking|thought|reasoning|analysis|scratchpad"
"""Tags that models put around their reasoning, as alternatives of a pattern."""
_TAG = re.compile(rf"<\|?(/?)({THOUGHT_TAGS})\|?>", re.IGNORECASE)


def was_cut_off(text: str, finish: str) -> bool:
    """Return whether a reply ended before the model was done.

    >>> was_cut_off("The instrument is a", "length"), was_cut_off("<think>It could be", "stop")
    (True, True)
    """
    return finish.lower() in CUT_OFF_REASONS or has_open_thought(text)


def has_open_thought(text: str) -> bool:
    """Return whether reasoning begins in a reply and does not end."""
    opened = ""
    for closing, name in _TAG.findall(text):
        if not opened and not closing:
            opened = name.lower()
        elif closing and name.lower() == opened:
            opened = ""
    return bool(opened)
