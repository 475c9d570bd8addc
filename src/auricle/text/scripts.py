"""The scripts of texts, which show how they can be compared: by word, by character, or both."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"
THAI = "\u0e01-\u0e7f"
LAO = "\u0e80-\u0eff"
MYANMAR = "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"
KHMER = "\u1780-\u17ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
HEBREW = "\u0591-\u05f4\ufb1d-\ufb4f"
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
MIN_CATALAN_SHARE = 0.001
"""Share of words with `l·l`, which no other language has, that makes texts Catalan; it has several times as many."""
_CHINESE_WORDS = frozenset("很這們麼")  # Shift JIS has these characters, but Japanese has no words with them
_SCRIPTS = {"zh": HAN, "ja": KANA, "th": THAI, "lo": LAO, "my": MYANMAR, "km": KHMER}
_PATTERNS = {language: re.compile(f"[{script}]") for language, script in _SCRIPTS.items()}
_WORD_SCRIPTS = {"ko": re.compile(f"[{HANGUL}]"), "he": re.compile(f"[{HEBREW}]")}
_CATALAN_L = re.compile("[lL]\u00b7[lL]|[\u013f\u0140][lL]")
_SHOWS_LANGUAGE = re.compile(f"[{UNSPACED_SCRIPTS}{HANGUL}{HEBREW}]")
_WORD = re.compile(rf"(?:[^\W\d_{UNSPACED_SCRIPTS}][\u0591-\u05c7]*)+")


def identify_language(texts: Iterable[str]) -> str:
    """Return the language that the scripts of texts show, whatever their order.

    Returns:
        The code of a language written without spaces, followed by `-mixed` if words of others make up more than a
        tenth of all words and characters; `ko` or `he` if most words are Korean or Hebrew, `ca` if some have the
        Catalan `l·l`; otherwise `und`; and an empty text if there are no words at all. Texts in several languages
        without spaces are `zh-mixed` if some are Chinese and none Japanese, which share characters, and otherwise
        `und-mixed`.

    >>> identify_language(["今天天气很好"]), identify_language(["我想听 Hello Kitty"]), identify_language(["Guten Tag"])
    ('zh', 'zh-mixed', 'und')
    """
    characters, languages, words = _count_tokens(texts)
    unspaced = characters.total()
    total = unspaced + words.total()
    if not total:
        return ""
    if unspaced / total < MIN_SHARE:
        language, count = words.most_common(1)[0]
        if language == UNDETERMINED and words["ca"] >= MIN_CATALAN_SHARE * words.total():
            return "ca"
        return language if count > words.total() / 2 else UNDETERMINED
    if not languages["ja"]:
        languages["zh"] += languages["zh or ja"]
    several = {code for code in _SCRIPTS if languages[code] >= MIN_SHARE * unspaced}
    if len(several) > 1:
        return f"{'zh' if 'zh' in several and 'ja' not in several else UNDETERMINED}{MIXED_SUFFIX}"
    language = _find_main(characters)
    return language if unspaced / total >= MIN_PURE_SHARE else f"{language}{MIXED_SUFFIX}"


def _find_main(characters: Mapping[str, int]) -> str:
    """Return the language of most characters; Chinese ones are Japanese among enough kana."""
    if characters["ja"] >= MIN_KANA_SHARE * (characters["ja"] + characters["zh"]):
        characters = {**characters, "ja": characters["ja"] + characters["zh"], "zh": 0}
    return max(characters, key=lambda code: characters[code])


def _count_tokens(texts: Iterable[str]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Count characters without spaces by their script and by the language of their text, and words by language."""
    characters: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for text in texts:
        if not text.isascii():
            words["ca"] += len(_CATALAN_L.findall(text))
        if not _SHOWS_LANGUAGE.search(text):
            words[UNDETERMINED] += len(text.split())
            continue
        in_text = {language: len(pattern.findall(text)) for language, pattern in _PATTERNS.items()}
        for language, count in in_text.items():
            characters[language] += count
        language = _find_main(in_text)
        is_unclear = language == "zh" and not _is_surely_chinese(text)
        languages["zh or ja" if is_unclear else language] += sum(in_text.values())
        for word in _WORD.findall(text):
            scripts = (code for code, pattern in _WORD_SCRIPTS.items() if pattern.match(word))
            words[next(scripts, UNDETERMINED)] += 1
    return characters, languages, words


def _is_surely_chinese(text: str) -> bool:
    """Return whether Chinese characters are not Japanese, as those that the Japanese encoding lacks."""
    if not _CHINESE_WORDS.isdisjoint(text):
        return True
    try:
        "".join(_PATTERNS["zh"].findall(text)).encode("shift_jis")
    except UnicodeEncodeError:
        return True
    return False


# --- scripts of letters ------------------------------------------------------------------------

CJK_SCRIPT = "cjk"
"""Chinese characters and kana, which one text of Japanese mixes."""
_CJK_NAMES = ("cjk", "hiragana", "katakana", "bopomofo")
_LANGUAGES_BY_SCRIPT = {
    "latin": (
        "af ast az bs ca ceb cs cy da de en es et eu fi fil fr ga gl ha hr hu id ig is it jv kea lb lt lv mi ms mt nb "
        "nl nn no nso ny oc om pl pt ro sk sl so sq sv sw tr vi xh yo zu"
    ),
    "cyrillic": "be bg kk ky mk mn ru tg uk",
    "arabic": "ar ckb fa ps sd ur",
    "devanagari": "hi mr ne",
    "bengali": "as bn",
    CJK_SCRIPT: "ja yue zh",
    "armenian": "hy", "ethiopic": "am", "georgian": "ka", "greek": "el", "gujarati": "gu", "gurmukhi": "pa",
    "hangul": "ko", "hebrew": "he", "kannada": "kn", "khmer": "km", "lao": "lo", "malayalam": "ml",
    "myanmar": "my", "oriya": "or", "tamil": "ta", "telugu": "te", "thai": "th",
}  # fmt: skip
"""The languages that are written in one script only."""
_SCRIPTS_BY_LANGUAGE = {code: script for script, codes in _LANGUAGES_BY_SCRIPT.items() for code in codes.split()}


def count_scripts(text: str) -> Counter[str]:
    """Count the letters of each script; Chinese characters and kana are one.

    >>> dict(count_scripts("Это 2 cats"))
    {'cyrillic': 3, 'latin': 4}
    """
    return Counter(_script_of(character) for character in text if character.isalpha())


def script_of_language(language: str) -> str:
    """Return the script of a language by its code; an empty text if it is unknown, or if there are several."""
    return _SCRIPTS_BY_LANGUAGE.get(language.partition("-")[0], "")


@lru_cache(maxsize=4096)
def _script_of(letter: str) -> str:
    name = re.split("[ -]", unicodedata.name(unicodedata.normalize("NFKC", letter)[0], "unknown").lower())[0]
    return CJK_SCRIPT if name in _CJK_NAMES else name
