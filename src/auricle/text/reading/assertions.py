"""Reduce a reply to what it asserts: detect refusals, and drop questions, conditions, concessions and courtesies."""

from __future__ import annotations

import re
from functools import lru_cache

from auricle.text.reading.rules import ADVERSATIVES, LETTERS, Rules, compile_pattern

# "A. violin" is not the end of a sentence, unlike "B. It is".
_SENTENCE = re.compile(r"(?:[^.!?。;\n]|\.(?=[^\s\"')\]])|\.(?=\s+[a-zß-öø-ÿа-яё]))*[.!?。;\n\"')\]]*")
_QUESTION_MARK = re.compile(r"\?[\s\"')\]]*\Z")
_TAG = re.compile(r",\s*(?:right|okay|ok|no|correct)\?", re.IGNORECASE)


class _Patterns:
    """The patterns of some rules that are searched in every reply."""

    def __init__(self, rules: Rules) -> None:
        self.refusals = rules.compiled("refusals")
        self.courtesies = rules.compiled("courtesies")
        self.questions = compile_pattern(rf"{rules.alternatives('questions')}(?=[.。!;\s\"')]|\Z)")
        self.ends_as_question = compile_pattern(rf"{rules.alternatives('questions')}[.。!;\s\"')]*\Z")
        self.conditions = rules.compiled("conditions")
        self.harmless_conditions = rules.compiled("harmless_conditions")
        self.causes = rules.compiled("causes")
        self.comparisons = rules.compiled("comparisons")
        self.dependences = compile_pattern(rf"{rules.alternatives('dependences')}[^.!?\n。]*")
        self.concessions = compile_pattern(
            rf"{rules.alternatives('concessions')}[^,.;!?\n。:]*?(?=[,.;!?\n。:]|\Z|"
            rf"(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}]))"
        )


@lru_cache(maxsize=64)
def _patterns(rules: Rules) -> _Patterns:
    return _Patterns(rules)


def is_refusal(reply: str, rules: Rules) -> bool:
    """Return whether a reply declines to answer, or states that there is no audio or that it cannot be heard."""
    return _patterns(rules).refusals.search(reply) is not None


def drop_non_assertions(reply: str, rules: Rules) -> str:
    """Return a reply without courtesies, questions, conditions and concessions."""
    patterns = _patterns(rules)
    text = patterns.harmless_conditions.sub(" ", patterns.courtesies.sub(" ", reply))
    text = patterns.dependences.sub(" ", patterns.concessions.sub(" ", text))
    if "?" in text or patterns.questions.search(text) or patterns.conditions.search(text):
        text = "".join(_assertion(sentence[0], patterns) for sentence in _SENTENCE.finditer(text))
    return patterns.comparisons.sub(" ", text)


_RETRACTION = compile_pattern(
    r"(?:\A|[\n.,;:!?。、—–-])\s*(?:(?:oh|ah|hm+|no|nein|non|não|ach|ah no|нет|ой|啊|あ|아),?\s*)?(?:"
    r"(?:wait|hold on|hang on|moment(?: mal)?|warte(?:n sie)?|halt|attend(?:s|ez)|un instant|espera|espere|"
    r"un momento|um momento|aspett[ai]|un attimo|постой(?:те)?|подожди(?:те)?|погоди(?:те)?|стоп)(?=\s*[,.!:;—–-])|"
    r"等等(?=[,.。!])|等一下|等一等|慢着|待って|ちょっと待|잠깐(?:만(?:요)?)?(?=[,.\s])|잠시만)"
)


def is_retracted(reply: str, end: int) -> bool:
    """Return whether a reply takes back what it answered up to a position: "No… wait, there it is"."""
    return _RETRACTION.search(reply, end) is not None


def _assertion(sentence: str, patterns: _Patterns) -> str:
    """Return a sentence, the part of it before a reason, or a line break in the place of a question or condition."""
    if _QUESTION_MARK.search(sentence) or patterns.ends_as_question.search(sentence):
        return "\n"
    condition = patterns.conditions.search(sentence)
    if condition is None:
        return sentence
    cause = patterns.causes.search(sentence, 0, condition.start())
    return sentence[: cause.start()] + "\n" if cause else "\n"
