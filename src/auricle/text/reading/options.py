"""Read the option or label that a free-form reply chooses; never guess.

First every mention of an option is located, by its text or by the letter or number that labels it. Then each mention
is classified by the words before and after it, with a table of phrasings:

    NEGATED      "not A", "A is wrong", "rather than A"           does not support the option
    TENTATIVE    "I first thought A", "it might be A"             counts only without other claims
    PLAIN        the option is named                              all named options must agree
    PREDICATED   "it is A", "the speaker sounds A"                all such claims must agree
    LEAD         a sentence or a label alone, "A." or "A) x"       all such claims must agree
    STATED       "the answer is A", "A, because", "选A"           the last one wins

The highest level present decides. Two different options on that level are not an answer.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.phrasings import (
    OPTIONAL_FILLERS,
    ClaimLevel,
    PhrasingRule,
    answer_rules,
    label_rules,
    text_rules,
    whole_word,
)
from auricle.text.reading.result import Reading, Strength
from auricle.text.scripts import UNSPACED_SCRIPTS

_CACHE_SIZE = 4_096


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """Where a reply names an option, by its text or by its label."""

    start: int
    end: int
    index: int
    is_label: bool


class _OptionNames(NamedTuple):
    """The names of each option, and the letters and numbers that label one."""

    aliases: tuple[tuple[str, ...], ...]
    labels: dict[str, int]


_ALTERNATIVE_SEPARATOR = re.compile(r"[/|()]")
_WORD_SEPARATOR = re.compile(r"[_-]+")
_LETTER_AND_TEXT = re.compile(r"[\s*(]*(?P<letter>[A-Z])[*)]*[.):：]*\s+(?P<text>\S.*)", re.DOTALL)


def read_option(text: str, choices: Sequence[str]) -> Reading[int]:
    """Read the index of the option that a reply chooses.

    Args:
        text: The reply.
        choices: The texts of the options, with or without their letters; without any, a letter A to Z is read.
    """
    texts = [_canonical_text(option) for option in strip_labels(choices)]
    if (lettered := _LETTER_AND_TEXT.fullmatch(text.strip())) and texts:
        index = string.ascii_uppercase.index(lettered["letter"])
        if index < len(texts) and _canonical_text(lettered["text"]) == texts[index]:
            return Reading(index, Strength.WHOLE_REPLY)  # exactly the letter and the text of one option
    reading = _find_option(text, _choice_names(tuple(choices)))
    equal = [index for index, option in enumerate(texts) if option == _canonical_text(text)]
    is_exact = reading.value is None and len({choices[index] for index in equal}) == 1
    return Reading(equal[0], Strength.WHOLE_REPLY) if is_exact else reading


def read_label(text: str, labels: Sequence[str]) -> Reading[str]:
    """Read the label that a reply names; either part of a label such as "生气/angry" is enough."""
    reading = _find_option(text, _label_names(tuple(labels)))
    value = None if reading.value is None else labels[reading.value]
    return Reading(value, reading.strength, reading.refused)


def strip_labels(choices: Sequence[str]) -> list[str]:
    """Remove the letters from options such as "(B) guitar", if all options have one."""
    texts = [strip_own_label(choice, index) for index, choice in enumerate(choices)]
    are_labelled = all(text != choice for text, choice in zip(texts, choices, strict=True))
    return texts if are_labelled else list(choices)


def _canonical_text(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .*")


@lru_cache(maxsize=_CACHE_SIZE)
def _choice_names(choices: tuple[str, ...]) -> _OptionNames:
    texts = strip_labels(choices)
    aliases = [(text,) if text not in texts[:index] else () for index, text in enumerate(texts)]
    return _OptionNames(tuple(aliases), build_label_table(texts))


@lru_cache(maxsize=_CACHE_SIZE)
def _label_names(labels: tuple[str, ...]) -> _OptionNames:
    return _OptionNames(tuple((name, *_label_variants(name)) for name in labels), single_letter_options(labels))


def _label_variants(name: str) -> list[str]:
    """Return other spellings of a label: either part of "生气/angry", "sea waves" for "sea_waves"."""
    parts = [part.strip() for part in _ALTERNATIVE_SEPARATOR.split(name)]
    spaced = [" ".join(_WORD_SEPARATOR.split(text)).strip() for text in (name, *parts)]
    return [variant for variant in dict.fromkeys([*parts, *spaced]) if variant not in {"", name}]


def _find_option(text: str, names: _OptionNames) -> Reading[int]:
    reply = clean_reply(text)
    by_text = find_text_mentions(reply, names.aliases)
    return decide_option(reply, [*by_text, *find_label_mentions(reply, names.labels, by_text)])


# --- mentions --------------------------------------------------------------------------

_TOKEN = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?|[\w#+%♯♭]+")
_ARTICLE = re.compile(r"\A(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_OWN_LABEL = re.compile(r"\s*\(?(?P<letter>[A-Z])(?:\)|[.:、])\s*(?=\S)")
_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")
_LABEL_WINDOW = 40

_LABEL = re.compile(
    r"(?<![A-Za-z0-9_#.])(?<![A-Za-z]['-])(?:[A-Za-z]|[1-9][0-9]?)"
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


@lru_cache(maxsize=_CACHE_SIZE)
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
    return bool(_OPTION_WORD_BEFORE.search(text, start - _LABEL_WINDOW, start)) or bool(
        _PHRASE_END.match(text, end) and first_matching_level(answer_rules(), text, start, end)
    )


def _is_lowercase_label(text: str, start: int, end: int) -> bool:
    starts_line = _LINE_START.search(text, start - _LABEL_WINDOW, start)
    is_marked = _CLOSING_BRACKET.match(text, end) or (starts_line and _LINE_LABEL.match(text, end))
    return bool(is_marked) or _is_in_answer_phrase(text, start, end)


def _is_label(text: str, match: re.Match[str]) -> bool:
    """Return whether a match is a label, not a one-letter word or a number."""
    label, (start, end) = match[0], match.span()
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
        index = table.get(match[0].upper())
        if index is not None and match.start() not in covered and _is_label(text, match):
            yield Mention(match.start(), match.end(), index, is_label=True)


# --- claims ----------------------------------------------------------------------------

_WINDOW = 90
# A reply that repeats itself endlessly may name thousands of options; the last ones are enough.
_MAX_MENTIONS = 1_000
_BETWEEN_LABEL_AND_TEXT = re.compile(r"[\s\"'(\[)\].:、,\-–—]*")
_BETWEEN_LABEL_AND_OTHER_TEXT = re.compile(r"[\s\"'(\[)\].:、\-]*")
_CONJUNCTION = r"[\"')\]]*\s*,?\s*(?:(?:or|nor|and|and/or)(?![a-z])|/|&|、|或者?|和|与|还是|以及)" + OPTIONAL_FILLERS
_COMMA = r"[\"')\]]*\s*," + OPTIONAL_FILLERS
_HAS_WORD = re.compile(r"\w")


class Claim(NamedTuple):
    """Options named together, and how firmly."""

    level: ClaimLevel
    indices: frozenset[int]
    end: int


def first_matching_level(rules: Sequence[PhrasingRule], text: str, start: int, end: int) -> ClaimLevel | None:
    """Return the level of the first rule that matches around the span, or None."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    return next((rule.level for rule in rules if rule.matches(before, after)), None)


