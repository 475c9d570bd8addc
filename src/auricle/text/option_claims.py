"""Classify how firmly a reply claims each option it mentions, and decide between the claims.

A mention is classified by the words before and after it, with a table of phrasings:

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from auricle.text.answer_phrasings import OPTIONAL_FILLERS, ClaimLevel, PhrasingRule, label_rules, text_rules

_WINDOW = 90
# A reply that repeats itself endlessly may name thousands of options; the last ones are enough.
_MAX_MENTIONS = 1_000
_BETWEEN_LABEL_AND_TEXT = re.compile(r"[\s\"'(\[)\].:、,\-–—]*")
_BETWEEN_LABEL_AND_OTHER_TEXT = re.compile(r"[\s\"'(\[)\].:、\-]*")
_CONJUNCTION = r"[\"')\]]*\s*,?\s*(?:(?:or|nor|and|and/or)(?![a-z])|/|&|、|或者?|和|与|还是|以及)" + OPTIONAL_FILLERS
_COMMA = r"[\"')\]]*\s*," + OPTIONAL_FILLERS
_HAS_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """Where a reply names an option, by its text or by its label."""

    start: int
    end: int
    index: int
    is_label: bool


class Claim(NamedTuple):
    """Options named together, and how firmly."""

    level: ClaimLevel
    indices: frozenset[int]
    end: int


def first_matching_level(rules: Sequence[PhrasingRule], text: str, start: int, end: int) -> ClaimLevel | None:
    """Return the level of the first rule that matches around the span, or None."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    return next((rule.level for rule in rules if rule.matches(before, after)), None)


def _is_own_label(text: str, label: Mention, option_text: Mention) -> bool:
    """Return whether the two are the label and the text of the same option, as in "B) guitar"."""
    return (
        label.is_label
        and not option_text.is_label
        and label.index == option_text.index
        and _BETWEEN_LABEL_AND_TEXT.fullmatch(text, label.end, option_text.start) is not None
    )


def _is_foreign_label(text: str, label: Mention, option_text: Mention) -> bool:
    """Return whether the label of one option is attached to the text of another."""
    return (
        label.is_label
        and not option_text.is_label
        and _BETWEEN_LABEL_AND_OTHER_TEXT.fullmatch(text, label.end, option_text.start) is not None
    )


def _merge(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Join each label with its own text into one mention."""
    merged: list[Mention] = []
    for mention in mentions:
        if merged and _is_own_label(text, merged[-1], mention):
            mention = replace(mention, start=merged.pop().start)
        merged.append(mention)
    return merged


def _are_joined_by(connector: str, text: str, left: Mention, right: Mention) -> bool:
    """Return whether only the connector is between two mentions."""
    between = text[left.end : right.start]
    return re.fullmatch(connector, between, re.IGNORECASE) is not None


def _linked_to_next(text: str, mentions: Sequence[Mention]) -> list[bool]:
    """Return for each mention whether it is coordinated with the next: "A or B", "A, B and C"."""
    linked = [False] * len(mentions)
    for position in reversed(range(len(mentions) - 1)):
        pair = mentions[position], mentions[position + 1]
        # A comma alone separates sentences as often as items, so a list must end in "and" or "or".
        is_list = linked[position + 1] and _are_joined_by(_COMMA, text, *pair)
        linked[position] = is_list or _are_joined_by(_CONJUNCTION, text, *pair) or _is_foreign_label(text, *pair)
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


def _agreed_option(claims: Sequence[Claim]) -> int | None:
    indices = {index for claim in claims for index in claim.indices}
    return indices.pop() if len(indices) == 1 else None


def _closing_lead(text: str, claims: Sequence[Claim]) -> list[Claim]:
    """Return the lead claim at the end of a reply, which counts as a statement unless it ends a list of options."""
    leads = [claim for claim in claims if claim.level is ClaimLevel.LEAD]
    if not leads or _HAS_WORD.search(text, leads[-1].end):
        return []
    *earlier, last = leads
    is_new = not any(claim.indices == last.indices for claim in earlier)
    return [] if earlier and is_new else [last]


def decide_option(text: str, mentions: Sequence[Mention]) -> int | None:
    """Return the index of the option that a reply decides on, or None."""
    ordered = _merge(text, sorted(mentions)[-_MAX_MENTIONS:])
    claims = [_classify_group(text, group) for group in _group_mentions(text, ordered)]
    stated = [claim for claim in claims if claim.level is ClaimLevel.STATED]
    final = (stated + _closing_lead(text, claims))[-1:]
    if final:
        return _agreed_option(final)
    for level in (ClaimLevel.LEAD, ClaimLevel.PREDICATED, ClaimLevel.PLAIN, ClaimLevel.TENTATIVE):
        if claims_on_level := [claim for claim in claims if claim.level is level]:
            return _agreed_option(claims_on_level)
    return None
