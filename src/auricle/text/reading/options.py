"""Read the option or label that a free-form reply chooses; never guess.

A refusal has no answer. Questions, conditions, concessions and courtesies are dropped. In the rest every mention of an
option is located, by its text or by the letter, number or ordinal that stands for it. Then each mention is classified
by the words before and after it, with the tables of phrasings of the languages of the reply:

    NEGATED      "not A", "A is wrong", "rather than A"           does not support the option
    GIVEN_UP     "I first thought A", "one might say A"           does not support the option
    TENTATIVE    "it might be A"                                  counts only if no other option is mentioned
    PLAIN        the option is named                              all named options must agree
    PREDICATED   "it is A", "the speaker sounds A"                all such claims must agree
    LEAD         a sentence or a label alone, "A." or "A) x"       all such claims must agree
    STATED       "the answer is A", "A, because", "选A"           the last one wins

The highest level present decides; `claims` resolves the cases in which two options are on that level.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from auricle.text.reading.assertions import drop_non_assertions, is_refusal, trailing_reservations
from auricle.text.reading.claims import Claim, decide
from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.languages import TABLES
from auricle.text.reading.mentions import (
    ARTICLES,
    CACHE_SIZE,
    WINDOW,
    Mention,
    OptionNames,
    choice_names,
    find_label_mentions,
    find_ordinal_mentions,
    find_related_mentions,
    find_text_mentions,
    first_matching_level,
    label_names,
    strip_labels,
)
from auricle.text.reading.option_words import find_word_mentions
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.rules import A_LITTLE, VERDICT, ClaimLevel, Rules, compile_pattern, rules_for_reply
from auricle.text.reading.yes_no import read_yes_no

_LETTER_ONLY = re.compile(r"[\s*(\[\"'`]*(?P<letter>[A-Za-z])[\s*)\]\"'`.:]*")
_ANSWER_ONLY = re.compile(
    r"(?:(?:the|my) )?(?:(?:correct|final|best|right) )?(?:answer|option|choice)(?: is)?:?\s*[*(\"'\[]*"
    r"(?P<letter>[A-Z])[*)\"'\].]*",
    re.IGNORECASE,
)
_LETTER_AND_TEXT = re.compile(r"[\s*(]*(?P<letter>[A-Z])[*)]*[.):：]*\s+(?P<text>\S.*)", re.DOTALL)


def read_option(text: str, choices: Sequence[str], question: str = "") -> Reading[int]:
    """Read the index of the option that a reply chooses.

    Args:
        text: The reply.
        choices: The texts of the options, with or without their letters; without any, a letter A to Z is read.
        question: The question, if it is known; a reply may restate it where the options are yes and no.
    """
    names = choice_names(tuple(choices))
    if letter := _LETTER_ONLY.fullmatch(text):
        return _labelled(letter, names, Strength.WHOLE_REPLY)
    if letter := _ANSWER_ONLY.fullmatch(text):
        return _labelled(letter, names, Strength.MARKER)
    if (index := _whole_option(text, tuple(choices))) is not None:
        return Reading(index, Strength.WHOLE_REPLY)
    return _find_option(text, names, _yes_no_pair(tuple(choices)), question)


def _labelled(match: re.Match[str], names: OptionNames, strength: Strength) -> Reading[int]:
    index = names.labels.get(match["letter"].upper())
    return Reading() if index is None else Reading(index, strength)


def read_label(text: str, labels: Sequence[str], question: str = "") -> Reading[str]:
    """Read the label that a reply names; either part of a label such as "生气/angry" is enough.

    Args:
        text: The reply.
        labels: The labels.
        question: The question, if it is known; a reply may restate it where the labels are yes and no.
    """
    index = _whole_text(text, tuple(labels))
    reading = (
        _find_option(text, label_names(tuple(labels)), _yes_no_pair(tuple(labels)), question)
        if index is None
        else Reading(index, Strength.WHOLE_REPLY)
    )
    value = None if reading.value is None else labels[reading.value]
    return Reading(value, reading.strength, reading.refused)


@lru_cache(maxsize=CACHE_SIZE)
def _canonical_texts(choices: tuple[str, ...]) -> list[str]:
    return [_canonical_text(option) for option in strip_labels(choices)]


def _canonical_text(text: str) -> str:
    return _SEPARATORS.sub("", text.casefold()).strip(".*")


_SEPARATORS = re.compile(r"\s+|(?<=\w)-(?=[^\W\d])")


def _whole_text(text: str, choices: tuple[str, ...]) -> int | None:
    whole = _canonical_text(text)
    equal = [index for index, option in enumerate(_canonical_texts(choices)) if option == whole]
    return equal[0] if equal and len({choices[index] for index in equal}) == 1 else None


def _whole_option(text: str, choices: tuple[str, ...]) -> int | None:
    """Return the index of the option whose text, or letter and text, is the whole reply."""
    if (whole := _whole_text(text, choices)) is not None:
        return whole
    texts = _canonical_texts(choices)
    lettered = _LETTER_AND_TEXT.fullmatch(text.strip())
    index = string.ascii_uppercase.index(lettered["letter"]) if lettered else len(texts)
    return index if lettered and index < len(texts) and _canonical_text(lettered["text"]) == texts[index] else None


_YES_NO_PAIRS = frozenset(
    {
        *(("yes", "no"), ("true", "false"), ("是", "否"), ("有", "没有"), ("はい", "いいえ"), ("예", "아니요")),
        *(("ja", "nein"), ("oui", "non"), ("sí", "no"), ("sim", "não"), ("sì", "no"), ("да", "нет")),
    }
)


@lru_cache(maxsize=CACHE_SIZE)
def _yes_no_pair(choices: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the indices of yes and no if these are the options."""
    texts = tuple(_canonical_texts(choices))
    if texts in _YES_NO_PAIRS:
        return 0, 1
    return (1, 0) if texts[::-1] in _YES_NO_PAIRS else None


