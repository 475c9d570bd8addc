"""Find where a reply names an option, by its text or by the letter or number that labels it."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from auricle.text.answer_phrasings import answer_rules, whole_word
from auricle.text.option_claims import Mention, first_matching_level
from auricle.text.tokenisers import UNSPACED_SCRIPTS

_TOKEN = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?|[\w#+%♯♭]+")
_ARTICLE = re.compile(r"\A(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_OWN_LABEL = re.compile(r"\s*\(?(?P<letter>[A-Z])(?:\)|[.:、])\s*(?=\S)")
_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")
_MATCHER_CACHE_SIZE = 4_096
_WINDOW = 40

_LABEL = re.compile(
    r"(?<![A-Za-z0-9_#.])(?<![A-Za-z]['-])([A-Za-z]|[1-9][0-9]?)"
    r"(?![A-Za-z0-9_#+%]|['-][A-Za-z]|\.\w(?!\w)|\.[0-9])"
)
_VERBS_AFTER_A = (
    "is|isn't|was|and|or|nor|because|since|but|as|seems|fits|matches|would|could|can|cannot|can't|"
    "does|doesn't|sounds|rather|instead|should|must|looks|makes|if|then|so|might|may|best"
)
_VERBS_AFTER_I = "is|isn't|and|or|nor|because|since|fits|matches|seems"
# "A guitar" and "I think" have an article and a pronoun; "A is wrong" and "I fits" have labels.
_NOT_A_LABEL = {
    "A": re.compile(rf"[ \t]+(?!(?:{_VERBS_AFTER_A})(?![a-z]))[^\W\d]"),
    "I": re.compile(rf"[ \t]+(?!(?:{_VERBS_AFTER_I})(?![a-z]))[^\W\d]"),
}
_CLOSING_BRACKET = re.compile(r"\s*[)\]]")
_OPTION_WORD_BEFORE = re.compile(
    rf"(?:{whole_word('option|choice|letter|answer|number')}|选项|選項)\s*[\"'(\[#]*$", re.IGNORECASE
)
_PHRASE_END = re.compile(r"\s*(?:[.,;:!?)\]\"'。、]|\Z|\n|(?:because|since|and|or)(?![a-z]))")
_LINE_START = re.compile(r"(?:\A|\n)[\s\"'(\[]*$")
_LINE_LABEL = re.compile(r"[\"']*(?:[.):、\]]|[ \t]*(?:\Z|\n))")
_LABEL_ONLY = re.compile(r"[\s\"'(\[]*\S{1,2}[\s\"')\].,!:。]*")


class _Matcher(NamedTuple):
    """One pattern for all option texts, and the option index of each named group."""

    pattern: re.Pattern[str]
    options: Mapping[str, int]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def strip_own_label(choice: str, index: int) -> str:
    """Remove the option's own letter from its text, as in "(B) guitar"."""
    label = _OWN_LABEL.match(choice)
    is_own = label is not None and label["letter"] == string.ascii_uppercase[index : index + 1]
    return choice[label.end() :] if label and is_own else choice


def _join_pattern(left: str, right: str) -> str:
    is_spaced = not (_UNSPACED.match(left[-1]) or _UNSPACED.match(right))
    return (r"[^\w\n]{1,3}" if is_spaced else r"[^\w\n]{0,3}") + re.escape(right)


def _token_pattern(tokens: Sequence[str]) -> str:
    """Return a pattern for the tokens with any separators, at word boundaries if the script has them."""
    body = re.escape(tokens[0]) + "".join(_join_pattern(*pair) for pair in pairwise(tokens))
    before = "" if _UNSPACED.match(tokens[0]) else r"(?<![A-Za-z0-9_])(?<![\d.]\.)"
    after = "" if _UNSPACED.match(tokens[-1][-1]) else r"(?![A-Za-z0-9_#♯♭])(?!\.\d)"
    return before + body + after


@lru_cache(maxsize=_MATCHER_CACHE_SIZE)
def _compile_matcher(aliases: tuple[tuple[str, ...], ...]) -> _Matcher | None:
    """Compile the names of all options, longest first so that a short name does not hide a longer one."""
    named = [
        (tuple(tokens), index)
        for index, names in enumerate(aliases)
        for tokens in {tuple(_tokens(_ARTICLE.sub("", name.strip()))) for name in names}
        if tokens and not _is_letter("".join(tokens))
    ]
    owners = Counter(tokens for tokens, _index in named)
    unique = [entry for entry in named if owners[entry[0]] == 1]
    if not unique:
        return None
    unique.sort(key=lambda entry: (-len("".join(entry[0])), entry))
    groups = {f"o{position}": entry for position, entry in enumerate(unique)}
    pattern = "|".join(f"(?P<{group}>{_token_pattern(entry[0])})" for group, entry in groups.items())
    options = {group: entry[1] for group, entry in groups.items()}
    return _Matcher(re.compile(pattern, re.IGNORECASE), options)


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text in string.ascii_letters


def find_text_mentions(text: str, aliases: tuple[tuple[str, ...], ...]) -> list[Mention]:
    """Return where options are named by their texts; an option may have several names."""
    matcher = _compile_matcher(aliases)
    if matcher is None:
        return []
    return [
        Mention(match.start(), match.end(), matcher.options[str(match.lastgroup)], is_label=False)
        for match in matcher.pattern.finditer(text)
    ]


def build_label_table(choices: Sequence[str]) -> dict[str, int]:
    """Map letters and numbers to options; an option whose text is one letter keeps it."""
    count = len(choices) or len(string.ascii_uppercase)
    table = dict(zip(string.ascii_uppercase, range(count), strict=False))
    if choices and not any(re.search(r"\d", choice) for choice in choices):
        table |= {str(index + 1): index for index in range(count)}
    return table | single_letter_options(choices)


def single_letter_options(choices: Sequence[str]) -> dict[str, int]:
    """Return the options whose whole text is one letter, such as names of notes."""
    return {choice.strip().upper(): index for index, choice in enumerate(choices) if _is_letter(choice.strip())}


def _is_in_answer_phrase(text: str, start: int, end: int) -> bool:
    """Return whether the span is in the position of an answer: "answer: b", "option b"."""
    return bool(_OPTION_WORD_BEFORE.search(text, max(0, start - _WINDOW), start)) or bool(
        _PHRASE_END.match(text, end) and first_matching_level(answer_rules(), text, start, end)
    )


def _is_lowercase_label(text: str, start: int, end: int) -> bool:
    starts_line = _LINE_START.search(text, max(0, start - _WINDOW), start)
    is_marked = _CLOSING_BRACKET.match(text, end) or (starts_line and _LINE_LABEL.match(text, end))
    return bool(is_marked) or _is_in_answer_phrase(text, start, end)


def _is_label(text: str, match: re.Match[str]) -> bool:
    """Return whether a match is a label, not a one-letter word or a number."""
    label, start, end = match[1], match.start(1), match.end(1)
    if label.isdigit():
        return bool(_LABEL_ONLY.fullmatch(text)) or _is_in_answer_phrase(text, start, end)
    if label.islower():
        return _is_lowercase_label(text, start, end)
    other = _NOT_A_LABEL.get(label)
    return other is None or not other.match(text, end)


def find_label_mentions(text: str, table: Mapping[str, int], text_mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield where options are named by label, outside of option texts."""
    covered = {position for mention in text_mentions for position in range(mention.start, mention.end)}
    for match in _LABEL.finditer(text):
        index = table.get(match[1].upper())
        if index is not None and match.start(1) not in covered and _is_label(text, match):
            yield Mention(match.start(1), match.end(1), index, is_label=True)
