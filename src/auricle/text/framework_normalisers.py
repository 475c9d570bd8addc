"""Profiles that meet other tools' word error rates: what each does to a text before it counts.

Every function gives the tokens its tool counts, with spaces between, so `wer` under the profile is
the tool's number. Their order of steps and their gaps are kept; docs/text.md says what is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any

from auricle.text.speechio_numbers import read_aloud
from auricle.text.whisper_normaliser import create_legacy_normaliser, normalise_with

_TAG = re.compile(r"<\|.*?\|>")
_WHITESPACE = re.compile(r"\s+")
_LOOSE_MARK = re.compile(" ?([!,.?;:])")
_WIDE_BRACKETS = "（[a-z A-Z]+?）"
# What sacreBLEU's `zh` holds for Chinese. It means to take in the supplementary ideographs, but
# its bounds are cut to four hex digits: so arrows and currency signs stand alone, and they do not.
_CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f"
    "\uff00-\uffef])"
)
# The four cuts of mteval's 13a: symbols, a mark after or before what is no digit, a dash after one.
_MTEVAL_13A_RULES = (
    (re.compile(r"([ -&(-+:-@\[-`{-~/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


@cache
def _legacy_whisper() -> Any:
    return create_legacy_normaliser()


@cache
def _whisper_with_wide_brackets() -> Any:
    normaliser = create_legacy_normaliser()
    # Where the library drops fillers is where UltraEval drops Latin words in wide brackets.
    normaliser.ignore_patterns = f"{_WIDE_BRACKETS}|{normaliser.ignore_patterns}"
    return normaliser


@cache
def _whisper_basic() -> Any:
    from whisper_normalizer.basic import BasicTextNormalizer

    return BasicTextNormalizer()


def _strip_tags(text: str) -> str:
    """No `<|tags|>`, single spaces, none before a mark."""
    text = _WHITESPACE.sub(" ", _TAG.sub(" ", text))
    return _LOOSE_MARK.sub(r"\1", text)


def _strip_tags_and_spaces(text: str) -> str:
    return _WHITESPACE.sub("", _strip_tags(text))


def _drop_punctuation(tokens: Iterable[str]) -> list[str]:
    """Tokens that are more than punctuation."""
    return [token for token in tokens if not all(unicodedata.category(character)[0] == "P" for character in token)]


def tokenise_zh(text: str) -> list[str]:
    """Each Chinese character by itself, the rest at spaces, in lower case."""
    return _CHINESE.sub(r" \1 ", text).lower().split()


def tokenise_13a(text: str) -> list[str]:
    """Symbols and marks by themselves, unless a mark stands between digits."""
    text = f" {text} "
    for pattern, replacement in _MTEVAL_13A_RULES:
        text = pattern.sub(replacement, text)
    return text.split()


def _normalise_english(text: str) -> str:
    """Whisper's English normaliser, then its basic one: both tools run both."""
    basic: str = _whisper_basic()(normalise_with(_legacy_whisper(), _strip_tags(text)))
    return basic


def kimi_en(text: str) -> str:
    """English as Kimi-Audio-Evalkit counts it."""
    return " ".join(_drop_punctuation(tokenise_zh(_normalise_english(text))))


def kimi_zh(text: str) -> str:
    """Mandarin as Kimi-Audio-Evalkit counts it: characters one by one, Latin runs whole."""
    return " ".join(_drop_punctuation(tokenise_zh(read_aloud(_strip_tags_and_spaces(text)))))


def lmms_eval_en(text: str) -> str:
    """English as most recognition tasks of lmms-eval count it."""
    return " ".join(_drop_punctuation(_normalise_english(text).lower().split()))


def lmms_eval_zh(text: str) -> str:
    """Mandarin as lmms-eval counts it: every character by itself, Latin letters too."""
    return " ".join("".join(_drop_punctuation(read_aloud(_strip_tags_and_spaces(text)).lower().split())))


def ultraeval_en(text: str) -> str:
    """English as UltraEval-Audio counts it: a currency or percent sign is a word of its own."""
    return " ".join(tokenise_13a(normalise_with(_whisper_with_wide_brackets(), text)))


def ultraeval_zh(text: str) -> str:
    """Mandarin as UltraEval-Audio counts it: through the English normaliser first."""
    return " ".join(tokenise_zh(read_aloud(normalise_with(_whisper_with_wide_brackets(), text))))
