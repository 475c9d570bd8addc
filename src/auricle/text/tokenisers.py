"""Tokenisers for words, characters, and a mix of both for Chinese-English speech.

In scripts written without spaces between words (Han, Kana, Thai, Lao, Khmer, Myanmar), each character is a token.
Hangul is written with spaces, so Korean words are not split.
"""

from __future__ import annotations

import re

UNSPACED_SCRIPTS = (
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u0e01-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
)
_MIXED = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\s{UNSPACED_SCRIPTS}]+")


def split_words(text: str) -> list[str]:
    """Split at whitespace."""
    return text.split()


def split_characters(text: str) -> list[str]:
    """Split into characters, with one space between words, as character error rates count them."""
    return list(" ".join(text.split()))


def split_mixed(text: str) -> list[str]:
    """Split into words, and into single characters where a script has no spaces."""
    return _MIXED.findall(text)
