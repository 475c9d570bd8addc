"""Decide which of the options that a reply claims is its answer.

The highest level present decides. Two different options on that level are not an answer, unless a correction, a "but"
or a new sentence after a list of the others replaces what was claimed before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from auricle.text.reading.assertions import is_retracted
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.rules import (
    A_LITTLE,
    CONTRAST,
    CORRECTION,
    END_OF_SENTENCE,
    EQUAL,
    LETTERS,
    TURN,
    WITH,
    ClaimLevel,
    Rules,
    compile_pattern,
)

_HAS_WORD = re.compile(r"\w")


class Claim(NamedTuple):
    """Options named together, and how firmly."""

    level: ClaimLevel
    indices: frozenset[int]
    start: int
    end: int
    is_label: bool


_STRENGTHS = {
    ClaimLevel.STATED: Strength.MARKER,
    ClaimLevel.LEAD: Strength.WHOLE_REPLY,
    ClaimLevel.PREDICATED: Strength.OPTION_TEXT,
    ClaimLevel.PLAIN: Strength.OPTION_TEXT,
    ClaimLevel.TENTATIVE: Strength.WEAK,
}


def _agree(claims: Sequence[Claim]) -> Reading[int]:
    indices = {index for claim in claims for index in claim.indices}
    if len(indices) != 1:
        return Reading()
    is_bare_letter = claims[-1].level is ClaimLevel.PLAIN and all(claim.is_label for claim in claims)
    return Reading(indices.pop(), Strength.WEAK if is_bare_letter else _STRENGTHS[claims[-1].level])


def _closing_lead(text: str, claims: Sequence[Claim]) -> list[Claim]:
    """Return the lead claim at the end of a reply, which counts as a statement unless it ends a list of options."""
    leads = [claim for claim in claims if claim.level is ClaimLevel.LEAD]
    if not leads or _HAS_WORD.search(text, leads[-1].end):
        return []
    *earlier, last = leads
    is_repeated = any(claim.indices >= last.indices for claim in earlier)
    is_correction = bool(earlier) and CORRECTION.search(text, earlier[-1].end, last.start)
    return [last] if not earlier or is_repeated or is_correction else []


def decide(text: str, claims: Sequence[Claim], rules: Rules) -> Reading[int]:
    """Read the index of the option that a reply decides on."""
    stated = [claim for claim in claims if claim.level is ClaimLevel.STATED]
    final = (stated + _closing_lead(text, claims))[-1:]
    final = _corrected(text, final[-1], claims) if final else final
    for level in (ClaimLevel.LEAD, ClaimLevel.PREDICATED, ClaimLevel.PLAIN, ClaimLevel.TENTATIVE):
        final = final or [claim for claim in claims if claim.level is level]
    final = [claim for claim in final if not _is_list_of_others(text, claim, final[-1])]
    if not final or is_retracted(text, final[-1].end, rules) or rules.cut_off.match(text, final[-1].end):
        return Reading()
    if _is_sequence(text, final[-1], claims):
        return Reading()
    reading = Reading() if _has_rival(text, final[-1], claims, rules) else _agree(final)
    return _read_contrast(text, claims) if reading.value is None and not stated else reading


def _corrected(text: str, stated: Claim, claims: Sequence[Claim]) -> list[Claim]:
    """Return the claim with which a reply replaces its statement: "A, oh no, sorry, it is B"."""
    later = [
        claim
        for claim in claims
        if claim.start >= stated.end and claim.level.value >= ClaimLevel.PREDICATED.value and len(claim.indices) == 1
    ]
    corrections = CORRECTION.finditer(text, stated.end, later[-1].start) if later else ()
    is_corrected = any(END_OF_SENTENCE.search(text, match.end() + 1, later[-1].start) is None for match in corrections)
    return later[-1:] if is_corrected else [stated]


_FIRST = compile_pattern(
    rf"(?:(?<![{LETTERS}])(?:first|at the start|starts?(?: \w+)?|begins?(?: \w+)?|zuerst|anfangs|erst|"
    "d'abord|au début|primero|al principio|primeiro|no início|prima|all'inizio|dapprima|сначала|вначале)|先是?|"
    "起初|开头|最初は?|まず|처음에?는?)"
    r"[\s,:]*(?:\w+\s+)?\Z"
)
_THEN = compile_pattern(
    rf"(?:(?<![{LETTERS}])(?:then|later|afterwards|ends?(?: \w+)?|dann|später|danach|puis|ensuite|luego|después|depois|"
    "logo|em seguida|poi|dopo|потом|затем|позже)|然后|后来|接着|その後|次に|나중에는?|그다음)"
    r"[\s,:]*(?:\w+\s+)?\Z"
)


def _is_sequence(text: str, final: Claim, claims: Sequence[Claim]) -> bool:
    """Return whether a reply names one option after the other in time: "first joy, then sadness"."""
    earlier = [claim for claim in claims if claim.end <= final.start and claim.indices != final.indices]
    if not earlier or not _THEN.search(text, max(0, final.start - _NEAR), final.start):
        return False
    return _FIRST.search(text, max(0, earlier[-1].start - _NEAR), earlier[-1].start) is not None


_NEAR = 30
_IS_ADDITION = compile_pattern(rf"\s*{WITH}|.*(?:{A_LITTLE})\s*\Z")
"""What adds an option to another one instead of replacing it: "but *with a touch of* B", "but B fits *as well*"."""


def _read_contrast(text: str, claims: Sequence[Claim]) -> Reading[int]:
    """Read the one option after the last "but" of a reply: "there is some noise, but it is mostly speech"."""
    named = [claim for claim in claims if claim.level.value >= ClaimLevel.TENTATIVE.value]
    turns = list(CONTRAST.finditer(text, named[0].end, named[-1].start)) if named else []
    if not turns:
        return Reading()
    turn = turns[-1]
    earlier = [claim for claim in named if claim.start < turn.start()]
    chosen = [claim for claim in named if claim.start >= turn.end()]
    indices = {index for claim in chosen for index in claim.indices}
    excluded = {index for claim in claims if claim.start < turn.start() for index in claim.indices}
    is_weaker = max(claim.level.value for claim in chosen) < max(claim.level.value for claim in earlier)
    if len(indices) != 1 or indices & excluded or is_weaker or chosen[-1].level is ClaimLevel.TENTATIVE:
        return Reading()
    end = END_OF_SENTENCE.search(text, chosen[-1].end)
    is_addition = _IS_ADDITION.match(text, turn.end(), chosen[0].start) or EQUAL.search(
        text, turn.end(), end.start() if end else len(text)
    )
    return Reading() if is_addition else Reading(indices.pop(), Strength.OPTION_TEXT)


def _has_rival(text: str, final: Claim, claims: Sequence[Claim], rules: Rules) -> bool:
    """Return whether a reply may mean another option than the one it seems to decide on.

    A later mention of another option counts unless it is denied, or stands in the explanation after a statement. An
    option that is only named allows no other mention, be it doubtful: "it might be A, just as well B".
    """
    rivals = [claim for claim in claims if claim.level is not ClaimLevel.NEGATED and claim.indices != final.indices]
    if final.level is ClaimLevel.PLAIN and not final.is_label:
        rivals = [claim for claim in rivals if claim.level is not ClaimLevel.IGNORED]
    if final.level in {ClaimLevel.TENTATIVE, ClaimLevel.PLAIN}:
        rivals = [claim for claim in rivals if not _is_list_of_others(text, claim, final)]
        return any(claim.level is not ClaimLevel.GIVEN_UP or not _turns(text, claim, final) for claim in rivals)
    is_statement = final.level in {ClaimLevel.STATED, ClaimLevel.LEAD}
    return any(
        claim.start > final.start
        and claim.level not in {ClaimLevel.IGNORED, ClaimLevel.GIVEN_UP}
        and not (is_statement and rules.explanation.match(text, final.end, claim.start))
        for claim in rivals
    )


def _is_list_of_others(text: str, claim: Claim, final: Claim) -> bool:
    """Return whether a claim lists other options in an earlier sentence: "A, B and C play along. Then D joins in."."""
    is_list = len(claim.indices) > 2 and not claim.indices & final.indices
    return is_list and END_OF_SENTENCE.search(text, claim.end, final.start) is not None


def _turns(text: str, given_up: Claim, final: Claim) -> bool:
    """Return whether a reply turns from one option to another, by "but" or a new sentence."""
    return TURN.search(text, given_up.end, final.start) is not None
