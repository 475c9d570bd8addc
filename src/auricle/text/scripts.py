"""The scripts of texts, which show how they can be compared: by word, by character, or both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
THAI = "\u0e01-\u0e7f"
LAO = "\u0e80-\u0eff"
MYANMAR = "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"
KHMER = "\u1780-\u17ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
UNSPACED_SCRIPTS = f"{HAN}{KANA}{THAI}{LAO}{MYANMAR}{KHMER}"
"""Scripts written without spaces, in which each character is a token. Korean is written with spaces."""

UNDETERMINED = "und"
"""The code for texts that consist of words, in a language that their script does not show."""
MIXED_SUFFIX = "-mixed"
"""Follows the code of a language written without spaces if words of others are mixed in."""
MIN_SHARE = 0.05
"""Smallest share of characters without spaces among all tokens that makes a difference; less are names and quotes."""
MIN_PURE_SHARE = 0.9
"""Share from which on the remaining words do not make texts mixed."""
MIN_KANA_SHARE = 0.1
"""Share of kana among kana and Chinese characters from which on these are Japanese."""
_SCRIPTS = {"zh": HAN, "ja": KANA, "th": THAI, "lo": LAO, "my": MYANMAR, "km": KHMER}
_PATTERNS = {language: re.compile(f"[{script}]") for language, script in _SCRIPTS.items()}
_HANGUL = re.compile(f"[{HANGUL}]")
_SHOWS_LANGUAGE = re.compile(f"[{UNSPACED_SCRIPTS}{HANGUL}]")
_WORD = re.compile(rf"[^\W\d_{UNSPACED_SCRIPTS}]+")


def identify_language(texts: Iterable[str]) -> str:
    """Return the language that the scripts of texts show, whatever their order.

    Returns:
        The code of a language written without spaces, followed by `-mixed` if words of others make up more than a
        tenth of all words and characters; `ko` if most words are Korean; otherwise `und`; and an empty text if there
        are no words at all.

    >>> identify_language(["今天天气很好"]), identify_language(["我想听 Hello Kitty"]), identify_language(["Guten Tag"])
    ('zh', 'zh-mixed', 'und')
    """
    characters, words = _count_tokens(texts)
    unspaced = characters.total()
    total = unspaced + words.total()
    if not total:
        return ""
    if unspaced / total < MIN_SHARE:
        return "ko" if words["ko"] > words.total() / 2 else UNDETERMINED
    if characters["ja"] >= MIN_KANA_SHARE * (characters["ja"] + characters["zh"]):
        characters["ja"] += characters.pop("zh")
    language = max(characters, key=lambda code: characters[code])
    return language if unspaced / total >= MIN_PURE_SHARE else f"{language}{MIXED_SUFFIX}"


def _count_tokens(texts: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Count the characters of each language written without spaces, and the words that are Korean or not."""
    characters: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for text in texts:
        if not _SHOWS_LANGUAGE.search(text):
            words[UNDETERMINED] += len(text.split())
            continue
        for language, pattern in _PATTERNS.items():
            characters[language] += len(pattern.findall(text))
        for word in _WORD.findall(text):
            words["ko" if _HANGUL.match(word) else UNDETERMINED] += 1
    return characters, words