_FIRM = frozenset({Strength.MARKER, Strength.WHOLE_REPLY})
_ANSWERED = compile_pattern(rf"\s*\?\s*(?={VERDICT})")
"""The question mark between an option and the verdict on it: "anger? no. fear? yes."."""


def _find_option(text: str, names: OptionNames, yes_no: tuple[int, int] | None, question: str) -> Reading[int]:
    cleaned = clean_reply(text)
    rules = rules_for_reply(cleaned)
    if is_refusal(cleaned, rules):
        return Reading(refused=True)
    reply = drop_non_assertions(cleaned if yes_no else _ANSWERED.sub(": ", cleaned), rules)
    if yes_no:
        answer = read_yes_no(text, question)
        by_rule = Reading(None if answer.value is None else yes_no[0 if answer.value else 1], answer.strength)
        return _prefer_named(by_rule, reply, names, rules)
    mentions = _named_mentions(reply, names, rules)
    reading = decide_option(reply, mentions, rules)
    if reading.strength not in _FIRM and (ordinals := list(find_ordinal_mentions(reply, names, rules))):
        mentions += ordinals
        reading = decide_option(reply, mentions, rules)
    if reading.strength in _FIRM:
        return reading
    if _is_contrasted(reading, cleaned, names, rules):
        return Reading()
    return _compare_with_related(reading, reply, names, mentions, rules)


def _named_mentions(reply: str, names: OptionNames, rules: Rules) -> list[Mention]:
    """Return where a reply names options by text or letter, outside of quoted speech and lists of estimates."""
    quotations = _quotations(reply, rules)
    by_text = _drop_quoted(reply, find_text_mentions(reply, names.aliases), quotations, rules)
    by_label = _drop_quoted(reply, find_label_mentions(reply, names.labels, by_text, rules), quotations, rules)
    mentions = [*by_text, *by_label]
    estimated = [mention for mention in mentions if _SHARE.match(reply, mention.end)]
    if len({mention.index for mention in estimated}) > 1:
        return [mention for mention in mentions if mention not in estimated]
    return mentions


def _compare_with_related(
    reading: Reading[int], reply: str, names: OptionNames, mentions: list[Mention], rules: Rules
) -> Reading[int]:
    """Read a related word or a misspelt option without a better one; it stands against one that is only named."""
    related = find_related_mentions(reply, names, mentions, rules)
    if reading.value is None and not related:
        related = list(find_word_mentions(reply, names.aliases, rules, mentions))
    related = _drop_quoted(reply, related, _quotations(reply, rules), rules)
    value = decide_option(reply, mentions + related, rules).value if related else reading.value
    if reading.value is None and value is not None:
        return Reading(value, Strength.WEAK)
    return reading if value == reading.value else Reading()


_SHARE = re.compile(r"[\"')\]]*\s?[:=(]?\s?[0-9]+(?:[.,][0-9]+)?\s?%")
"""The share of an option in a list of estimates, which is no answer: "rain: 40 %"."""


