"""Reduce a reply to what it asserts: detect refusals, and drop questions, conditions, concessions and courtesies."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from auricle.text.reading.rules import ADVERSATIVES, LETTERS, Rules, compile_pattern, whole_word
from auricle.text.reading.table import Phrasings

# "A. violin" is not the end of a sentence, unlike "B. It is".
_SENTENCE = re.compile(r"(?:[^.!?。;\n]|\.(?=[^\s\"')\]])|\.(?=\s+[a-zß-öø-ÿа-яё]))*[.!?。;\n\"')\]]*")
_QUESTION_MARK = re.compile(r"\?[\s\"')\]]*\Z")
_QUOTED = re.compile(r"\"[^\"\n]*\"")
_HAS_WORD = re.compile(r"\w")


_WAIT = (
    r"(?:wait|hold on|hang on|moment(?: mal)?|warte(?:n sie)?|halt|attend(?:s|ez)|un instant|espera|espere|"
    r"un momento|um momento|aspett[ai]|un attimo|постой(?:те)?|подожди(?:те)?|погоди(?:те)?|стоп)(?=\s*[,.!:;—–-])"
)


class _Patterns:
    """The patterns of some rules that are searched in every reply."""

    def __init__(self, rules: Rules) -> None:
        self.refusals = rules.compiled("refusals")
        self.places = compile_pattern("|".join(_place(table) for table in rules.tables.values()))
        self.no_audio = compile_pattern("|".join(_no_audio(table) for table in rules.tables.values()))
        reservations = rules.alternatives("reservations")
        self.reserved = compile_pattern(rf"{reservations}{_SAME_SENTENCE}{rules.alternatives('judgements')}")
        self.certainties = rules.compiled("certainties")
        self.indecision = rules.compiled("indecision")
        self.courtesies = rules.compiled("courtesies")
        self.questions = compile_pattern(rf"{rules.alternatives('questions')}(?=[.。!;\s\"')]|\Z)")
        self.ends_as_question = compile_pattern(rf"{rules.alternatives('questions')}[.。!;\s\"')]*\Z")
        self.conditions = rules.compiled("conditions")
        self.harmless_conditions = rules.compiled("harmless_conditions")
        self.causes = rules.compiled("causes")
        relative = whole_word(r"which|who|qui|que|il quale|che|котор\w+|dem|den|das")
        self.comparisons = compile_pattern(rf"{rules.alternatives('comparisons')}(?:,\s*{relative}[^.,;:!?\n]*)?")
        self.dependences = compile_pattern(rf"{rules.alternatives('dependences')}[^.!?\n。]*")
        self.concessions = compile_pattern(
            rf"{rules.alternatives('concessions')}(?!,?\s*{_WAIT})(?:\"[^\"\n]*\"|[^,.;!?\n。:])*?(?=[,.;!?\n。:]|\Z|"
            rf"(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}]))"
        )


_ANY = r"[^.!?\n。;]"
_NEAR, _SAME_SENTENCE = r"[^.!?\n。;,:]{0,24}?", r"[^.!?\n。;]{0,50}?"


_LACK = (
    whole_word(
        "lack(?:s|ing)?|without|fehlt|fehlen|ohne|manque|sans|carezco|falta|sin|sem|manca|mancano|senza|лишён\\w*|без"
    )
    + "|缺乏|缺少|欠|不具备|없"
)
_FORBID = (
    whole_word(
        r"forbids?|prohibits?|prevents?|verbieten|untersagen|interdi\w+|prohíb\w+|impid\w+|proíb\w+|imped\w+|vietano|"
        r"vieta|impediscono|запреща\w+|не допуска\w+"
    )
    + "|禁止|不允许|禁じ|금지"
)
_ARTICLE = whole_word("the|your|this|die|der|das|le|la|les|l'|el|o|a|il|lo|votre|su|seu|sua|il tuo|ваш")


def _place(table: Phrasings) -> str:
    """Return a pattern for a recording as the place of what is heard: "in the recording"."""
    if table.is_spaced:
        return rf"{whole_word(table.locatives)}\s*(?:[{LETTERS}]+\s+){{0,1}}{whole_word(table.audio_nouns)}"
    return (
        rf"(?:{table.audio_nouns})(?:里|中|上|内(?!容)|の中|に(?!アクセス|対応)|で(?!す|き)|から|에서|에는|에(?=\s)|속)"
    )


def _no_audio(table: Phrasings) -> str:
    """Return a pattern for audio that did not arrive, is defective or cannot be perceived."""
    audio, unable, perceive, arrive, defect, negation = (
        whole_word(words) if table.is_spaced else f"(?:{words})"
        for words in (
            *(table.audio_nouns, table.inabilities, table.perceptions, table.arrivals, table.defects, table.negators),
        )
    )
    capacity, policy = (
        whole_word(words) if table.is_spaced else f"(?:{words})" for words in (table.capacities, table.policies)
    )
    negation_or_lack = f"(?:{negation}|{_LACK})"
    return "|".join(
        (
            rf"{audio}(?:(?!{negation}){_ANY}){{0,40}}?{defect}",
            rf"{audio}{_SAME_SENTENCE}{negation}{_NEAR}{arrive}",
            rf"{negation}{_NEAR}{arrive}{_NEAR}{audio}",
            rf"{unable}{_NEAR}{perceive}{_NEAR}{audio}",
            rf"{audio}{_SAME_SENTENCE}{unable}{_NEAR}{perceive}",
            rf"{audio}{_SAME_SENTENCE}{perceive}{_NEAR}{unable}",
            rf"{perceive}{_NEAR}{audio}{_NEAR}{unable}",
            rf"{defect}\s+(?:{_ARTICLE}\s+)?{audio}",
            rf"{negation_or_lack}{_NEAR}{capacity}{_NEAR}{perceive}",
            rf"{perceive}{_NEAR}{capacity}{_NEAR}{negation_or_lack}",
            rf"{policy}{_SAME_SENTENCE}(?:{negation}|{_FORBID})",
        )
    )


@lru_cache(maxsize=64)
def _patterns(rules: Rules) -> _Patterns:
    return _Patterns(rules)


def is_refusal(reply: str, rules: Rules) -> bool:
    """Return whether a reply declines to answer, or states that there is no audio or that it cannot be heard."""
    patterns = _patterns(rules)
    text = patterns.places.sub(" ", patterns.certainties.sub(" ", patterns.concessions.sub(" ", reply)))
    return any(pattern.search(text) for pattern in (patterns.refusals, patterns.no_audio, patterns.reserved))


def drop_non_assertions(reply: str, rules: Rules) -> str:
    """Return a reply without courtesies, questions, conditions and concessions."""
    patterns = _patterns(rules)
    text = patterns.harmless_conditions.sub(" ", patterns.courtesies.sub(_drop_courtesy, reply))
    text = patterns.dependences.sub(" ", patterns.concessions.sub(" ", text))
    if "?" in text or patterns.questions.search(text) or patterns.conditions.search(text):
        text = "".join(_assertion(sentence[0], patterns) for sentence in _SENTENCE.finditer(text))
    return patterns.comparisons.sub(" ", text)


class Reservation(NamedTuple):
    """A clause that is no assertion of its own, but may show that another one is not the answer."""

    start: int
    end: int
    is_weighed: bool
    """Whether the clause weighs cases, unlike a concession."""


def trailing_reservations(reply: str, rules: Rules) -> list[Reservation]:
    """Return the concessions and weighed cases of a reply that follow a statement in their sentence."""
    patterns = _patterns(rules)
    concessions = [Reservation(*match.span(), is_weighed=False) for match in patterns.concessions.finditer(reply)]
    weighed = [Reservation(*match.span(), is_weighed=True) for match in patterns.dependences.finditer(reply)]
    return [clause for clause in (*concessions, *weighed) if _CONTINUES.search(reply, 0, clause.start)]


_CONTINUES = re.compile(r"[^.!?。;\n\s][ \t]*\Z")


def _drop_courtesy(match: re.Match[str]) -> str:
    """Return what replaces a courtesy: the rest of its sentence does not continue the one before."""
    if _ENDED.search(match.string, 0, match.start()):
        return "\n"
    return COURTESY if match.string[: match.start()].rstrip().endswith(",") else " "


COURTESY = "…"
"""What remains of a courtesy in the middle of a sentence: "yes, *thanks for your question*"."""
_ENDED = re.compile(r"[.!?]\s*\Z")


_RETRACTION = compile_pattern(
    r"(?:\A|[\n.,;:!?。、—–-])\s*(?:(?:oh|ah|hm+|no|nein|non|não|ach|ah no|нет|ой|啊|あ|아|though|although|obwohl|"
    r"quoique|aunque|embora|anche se|хотя),?\s*)?(?:"
    rf"{_WAIT}|"
    r"(?:correction|scratch that|i take that back|korrektur|correction)(?=\s*[,.!:;—–-])|"
    r"等等(?=[,.。!])|等一下|等一等|慢着|待って|ちょっと待|잠깐(?:만(?:요)?)?(?=[,.\s])|잠시만|更正|訂正|정정)"
)


def is_retracted(reply: str, end: int, rules: Rules) -> bool:
    """Return whether a reply takes back what it answered up to a position.

    "No… wait, there it is", "A would be my pick, though it is a coin toss".
    """
    return bool(_RETRACTION.search(reply, end) or _patterns(rules).indecision.search(reply, end))


_REALITY = compile_pattern(
    r",\s*(?="
    + whole_word(
        "so ist es|so bleibt es|so wird es|so aber|so gebe ich|as it is|as it stands|as things stand|"
        "en l'état|tel quel|"
        "tal (?:y )?como está|así se queda|así queda|así es|assim fica|do jeito que está|così com'è|così resta|а так"
    )
    + ")"
)
"""What turns from a condition to what is the case: "without the noise it were a 5, as it is a 4"."""


def _mask_speech(sentence: str) -> str:
    """Return a sentence of the same length without the words quoted in it, unless it is nothing but a quotation."""
    masked = _QUOTED.sub(lambda match: "-" * len(match[0]), sentence)
    return masked if _HAS_WORD.search(masked) else sentence


def _assertion(sentence: str, patterns: _Patterns) -> str:
    """Return a sentence, the part of it before a reason, or a line break in the place of a question or condition."""
    if _QUESTION_MARK.search(sentence) or patterns.ends_as_question.search(sentence):
        return "\n"
    condition = patterns.conditions.search(_mask_speech(sentence))
    if condition is None:
        return sentence
    if reality := _REALITY.search(sentence, condition.end()):
        return "\n" + sentence[reality.end() :]
    cause = patterns.causes.search(sentence, 0, condition.start())
    return sentence[: cause.start()] + "\n" if cause else "\n"
