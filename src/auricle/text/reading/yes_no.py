"""Read yes or no from a free-form reply."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from auricle.text.reading.assertions import drop_non_assertions, is_refusal, is_retracted
from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.rules import (
    ADVERSATIVES,
    LETTERS,
    OPENING,
    REST_BEFORE_BUT,
    Rules,
    compile_pattern,
    rules_for_reply,
    whole_word,
)


class _Answer(NamedTuple):
    """A word that affirms or denies, and how firmly."""

    value: bool
    strength: Strength | None
    end: int


_WINDOW = 80
_CLAUSE_END = re.compile(r"[\"')\]]*\s*(?:\Z|[\n.,;:!?。、\-–—]|です|입니다|吧|but\b)")
_DENIED = compile_pattern(r"(?:(?<![a-z])(?:not|never)(?![a-z])|n't|不)\s*(?:(?:quite|entirely|really|at all)\s*)*$")

_ADVERBS = "もちろん|当然|" + whole_word(
    "definitely|clearly|certainly|probably|obviously|most likely|likely|absolutely|well|oh|hmm|okay|ok|um|ah|simply|"
    "eindeutig|wahrscheinlich|klar|ganz klar|also|tja|nun|clairement|probablement|eh bien|alors|donc|bon|"
    "claramente|probablemente|pues|bueno|provavelmente|bem|pois|"
    "chiaramente|probabilmente|beh|allora|ну|скорее всего|вероятно|однозначно|определённо|конечно"
)


class _Patterns:
    """The patterns of some rules for yes and no."""

    def __init__(self, rules: Rules) -> None:
        names = {"no": "no", "yes": "yes", "disagreement": "disagreements", "agreement": "agreements"}
        self.word = compile_pattern(
            "|".join(rf"(?P<{group}>{rules.alternatives(name)})" for group, name in names.items())
        )
        self.both = rules.compiled("both")
        self.denials = rules.compiled("implied_no")
        self.affirmation = compile_pattern(
            rf"(?:\A|[\n.!?。;])\s*{rules.alternatives('implied_yes')}\s*(?:\Z|[\n.!。;])"
        )
        self.first_thought = compile_pattern(rf"{rules.alternatives('first_thoughts')}{REST_BEFORE_BUT}$")
        self.first_thought_after = compile_pattern(rf"[\s,\"']*{rules.alternatives('first_thoughts_after')}")
        adversative = rf"(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}])"
        self.starting = compile_pattern(rf"(?:\A|[\n.!?。;:—–]|{adversative})(?:[\s\"'(\[,]|{_ADVERBS})*$")
        link = rf"(?:{rules.alternatives('copulas', 'verbs', 'fillers')}|[{OPENING},])*"
        self.concluding = compile_pattern(rf"{rules.alternatives('answer_nouns', 'decisions')}{link}$")


@lru_cache(maxsize=64)
def _patterns(rules: Rules) -> _Patterns:
    return _Patterns(rules)


_QUOTED_CHOICE = compile_pattern(
    r"([\"'])[^\"'\n]{1,12}\1,?\s*(?:or|oder|ou|o|или|либо|或者?|还是|か|または|또는|혹은|나|이나|/)\s*"
    r"\1[^\"'\n]{1,12}\1"
)
"""The choice that the question gave: "answer 'yes' or 'no'"."""
_SHORT = {"yes": True, "no": False}


def read_yes_no(text: str) -> Reading[bool]:
    """Read whether a reply affirms: its last statement decides, else all its words must agree."""
    if (short := _SHORT.get(text.strip(" .!*\n").casefold())) is not None:
        return Reading(short, Strength.WHOLE_REPLY)
    cleaned = clean_reply(text)
    rules = rules_for_reply(cleaned)
    if is_refusal(cleaned, rules):
        return Reading(refused=True)
    patterns = _patterns(rules)
    reply = patterns.both.sub(" ", _QUOTED_CHOICE.sub(" ", drop_non_assertions(cleaned, rules)))
    answers = [_classify(reply, match, patterns) for match in patterns.word.finditer(reply)]
    if stated := [answer for answer in answers if answer.strength is Strength.MARKER]:
        if is_retracted(reply, stated[-1].end):
            return Reading()
        is_whole = len(answers) == 1 and not re.search(r"\w", patterns.word.sub("", reply))
        return Reading(stated[-1].value, Strength.WHOLE_REPLY if is_whole else Strength.MARKER)
    return _read_implied(reply, answers, patterns)


def _is_courtesy(reply: str, match: re.Match[str], patterns: _Patterns) -> bool:
    """Return whether a denial follows an exclamation other than yes: "Of course! I cannot hear a cat"."""
    is_exclamation = match.lastgroup == "agreement" and reply.startswith("!", match.end())
    return is_exclamation and patterns.denials.search(reply, match.end()) is not None


_QUOTATION = re.compile(rf"\"[^\"\n]*\"|(?<!\w)'[^'\s]*'(?![{LETTERS}])")


def _is_quoted(reply: str, match: re.Match[str], patterns: _Patterns) -> bool:
    """Return whether a word is quoted from the recording or the question, not given as the answer."""
    quotations = (quotation.span() for quotation in _QUOTATION.finditer(reply))
    start = next((start for start, end in quotations if start < match.start() < end), 0)
    return start > 0 and not patterns.concluding.search(reply, max(0, start - _WINDOW), start)


def _classify(reply: str, match: re.Match[str], patterns: _Patterns) -> _Answer:
    before = reply[max(0, match.start() - _WINDOW) : match.start()]
    value = (match.lastgroup in {"yes", "agreement"}) != bool(_DENIED.search(before))
    end = match.end()
    is_first_thought = patterns.first_thought.search(before) or patterns.first_thought_after.match(reply, end)
    if is_first_thought or _is_quoted(reply, match, patterns) or _is_courtesy(reply, match, patterns):
        return _Answer(value, None, end)
    ends_clause = _CLAUSE_END.match(reply, end)
    is_word = match.lastgroup in {"yes", "no"}
    if patterns.concluding.search(before) if is_word else False:
        return _Answer(value, Strength.MARKER, end)
    if ends_clause and (patterns.starting.search(before) or patterns.concluding.search(before)):
        return _Answer(value, Strength.MARKER, end)
    is_word = is_word and bool(ends_clause or not match[0].isascii())
    return _Answer(value, Strength.WEAK if is_word else None, end)


def _read_implied(reply: str, answers: list[_Answer], patterns: _Patterns) -> Reading[bool]:
    values = {answer.value for answer in answers if answer.strength is Strength.WEAK}
    if patterns.denials.search(_QUOTATION.sub(" ", reply)):
        values.add(False)
    if patterns.affirmation.search(reply):
        values.add(True)
    return Reading(values.pop(), Strength.WEAK) if len(values) == 1 else Reading()