def _is_contrasted(reading: Reading[int], cleaned: str, names: OptionNames, rules: Rules) -> bool:
    """Return whether a reply asserts another option after the one that was read, in a clause that was dropped.

    "There is a dog, although the main sound is a bird", "speech in the first half and music in the second half".
    """
    if reading.value is None:
        return False
    mentions = find_text_mentions(cleaned, names.aliases)
    last = max((mention.start for mention in mentions if mention.index == reading.value), default=0)
    others = [mention for mention in mentions if mention.index != reading.value and mention.start > last]
    return any(
        segment.start <= mention.start < segment.end and (segment.is_weighed or _is_asserted(cleaned, mention, rules))
        for segment in trailing_reservations(cleaned, rules)
        for mention in others
    )


def _is_asserted(text: str, mention: Mention, rules: Rules) -> bool:
    level = first_matching_level(rules.text_rules, text, mention.start, mention.end)
    is_minor = _MINOR.search(text, max(0, mention.start - WINDOW), mention.start)
    return level is not None and level.value >= ClaimLevel.PREDICATED.value and not is_minor


_MINOR = compile_pattern(rf"(?:{A_LITTLE})\s*\Z")


def _prefer_named(by_rule: Reading[int], reply: str, names: OptionNames, rules: Rules) -> Reading[int]:
    """Return yes or no as read, unless the reply states a letter, or has neither and names an option."""
    by_label = decide_option(reply, list(find_label_mentions(reply, names.labels, [], rules)), rules)
    if by_label.strength in _FIRM:
        return by_label
    return decide_option(reply, find_text_mentions(reply, names.aliases), rules) if by_rule.value is None else by_rule


# --- quoted speech ---------------------------------------------------------------------

_QUOTATION = re.compile(r"\"[^\"\n]+\"")


def _quotations(text: str, rules: Rules) -> list[re.Match[str]]:
    """Return the quotations of a reply that are not given as its answer."""
    return [
        match
        for match in _QUOTATION.finditer(text)
        if first_matching_level(rules.answer_rules, text, match.start(), match.end()) is not ClaimLevel.STATED
    ]


def _drop_quoted(
    text: str, mentions: Iterable[Mention], quotations: Sequence[re.Match[str]], rules: Rules
) -> list[Mention]:
    """Drop mentions that are part of quoted speech: "I am happy to be here", unlike "happy"."""
    return [mention for mention in mentions if not any(_is_speech(text, mention, match, rules) for match in quotations)]


def _is_speech(text: str, mention: Mention, quotation: re.Match[str], rules: Rules) -> bool:
    if not quotation.start() < mention.start < quotation.end():
        return False
    rest = text[quotation.start() : mention.start] + " " + text[mention.end : quotation.end()]
    return _SPOKEN_WORD.search(rules.determiner.sub(" ", rest)) is not None


_SPOKEN_WORD = re.compile(r"[^\W\d_]{2}|(?<!\w)I(?!\w)")


# --- claims ----------------------------------------------------------------------------

# A reply that repeats itself endlessly may name thousands of options; the last ones are enough.
_MAX_MENTIONS = 200
_BETWEEN_LABEL_AND_TEXT = compile_pattern(rf"[\s\"'(\[)\].:、,\-–—の]*{ARTICLES}")
_BETWEEN_LABEL_AND_OTHER_TEXT = compile_pattern(rf"[\s\"'(\[)\].:、\-]*{ARTICLES}")
_BEFORE_OWN_LABEL = re.compile(r"[\"']*\s*[(\[]\s*")
_BETWEEN_ITEMS = compile_pattern(rf"[\s\"'()\[\],;/|、]*{ARTICLES}")
_BETWEEN_LETTERED_ITEMS = re.compile(r"[\s,;/|、]*")
_LETTERED = re.compile(r"[A-Z](?:[.):、]|\s)")


def _is_label_of(text: str, label: Mention, option_text: Mention, separator: re.Pattern[str]) -> bool:
    """Return whether a label is attached to the text of an option, as in "B) guitar"."""
    is_pair = label.is_label and not option_text.is_label
    return is_pair and separator.fullmatch(text, label.end, option_text.start) is not None


