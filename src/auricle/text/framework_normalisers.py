"""Normalisers of other evaluation tools, to reproduce their word error rates.

Each function returns the tokens that its tool counts, separated by spaces, so `wer` with the profile equals the tool's
number. The order of steps and the omissions of each tool are kept; docs/text.md lists the exceptions.
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
# Characters that sacreBLEU's `zh` tokeniser treats as Chinese. It intends to include the supplementary ideographs, but
# truncates their bounds to four hex digits: arrows and currency signs are split off instead.
_CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f"
    "\uff00-\uffef])"
)
# The four rules of mteval's 13a: symbols, a mark after or before a non-digit, a dash after a digit.
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
    # UltraEval drops Latin words in wide brackets at the step where the library drops fillers.
    normaliser.ignore_patterns = f"{_WIDE_BRACKETS}|{normaliser.ignore_patterns}"
    return normaliser


@cache
def _whisper_basic() -> Any:
    from whisper_normalizer.basic import BasicTextNormalizer

    return BasicTextNormalizer()


def _strip_tags(text: str) -> str:
    """Remove `<|tags|>`, repeated spaces, and spaces before punctuation."""
    text = _WHITESPACE.sub(" ", _TAG.sub(" ", text))
    return _LOOSE_MARK.sub(r"\1", text)


def _strip_tags_and_spaces(text: str) -> str:
    return _WHITESPACE.sub("", _strip_tags(text))


def _drop_punctuation(tokens: Iterable[str]) -> list[str]:
    """Drop tokens that are only punctuation."""
    return [token for token in tokens if not all(unicodedata.category(character)[0] == "P" for character in token)]


def tokenise_zh(text: str) -> list[str]:
    """Split into Chinese characters and lower-case words."""
    return _CHINESE.sub(r" \1 ", text).lower().split()


def tokenise_13a(text: str) -> list[str]:
    """Split off symbols and punctuation, except a mark between digits."""
    text = f" {text} "
    for pattern, replacement in _MTEVAL_13A_RULES:
        text = pattern.sub(replacement, text)
    return text.split()


def _normalise_english(text: str) -> str:
    """Apply Whisper's English normaliser, then its basic one, as both tools do."""
    basic: str = _whisper_basic()(normalise_with(_legacy_whisper(), _strip_tags(text)))
    return basic


def kimi_en(text: str) -> str:
    """Normalise English as Kimi-Audio-Evalkit does."""
    return " ".join(_drop_punctuation(tokenise_zh(_normalise_english(text))))


def kimi_zh(text: str) -> str:
    """Normalise Mandarin as Kimi-Audio-Evalkit does: single Chinese characters, unsplit Latin words."""
    return " ".join(_drop_punctuation(tokenise_zh(read_aloud(_strip_tags_and_spaces(text)))))


def lmms_eval_en(text: str) -> str:
    """Normalise English as most recognition tasks of lmms-eval do."""
    return " ".join(_drop_punctuation(_normalise_english(text).lower().split()))


def lmms_eval_zh(text: str) -> str:
    """Normalise Mandarin as lmms-eval does: single characters, including Latin letters."""
    return " ".join("".join(_drop_punctuation(read_aloud(_strip_tags_and_spaces(text)).lower().split())))


def ultraeval_en(text: str) -> str:
    """Normalise English as UltraEval-Audio does: currency and percent signs are separate words."""
    return " ".join(tokenise_13a(normalise_with(_whisper_with_wide_brackets(), text)))


def ultraeval_zh(text: str) -> str:
    """Normalise Mandarin as UltraEval-Audio does: with the English normaliser first."""
    return " ".join(tokenise_zh(read_aloud(normalise_with(_whisper_with_wide_brackets(), text))))
