"""Read yes or no from a free-form reply."""

from __future__ import annotations

import re
from typing import NamedTuple

from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.phrasings import whole_word
from auricle.text.reading.result import Reading, Strength


class _YesNoWord(NamedTuple):
    """The value of a word, and whether the reply states it as the answer."""

    value: bool
    is_stated: bool


_WORDS = (
    (True, whole_word("yes|yeah|yep|yup|true|correct|affirmative")),
    (False, whole_word("no|nope|nah|false|incorrect|wrong|negative")),
    (False, "不是|不对|不正确|错误|没有|否|不会|错"),
    (True, r"是的|对的|对(?=\W|\Z)|正确|有的"),
    # In a sentence 是 and 会 are verbs; alone they are answers.
    (True, r"(?<!\w)[是会](?=[,.。!\s]|\Z)"),
)
_WORD = re.compile(
    "|".join(f"(?P<v{index}>{pattern})" for index, (_value, pattern) in enumerate(_WORDS)), re.IGNORECASE
)
_OPEN_QUESTION = re.compile(
    rf"{whole_word('yes')}\s*(?:/|,|or|and)\s*{whole_word('no')}|{whole_word('no')}\s*(?:/|or|and)\s*{whole_word('yes')}|"
    rf"{whole_word('true')}\s*(?:/|or)\s*{whole_word('false')}|{whole_word('whether')}[^.,;!?\n]*|"
    r"是不是|(?<!答案)是否|对不对|会不会|有没有|是(?:或|还是|/)(?:否|不是)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rf"(?:{whole_word('not|never')}|n't|不)\s*(?:{whole_word('quite|entirely|really|at all')}\s*)*$", re.IGNORECASE
)
_CONCLUSIONS = "answer|verdict|conclusion|judge?ment|prediction|final|so|therefore|thus|say|actually|wait"
_LINKS = rf"(?:{whole_word('is|would be|must be|should be|it|that')}\s*|是|为|应该|就)*"
_CONCLUDING = re.compile(
    rf"(?:{whole_word(_CONCLUSIONS)}|答案|结论|所以|因此|判断)[\"']?\s*{_LINKS}[\s\"':=,(\[]*$", re.IGNORECASE
)
_LEADING = re.compile(r"(?:\A|[\n.!?。;])[\s\"'(\[]*$")
_LEADING_END = re.compile(r"[\"')\]]*\s*(?:\Z|[\n.,;:!?。、-])")
_WINDOW = 80


def _classify_word(reply: str, match: re.Match[str]) -> _YesNoWord:
    before = reply[max(0, match.start() - _WINDOW) : match.start()]
    value, _pattern = _WORDS[int(str(match.lastgroup)[1:])]
    is_leading = _LEADING.search(before) and _LEADING_END.match(reply, match.end())
    is_stated = bool(is_leading or _CONCLUDING.search(before))
    return _YesNoWord(value != bool(_DENIED.search(before)), is_stated)


def read_yes_no(text: str) -> Reading[bool]:
    """Read whether a reply affirms: its last statement decides, else all its words must agree."""
    reply = _OPEN_QUESTION.sub(" ", clean_reply(text))
    verdicts = [_classify_word(reply, match) for match in _WORD.finditer(reply)]
    stated = [verdict.value for verdict in verdicts if verdict.is_stated]
    if stated:
        return Reading(stated[-1], Strength.MARKER)
    values = {verdict.value for verdict in verdicts}
    return Reading(values.pop(), Strength.WEAK) if len(values) == 1 else Reading()
