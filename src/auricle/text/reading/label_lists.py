"""Read several labels from a reply: a list of them, or sentences that name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from auricle.text.reading.structure import clean_reply
from auricle.text.reading.words import fold

_NONE = re.compile(
    r"(?:none|nothing|no (?:labels?|tags?|sounds?|events?)|\[\s*\])(?: of (?:them|these|the labels))?\W*"
)
_SEPARATORS = re.compile(r"[,;|\n]|\band\b")
_NEGATION = re.compile(r"\b(?:no|not|without|neither|nor|isn't|aren't|don't|doesn't|cannot|can't)\b[^.;:\n]*$")
_CONTRAST = re.compile(r"\bbut\b|\bhowever\b|\bonly\b")


def read_label_list(reply: str, labels: Sequence[str]) -> list[str] | None:
    """Return the labels that a reply names, in the order of `labels`; None if it names none and does not state that.

    A label that is part of a longer one counts only where the longer one is not named. A label after a negation in the
    same clause does not count.

    >>> read_label_list("Dog barking, rain.", ["rain", "dog barking", "dog"])
    ['rain', 'dog barking']
    >>> read_label_list("I hear rain, but no thunder.", ["rain", "thunder"])
    ['rain']
    >>> read_label_list("None of these.", ["rain", "thunder"])
    []
    """
    text = clean_reply(reply).casefold()
    if _NONE.fullmatch(text.strip()):
        return []
    pattern, label_by_name = _compile_names(tuple(labels))
    if pattern is None:
        return None
    matches = list(pattern.finditer(text))
    is_list = not re.search(r"\w", _SEPARATORS.sub("", pattern.sub("", text)))
    named = {
        label_by_name[_fold(match.group())] for match in matches if is_list or not _is_negated(text[: match.start()])
    }
    return [label for label in labels if label in named] if named or (matches and not is_list) else None


def _is_negated(before: str) -> bool:
    """Return whether a negation precedes a label in its clause."""
    negation = _NEGATION.search(before)
    return negation is not None and not _CONTRAST.search(negation.group())


def _fold(name: str) -> str:
    return " ".join(re.split(r"[\W_]+", fold(name).casefold())).strip()


@lru_cache(maxsize=64)
def _compile_names(labels: tuple[str, ...]) -> tuple[re.Pattern[str] | None, dict[str, str]]:
    """Return a pattern of all names, the longest first, and the label of each name."""
    label_by_name = {_fold(label): label for label in reversed(labels) if _fold(label)}
    names = sorted(label_by_name, key=len, reverse=True)
    if not names:
        return None, {}
    patterns = (r"[\W_]+".join(map(re.escape, name.split())) for name in names)
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)"), label_by_name
