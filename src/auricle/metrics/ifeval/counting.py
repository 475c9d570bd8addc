"""Count sentences and capitalised words almost exactly as the English tokenisers of IFEval do."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<![.!?])(?P<mark>[.!?]+)(?:[\"'”’)\]}*_]+,?)?\s+(?P<next>\S{1,40})")
_MAX_WORD_LENGTH = 40
_UNSPACED_END = re.compile(r"[。！？]+[”’」』）]*(?=\s*\S)")  # not followed by a space
_QUOTES = "\"'“”‘’"

_TITLE = re.compile(r"mr|mrs|ms|dr|prof|rev|gen|col|capt|lt|sgt|sen|rep|gov|st|mt|vs")
_ABBREVIATION = re.compile(
    r"no|etc|inc|ltd|co|corp|jr|sr|dept|approx"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|(?!(?:p\.)+s)(?:[a-z]\.)+[a-z]"  # e.g, u.s; but not p.s (postscript)
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
    """Count sentences, which end with . ! or ? before whitespace, or with a Chinese full stop."""
    text = _UNSPACED_END.sub(". ", text).strip()
    position, count = 0, int(bool(text))
    while match := _SENTENCE_END.search(text, position):
        count += _is_sentence_end(match)
        position = match.start("next")
    return count


def _is_sentence_end(match: re.Match[str]) -> bool:
    """Return whether a mark ends a sentence, not just an abbreviation, an initial, a pause or a number."""
    following = match["next"].strip(_QUOTES)
    if not following or match["mark"].strip("."):
        return bool(following)
    is_capital = following.lstrip("(*")[:1].isupper()
    if match["mark"] != ".":
        return is_capital
    last = _last_word(match)
    if _TITLE.fullmatch(last):
        return False
    is_opener = is_capital and bool(_SENTENCE_OPENER.match(following.lower()))
    if _ABBREVIATION.fullmatch(last):
        return is_opener
    if last.isdigit():
        return not following[:1].islower()
    if len(last) == 1 and last.isalpha() and is_capital:
        return is_opener or _begins_line(match)  # "A." is a list label at the start of a line, else an initial
    return True


def _last_word(match: re.Match[str]) -> str:
    """Return the word before the mark with its inner full stops: `u.s` of `(the U.S.`."""
    before = match.string[max(0, match.start() - _MAX_WORD_LENGTH) : match.start()]
    return re.split(r"[^\w.]", before)[-1].lower()


def _begins_line(match: re.Match[str]) -> bool:
    """Return whether the letter before the mark is the first of its line."""
    position = match.start() - 1
    return not match.string[match.string.rfind("\n", 0, position) + 1 : position].strip()


def count_capital_words(text: str) -> int:
    """Count words in capital letters; contractions count as two words."""
    for pattern in _TOKEN_BREAKS:
        text = pattern.sub(r" \1 ", text)
    return sum(word.isupper() for word in text.split())