def _merge(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Join each label with its own text into one mention: "B) guitar", "the guitar (B)"."""
    merged: list[Mention] = []
    for mention in mentions:
        is_own = merged and merged[-1].index == mention.index
        if is_own and _is_label_of(text, merged[-1], mention, _BETWEEN_LABEL_AND_TEXT):
            mention = replace(mention, start=merged.pop().start)
        elif is_own and mention.is_label and _BEFORE_OWN_LABEL.fullmatch(text, merged[-1].end, mention.start):
            mention = replace(merged.pop(), end=mention.end)
        merged.append(mention)
    return merged


def _linked_to_next(text: str, mentions: Sequence[Mention], rules: Rules) -> list[bool]:
    """Return for each mention whether it is coordinated with the next: "A or B", "A, B and C", "A. x B. y"."""
    linked = [False] * len(mentions)
    for position in reversed(range(len(mentions) - 1)):
        left, right = mentions[position], mentions[position + 1]
        # A comma alone separates sentences as often as items, so a list must end in "and" or "or".
        connectors = [rules.conjunction, rules.comma] if linked[position + 1] else [rules.conjunction]
        is_joined = any(connector.fullmatch(text, left.end, right.start) for connector in connectors)
        linked[position] = is_joined or _is_label_of(text, left, right, _BETWEEN_LABEL_AND_OTHER_TEXT)
        linked[position] |= _are_lettered_items(text, left, right)
    for position in range(len(mentions) - 2):
        items = mentions[position : position + 3]
        are_items = len({mention.index for mention in items}) == 3 and len({mention.is_label for mention in items}) == 1
        if are_items and all(_BETWEEN_ITEMS.fullmatch(text, left.end, right.start) for left, right in pairwise(items)):
            linked[position] = linked[position + 1] = True
    return linked


def _are_lettered_items(text: str, left: Mention, right: Mention) -> bool:
    """Return whether two options with letter and text follow each other, as in "A. violin B. guitar"."""
    are_lettered = _LETTERED.match(text, left.start) and _LETTERED.match(text, right.start)
    is_list = are_lettered and not (left.is_label or right.is_label) and left.index != right.index
    return bool(is_list and _BETWEEN_LETTERED_ITEMS.fullmatch(text, left.end, right.start))


def _group_mentions(text: str, mentions: Sequence[Mention], rules: Rules) -> Iterator[list[Mention]]:
    group: list[Mention] = []
    for mention, is_linked in zip(mentions, _linked_to_next(text, mentions, rules), strict=True):
        group.append(mention)
        if not is_linked:
            yield group
            group = []


def _classify_group(text: str, group: Sequence[Mention], rules: Rules) -> Claim:
    """Classify a group of mentions by the words around it."""
    are_labels = all(mention.is_label for mention in group)
    phrasings = rules.label_rules if are_labels else rules.text_rules
    start, end = group[0].start, group[-1].end
    level = first_matching_level(phrasings, text, start, end)
    if level is None:
        level = ClaimLevel.IGNORED if are_labels and len(group) == 1 else ClaimLevel.PLAIN
    if level is ClaimLevel.PLAIN and rules.negated_later.match(text, end):
        level = ClaimLevel.NEGATED
    if len(group) == 1 and level.value >= ClaimLevel.PLAIN.value:
        level = _level_of_name(text, group[0], level, rules)
    return Claim(level, frozenset(mention.index for mention in group), start, end, are_labels)


_CATCH_ALL = compile_pattern("|".join(table.catch_alls for table in TABLES.values() if table.catch_alls))
_OF_THE_OPTIONS = compile_pattern(r"\s+of (?:the|these|those) (?:above|options|choices|labels|given|listed|others?)")


def _level_of_name(text: str, mention: Mention, level: ClaimLevel, rules: Rules) -> ClaimLevel:
    """Return the level of a mention whose option is a count ("three times") or an ordinary word ("other")."""
    name = text[mention.start : mention.end]
    if _CATCH_ALL.fullmatch(name):
        ends_phrase = rules.phrase_end.match(text, mention.end) or _OF_THE_OPTIONS.match(text, mention.end)
        return level if level is not ClaimLevel.PLAIN and ends_phrase else ClaimLevel.NEGATED
    if not mention.is_label and rules.count.search(name):
        return first_matching_level(rules.bound_rules, text, mention.start, mention.end) or level
    return level


def decide_option(text: str, mentions: Sequence[Mention], rules: Rules) -> Reading[int]:
    """Read the index of the option that a reply decides on."""
    ordered = _merge(text, sorted(mentions)[-_MAX_MENTIONS:])
    return decide(text, [_classify_group(text, group, rules) for group in _group_mentions(text, ordered, rules)], rules)
