"""The English normaliser that OpenAI published with Whisper, with an exact fast path for simple sentences.

The library applies about sixty substitutions to every text. In a text of letters, inner apostrophes and simple
punctuation, nearly all of them affect one word at a time, so each distinct word is normalised once and cached. The
library itself is used whenever neighbouring words could matter: digits, number words, brackets, currency signs, loose
apostrophes, letters beyond a-z. The tables are those of the library without what its author added to OpenAI's. A
release with any other tables is refused, because the same texts would get other error rates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from auricle.core.errors import SpecError, Unreadable

_TESTED_RELEASE = "0.1.15"
_TABLES = "85f09cc3302c2b6f"
_NOT_PLAIN = re.compile(r"""[^a-z \t\n,;:?!".'-]""")
_LOOSE_APOSTROPHE = re.compile(r"(?<![a-z])'|'(?![a-z])")
_PUNCTUATION = str.maketrans(dict.fromkeys(',;:?!".-', " "))
_WORD_CACHE_SIZE = 65_536

# The library handles "and a half" in code, not in a table.
_EXTRA_CONTEXTUAL_WORDS = frozenset({"half"})
# These words stay unchanged unless a number is next to them; "point" can vanish even without one.
_INERT_SPECIALS = frozenset({"and", "double", "triple"})
_ADDED_CONTRACTIONS = (r"\bkinda\b", r"\bsorta\b", r"\bdunno\b", r"\bcause\b")
_SUPPORTED_REPLACER = re.compile(r"(?:\\b)?[a-z']+(?: [a-z]+)?\\b")


@cache
def _load_library() -> Any:
    normaliser = create_normaliser()
    if compute_digest(normaliser) != _TABLES:
        installed = f"whisper-normalizer {version('whisper-normalizer')}"
        raise SpecError(
            f"{installed} has other tables than OpenAI's normaliser, so error rates would not be comparable. "
            f"Run: pip install whisper-normalizer=={_TESTED_RELEASE}"
        )
    return normaliser


def create_normaliser() -> Any:
    """Create a normaliser with OpenAI's tables, which other tools copied; callers may modify it."""
    from whisper_normalizer.english import EnglishTextNormalizer

    normaliser = EnglishTextNormalizer()
    for pattern in _ADDED_CONTRACTIONS:
        normaliser.replacers.pop(pattern, None)
    return normaliser


def compute_digest(normaliser: Any) -> str:
    """Return a digest of all tables of a normaliser: contractions, fillers, spellings and number words."""
    numbers = {
        name: sorted(map(str, table.items() if isinstance(table, dict) else table))
        for name, table in vars(normaliser.standardize_numbers).items()
    }
    tables = [
        normaliser.ignore_patterns,
        list(normaliser.replacers.items()),
        sorted(normaliser.standardize_spellings.mapping.items()),
        sorted(numbers.items()),
    ]
    return sha256(json.dumps(tables).encode()).hexdigest()[:16]


def _are_word_local(replacers: dict[str, str]) -> bool:
    """Return whether each replacer affects one word only, or a contraction and the next word."""
    return all(
        _SUPPORTED_REPLACER.fullmatch(pattern)
        and (" " not in pattern or pattern.startswith("'"))
        and "'" not in replacement
        for pattern, replacement in replacers.items()
    )


@cache
def _build_expander() -> Callable[[str], str | None]:
    """Build a function that normalises one word like the library, or returns None if it cannot."""
    library = _load_library()
    if not _are_word_local(library.replacers):
        return lambda _word: None
    inert = {*library.standardize_numbers.following_prefixers, *library.standardize_numbers.suffixers, *_INERT_SPECIALS}
    contextual = frozenset(library.standardize_numbers.words) - inert | _EXTRA_CONTEXTUAL_WORDS
    spellings = library.standardize_spellings.mapping
    ignored = re.compile(library.ignore_patterns)
    replacers = [(re.compile(pattern), replacement) for pattern, replacement in library.replacers.items()]

    @lru_cache(maxsize=_WORD_CACHE_SIZE)
    def expand(word: str) -> str | None:
        text = ignored.sub("", word)
        if text.startswith("'"):
            # Without its first part, the word would be joined to the one before it.
            return None
        for pattern, replacement in replacers:
            text = pattern.sub(replacement, text)
        parts = text.replace("'", " ").split()
        if any(part in contextual for part in parts):
            return None
        return " ".join(spellings.get(part, part) for part in parts)

    return expand


@cache
def _completer_pattern() -> re.Pattern[str]:
    """Match words that change how the contraction before them is expanded, as *been* in *he's been*."""
    tails = {
        tail
        for pattern in _load_library().replacers
        if " " in pattern
        for tail in re.findall("[a-z]+", pattern.partition(" ")[2].replace(r"\b", ""))
    }
    return re.compile(rf"\b(?:{'|'.join(sorted(tails))})\b")


def _is_plain(lowered: str) -> bool:
    # The library keeps two full stops in a row, so they do not count as simple punctuation.
    return not _NOT_PLAIN.search(lowered) and ".." not in lowered and not _LOOSE_APOSTROPHE.search(lowered)


def _normalise_fast(lowered: str) -> str | None:
    if not _is_plain(lowered):
        return None
    expanded = list(map(_build_expander(), lowered.translate(_PUNCTUATION).split()))
    if None in expanded:
        return None
    text = " ".join(filter(None, expanded))
    if "'" in lowered and _completer_pattern().search(text):
        return None
    return text


def normalise_whisper(text: str) -> str:
    """Normalise English exactly as OpenAI's code does."""
    normalised = _normalise_fast(text.lower())
    return normalised if normalised is not None else normalise_whisper_in_full(text)


def normalise_whisper_in_full(text: str) -> str:
    """Normalise English with the library itself."""
    return normalise_with(_load_library(), text)


def normalise_with(normaliser: Any, text: str) -> str:
    """Apply a normaliser of the library; raise `Unreadable` if it fails, as it does on some numbers."""
    try:
        normalised: str = normaliser(text)
    except (AssertionError, TypeError, ValueError) as error:
        raise Unreadable(f"The Whisper normaliser failed on {text[:80]!r}: {error}.") from error
    return normalised