def _is_label_of(text: str, label: Mention, option_text: Mention, separator: re.Pattern[str]) -> bool:
    """Return whether a label is attached to the text of an option, as in "B) guitar"."""
    is_pair = label.is_label and not option_text.is_label
    return is_pair and separator.fullmatch(text, label.end, option_text.start) is not None


def _merge(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Join each label with its own text into one mention."""
    merged: list[Mention] = []
    for mention in mentions:
        is_own = merged and merged[-1].index == mention.index
        if is_own and _is_label_of(text, merged[-1], mention, _BETWEEN_LABEL_AND_TEXT):
            mention = replace(mention, start=merged.pop().start)
        merged.append(mention)
    return merged


def _linked_to_next(text: str, mentions: Sequence[Mention]) -> list[bool]:
    """Return for each mention whether it is coordinated with the next: "A or B", "A, B and C"."""
    linked = [False] * len(mentions)
    for position in reversed(range(len(mentions) - 1)):
        left, right = mentions[position], mentions[position + 1]
        # A comma alone separates sentences as often as items, so a list must end in "and" or "or".
        connectors = [_CONJUNCTION, _COMMA] if linked[position + 1] else [_CONJUNCTION]
        between = text[left.end : right.start]
        is_joined = any(re.fullmatch(connector, between, re.IGNORECASE) for connector in connectors)
        linked[position] = is_joined or _is_label_of(text, left, right, _BETWEEN_LABEL_AND_OTHER_TEXT)
    return linked


def _group_mentions(text: str, mentions: Sequence[Mention]) -> Iterator[list[Mention]]:
    group: list[Mention] = []
    for mention, is_linked in zip(mentions, _linked_to_next(text, mentions), strict=True):
        group.append(mention)
        if not is_linked:
            yield group
            group = []


def _classify_group(text: str, group: Sequence[Mention]) -> Claim:
    """Classify a group of mentions by the words around it."""
    are_labels = all(mention.is_label for mention in group)
    rules = label_rules() if are_labels else text_rules()
    level = first_matching_level(rules, text, group[0].start, group[-1].end)
    if level is None:
        level = ClaimLevel.IGNORED if are_labels and len(group) == 1 else ClaimLevel.PLAIN
    return Claim(level, frozenset(mention.index for mention in group), group[-1].end)


_STRENGTH = {
    ClaimLevel.STATED: Strength.MARKER,
    ClaimLevel.LEAD: Strength.WHOLE_REPLY,
    ClaimLevel.PREDICATED: Strength.OPTION_TEXT,
    ClaimLevel.PLAIN: Strength.OPTION_TEXT,
    ClaimLevel.TENTATIVE: Strength.WEAK,
}


def _agree(claims: Sequence[Claim]) -> Reading[int]:
    indices = {index for claim in claims for index in claim.indices}
    return Reading(indices.pop(), _STRENGTH[claims[-1].level]) if len(indices) == 1 else Reading()


def _closing_lead(text: str, claims: Sequence[Claim]) -> list[Claim]:
    """Return the lead claim at the end of a reply, which counts as a statement unless it ends a list of options."""
    leads = [claim for claim in claims if claim.level is ClaimLevel.LEAD]
    if not leads or _HAS_WORD.search(text, leads[-1].end):
        return []
    *earlier, last = leads
    is_new = not any(claim.indices == last.indices for claim in earlier)
    return [] if earlier and is_new else [last]


def decide_option(text: str, mentions: Sequence[Mention]) -> Reading[int]:
    """Read the index of the option that a reply decides on."""
    ordered = _merge(text, sorted(mentions)[-_MAX_MENTIONS:])
    claims = [_classify_group(text, group) for group in _group_mentions(text, ordered)]
    stated = [claim for claim in claims if claim.level is ClaimLevel.STATED]
    final = (stated + _closing_lead(text, claims))[-1:]
    if final:
        return _agree(final)
    for level in (ClaimLevel.LEAD, ClaimLevel.PREDICATED, ClaimLevel.PLAIN, ClaimLevel.TENTATIVE):
        if claims_on_level := [claim for claim in claims if claim.level is level]:
            return _agree(claims_on_level)
    return Reading()
