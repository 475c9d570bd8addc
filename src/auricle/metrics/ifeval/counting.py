"""Sentences and words of an answer, counted much as IFEval's English tokenisers count them."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<![.!?])(?P<mark>[.!?]+)(?:[\"'”’)\]}*_]+,?)?\s+(?P<next>\S{1,40})")
_MAX_WORD_LENGTH = 40  # characters of a word that are looked at
_UNSPACED_END = re.compile(r"[。！？]+[”’」』）]*(?=\s*\S)")  # no space follows these
_QUOTES = "\"'“”‘’"

_TITLE = re.compile(r"mr|mrs|ms|dr|prof|rev|gen|col|capt|lt|sgt|sen|rep|gov|st|mt|vs")
_ABBREVIATION = re.compile(
    r"no|etc|inc|ltd|co|corp|jr|sr|dept|approx"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|(?!(?:p\.)+s)(?:[a-z]\.)+[a-z]"  # e.g, u.s; but not the p.s of a postscript
)
_SENTENCE_OPENER = re.compile(
    r"(?:the|this|that|these|those|he|she|it|they|we|you|i|there|here|in|on|at|if|when|while|but"
    r"|and|however|what|how|why|who|my|our|your|his|her|its|their|an?|as|for|so|then|also)(?!\w)"
)

_TOKEN_BREAKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"([;@#$%&?!()\[\]{}<>\"“”]|--|\.{3}|[:,](?!\d))",
        r"(?<=[^'\s])('(?:s|m|d|ll|re|ve)?)(?=\s|$)",
        r"(?<=\w)(n't)\b",
        r"(?<=\bcan)(not)\b",
    )
)


def count_sentences(text: str) -> int:
    """How many sentences: ended by . ! or ? before white space, or by a Chinese full stop."""
    text = _UNSPACED_END.sub(". ", text).strip()
    at, count = 0, int(bool(text))
    while found := _SENTENCE_END.search(text, at):
        count += _is_sentence_end(found)
        at = found.start("next")
    return count


def _is_sentence_end(match: re.Match[str]) -> bool:
    """Does this mark end a sentence, or only an abbreviation, an initial, a pause, a number?"""
    following = match["next"].strip(_QUOTES)
    if not following or match["mark"].strip("."):
        return bool(following)
    capital = following.lstrip("(*")[:1].isupper()
    if match["mark"] != ".":
        return capital
    last = _last_word(match)
    if _TITLE.fullmatch(last):
        return False
    opener = capital and bool(_SENTENCE_OPENER.match(following.lower()))
    if _ABBREVIATION.fullmatch(last):
        return opener
    if last.isdigit():
        return not following[:1].islower()
    if len(last) == 1 and last.isalpha() and capital:
        return opener or _begins_line(match)  # else an initial; a line's first is a list mark
    return True


def _last_word(match: re.Match[str]) -> str:
    """What stands before the mark, with the full stops inside it: `u.s` of `(the U.S.`."""
    before = match.string[max(0, match.start() - _MAX_WORD_LENGTH) : match.start()]
    return re.split(r"[^\w.]", before)[-1].lower()


def _begins_line(match: re.Match[str]) -> bool:
    """Has the line nothing before this one letter?"""
    at = match.start() - 1
    return not match.string[match.string.rfind("\n", 0, at) + 1 : at].strip()


def count_capital_words(text: str) -> int:
    """How many words have no small letter, contractions counted as two words."""
    for pattern in _TOKEN_BREAKS:
        text = pattern.sub(r" \1 ", text)
    return sum(word.isupper() for word in text.split())
