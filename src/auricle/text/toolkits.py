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

from auricle.text.speechio import read_aloud
from auricle.text.whisper import earlier_library, through

_TAG = re.compile(r"<\|.*?\|>")
_GAP = re.compile(r"\s+")
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
_CUTS = (
    (re.compile(r"([ -&(-+:-@\[-`{-~/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


@cache
def _whisper() -> Any:
    return earlier_library()


@cache
def _whisper_with_wide_brackets() -> Any:
    normaliser = earlier_library()
    # Where the library drops fillers is where UltraEval drops Latin words in wide brackets.
    normaliser.ignore_patterns = f"{_WIDE_BRACKETS}|{normaliser.ignore_patterns}"
    return normaliser


@cache
def _basic() -> Any:
    from whisper_normalizer.basic import BasicTextNormalizer

    return BasicTextNormalizer()


def _without_tags(text: str) -> str:
    """No `<|tags|>`, single spaces, none before a mark."""
    text = _GAP.sub(" ", _TAG.sub(" ", text))
    return _LOOSE_MARK.sub(r"\1", text)


def _without_gaps(text: str) -> str:
    return _GAP.sub("", _without_tags(text))


def _spoken(tokens: Iterable[str]) -> list[str]:
    """Tokens that are more than punctuation."""
    return [
        token
        for token in tokens
        if not all(unicodedata.category(character)[0] == "P" for character in token)
    ]


def cut_chinese(text: str) -> list[str]:
    """Each Chinese character by itself, the rest at spaces, in lower case."""
    return _CHINESE.sub(r" \1 ", text).lower().split()


def cut_western(text: str) -> list[str]:
    """Symbols and marks by themselves, unless a mark stands between digits."""
    text = f" {text} "
    for pattern, replacement in _CUTS:
        text = pattern.sub(replacement, text)
    return text.split()


def _english(text: str) -> str:
    """Whisper's English normaliser, then its basic one: both tools run both."""
    basic: str = _basic()(through(_whisper(), _without_tags(text)))
    return basic


def kimi_en(text: str) -> str:
    """English as Kimi-Audio-Evalkit counts it."""
    return " ".join(_spoken(cut_chinese(_english(text))))


def kimi_zh(text: str) -> str:
    """Mandarin as Kimi-Audio-Evalkit counts it: characters one by one, Latin runs whole."""
    return " ".join(_spoken(cut_chinese(read_aloud(_without_gaps(text)))))


def lmms_eval_en(text: str) -> str:
    """English as most recognition tasks of lmms-eval count it."""
    return " ".join(_spoken(_english(text).lower().split()))


def lmms_eval_zh(text: str) -> str:
    """Mandarin as lmms-eval counts it: every character by itself, Latin letters too."""
    return " ".join("".join(_spoken(read_aloud(_without_gaps(text)).lower().split())))


def ultraeval_en(text: str) -> str:
    """English as UltraEval-Audio counts it: a currency or percent sign is a word of its own."""
    return " ".join(cut_western(through(_whisper_with_wide_brackets(), text)))


def ultraeval_zh(text: str) -> str:
    """Mandarin as UltraEval-Audio counts it: through the English normaliser first."""
    return " ".join(cut_chinese(read_aloud(through(_whisper_with_wide_brackets(), text))))
