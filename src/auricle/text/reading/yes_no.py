"""Read yes or no from a free-form reply."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from auricle.text.reading.assertions import COURTESY, drop_non_assertions, is_refusal, is_retracted
from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.restatements import is_negative_question, mentions_topic, read_restatements
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.rules import (
    ADVERSATIVES,
    CONTRAST,
    CORRECTION,
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
    start: int
    end: int


_WINDOW = 80
_PARTICLE = compile_pattern(r"да\s+(?:же|он[аио]?|это|я|вы|мы|ты|ну|там|тут|здесь|что)(?![а-яё])")
"""The Russian word for yes as a particle: "but he refuses!"."""
_CLAUSE_END = re.compile(r"[\"')\]]*\s*(?:\Z|[\n.,;:!?。、\-–—]|です|입니다|吧|but\b)")
_SUBJECT = compile_pattern(
    r"\s+(?:the|it|it's|this|there|there's|that|i|he|she|they|you|we|yes|no|oui|non|ja|nein|sì|sim|да|нет)(?![a-zа-я'])"
)
"""A clause that follows yes or no without a comma."""
_AFFIRMED = compile_pattern(
    r"\s+(?:le|la|les|il|elle|on|c'est|l'(?=\w)|je|der|die|das|es|man|ich|sie|er|el|los|las|se|hay|o|a|os|as|há|ouve|é|"
    rf"gli|i|si|c'è)(?:(?<=')|(?![{LETTERS}']))"
)
"""A clause that follows yes without a comma in languages in which the word for no also negates a verb."""
_DENIED = compile_pattern(r"(?:(?<![a-z])(?:not|never)(?![a-z])|n't|不)\s*(?:(?:quite|entirely|really|at all)\s*)*$")

_ADVERBS = "もちろん|当然|" + whole_word(
    "definitely|clearly|certainly|probably|obviously|most likely|likely|absolutely|well|oh|hmm|okay|ok|um|ah|simply|"
    "eindeutig|wahrscheinlich|klar|ganz klar|also|tja|nun|clairement|probablement|eh bien|alors|donc|bon|"
    "claramente|probablemente|pues|bueno|provavelmente|bem|pois|"
    "chiaramente|probabilmente|beh|allora|ну|скорее всего|вероятно|однозначно|определённо|конечно"
)

_NOT = whole_word("not|nicht|pas|não|нет") + "|不是|没有|そうではない|아닐 수도"
_NEITHER = compile_pattern(whole_word("neither|nor|weder|noch|ni|nem|né|ни") + r"\s+(?:(?:an?|ein|un|um)\s+)?[\"']?\Z")
"""What leaves both answers open: "*neither* a yes *nor* a no"."""
_THAT = compile_pattern(whole_word("that|dass|que|qu'|che|что"))
_CLAUSE = re.compile(r"[^.!?。;\n,、]+")
_SENTENCE = re.compile(r"[^.!?。;\n]+")


class _Patterns:
    """The patterns of some rules for yes and no."""

    def __init__(self, rules: Rules) -> None:
        names = {"no": "no", "yes": "yes", "disagreement": "disagreements", "agreement": "agreements"}
        self.word = compile_pattern(
            "|".join(rf"(?P<{group}>{rules.alternatives(name)})" for group, name in names.items())
        )
        self.both = rules.compiled("both", "certainties")
        self.certainty = rules.compiled("certainties")
        not_negated = rf"(?:(?!{rules.alternatives('negators')})[^.,;!?。\n])+(?=[.,;!?。\n]|\Z)"
        self.certain_that = compile_pattern(
            rf"{rules.alternatives('certainties')}[\s,]*(?:(?:de|di)\s+)?{_THAT.pattern}{not_negated}"
        )
        self.wavering = rules.compiled("wavering")
        self.doubted = compile_pattern(rf"{rules.alternatives('doubts')}(?:\s+(?:que|qu'|che|что|dass|that))?\s+\Z")
        speech = rules.alternatives("speech_verbs")
        self.speech_after = compile_pattern(rf"\s*[,!.…]*\s*[—–-]?\s*{speech}")
        self.reported = compile_pattern(rf"{speech}(?:\s+[{LETTERS}]+){{0,2}}\s+$|(?:\A|[,.…])\s*que\s+$")
        self.reports = compile_pattern("(?:有人|某人|一人|一个人|对方)(?:说|称|觉得|认为)[^,.。!?;\n]*\\Z")
        self.negator = rules.compiled("negators")
        opposite = rf"(?:{rules.alternatives('yes', 'no')}|{_NOT})(?=[\s\"')]*(?:[.,;!?。、]|\Z))"
        doubt = rules.alternatives("conjunctions", "doubts")
        self.alternative = compile_pattern(rf"{doubt}[\s,]*(?:{rules.alternatives('doubts')}[\s,]*)*{opposite}")
        self.denied_after_but = compile_pattern(
            rf"{CONTRAST.pattern}[^.!?。;\n]{{0,60}}?{rules.alternatives('implied_no')}"
        )
        self.denials = rules.compiled("implied_no")
        self.affirmation = compile_pattern(
            rf"(?:\A|[\n.!?。;])\s*{rules.alternatives('implied_yes')}\s*(?:\Z|[\n.!。;,、:—–])"
        )
        self.first_thought = compile_pattern(rf"{rules.alternatives('first_thoughts')}{REST_BEFORE_BUT}$")
        self.first_thought_after = compile_pattern(rf"[\s,、\"']*{rules.alternatives('first_thoughts_after')}")
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


def read_yes_no(text: str, question: str = "") -> Reading[bool]:
    """Read whether a reply affirms: its last statement decides, else all its words must agree.

    Args:
        text: The reply.
        question: The question, if it is known; then a reply without yes or no may restate or deny it.
    """
    if (short := _SHORT.get(text.strip(" .!*\n").casefold())) is not None:
        return Reading(short, Strength.WHOLE_REPLY)
    cleaned = clean_reply(text)
    rules = rules_for_reply(cleaned)
    if is_refusal(cleaned, rules):
        return Reading(refused=True)
    patterns = _patterns(rules)
    asserted = _QUOTED_CHOICE.sub(" ", drop_non_assertions(cleaned, rules))
    reply = patterns.both.sub(" ", asserted)
    answers = [_classify(reply, match, patterns) for match in patterns.word.finditer(reply)]
    if stated := _last_statements(reply, answers):
        is_open = is_retracted(reply, stated[-1].end, rules) or patterns.alternative.search(reply, stated[-1].end)
        is_wavering = len({answer.value for answer in stated}) > 1 and patterns.wavering.search(asserted)
        if (
            is_open
            or is_wavering
            or _are_contradictory(reply, answers)
            or _is_reversed(reply, stated, question, rules, patterns)
        ):
            return Reading()
        is_whole = len(answers) == 1 and not re.search(r"\w", patterns.word.sub("", reply))
        return Reading(stated[-1].value, Strength.WHOLE_REPLY if is_whole else Strength.MARKER)
    if patterns.wavering.search(patterns.certainty.sub(" ", asserted)):
        return Reading()
    implied = _read_implied(reply, cleaned, answers, patterns)
    return _compare_with_question(implied, reply, question, rules) if question else implied


def _last_statements(reply: str, answers: list[_Answer]) -> list[_Answer]:
    """Return the stated answers, and another one that corrects them: "Yes, or rather no"."""
    stated = [answer for answer in answers if answer.strength is Strength.MARKER]
    later = [answer for answer in answers if stated and answer.strength and answer.start > stated[-1].start]
    is_corrected = bool(later) and CORRECTION.search(reply, stated[-1].end, later[-1].start)
    return [*stated, later[-1]] if is_corrected else stated


def _compare_with_question(implied: Reading[bool], reply: str, question: str, rules: Rules) -> Reading[bool]:
    """Return what a reply implies, unless it restates or denies the question otherwise."""
    if implied.value is False and is_negative_question(question):
        return Reading()
    restated = read_restatements(_QUOTATION.sub(" ", reply), question, rules)
    if not restated or restated == {implied.value}:
        return implied
    is_clear = implied.value is None and len(restated) == 1
    return Reading(True in restated, Strength.WEAK) if is_clear else Reading()


_PART = re.compile(r"[^.!?。;:\n]+")
_REVERSAL = compile_pattern(
    rf"(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}])[^.!?。;\n]*?(?:"
    + whole_word(
        r"(?:he|she|it|they) (?:is|are|does|do|did|was|were)(?: not|n't)|"
        r"(?:ist|sind|tut|war) (?:er|sie|es)(?: es)? nicht|"
        r"ne l'(?:est|était|a) pas|ne le (?:sont|fait|font) pas|no lo (?:es|está|hace|son)|não o (?:é|faz|são)|"
        r"non lo (?:è|fa|sono)|это не так"
    )
    + r")\s*(?=[.!;]|\Z)"
)
"""What takes back a yes without its words: "but agree, she does not"."""


def _is_reversed(reply: str, stated: list[_Answer], question: str, rules: Rules, patterns: _Patterns) -> bool:
    """Return whether a reply contradicts its last yes or no further on: "Yes, they shout, but there is no applause"."""
    value, rest = stated[-1].value, _QUOTATION.sub(" ", reply[stated[-1].start :])
    if value and (_REVERSAL.search(rest) or patterns.denied_after_but.search(rest)):
        return True
    parts = [part[0] for part in _PART.finditer(rest)] if question else []
    if value and any(patterns.denials.search(part) and mentions_topic(part, question, rules) for part in parts[1:]):
        return True
    return any(read_restatements(part, question, rules) == {not value} for part in parts)


def _are_contradictory(reply: str, answers: list[_Answer]) -> bool:
    """Return whether yes and no follow each other without a word between them, as in "yes no yes no"."""
    return any(
        left.value != right.value and reply[left.end : right.start].strip(" /|") == ""
        for left, right in pairwise(answer for answer in answers if answer.strength)
    )


def _is_courtesy(reply: str, match: re.Match[str], patterns: _Patterns) -> bool:
    """Return whether a denial follows an exclamation other than yes: "Of course! I cannot hear a cat"."""
    is_exclamation = match.lastgroup == "agreement" and reply.startswith("!", match.end())
    return is_exclamation and patterns.denials.search(reply, match.end()) is not None


_MAX_QUOTED_ANSWER = 3
"""Words of a quotation at the start of a reply that may be the answer itself."""
_QUOTATION = re.compile(rf"\"[^\"\n]*\"|(?<!\w)'[^'\s]*'(?![{LETTERS}])")


def _is_quoted(reply: str, match: re.Match[str], patterns: _Patterns) -> bool:
    """Return whether a word is quoted from the recording or the question, not given as the answer."""
    quotations = (quotation.span() for quotation in _QUOTATION.finditer(reply))
    start, end = next((span for span in quotations if span[0] < match.start() < span[1]), (0, 0))
    is_long = len(reply[:end].split()) > _MAX_QUOTED_ANSWER and end < len(reply)
    is_speech = start > 0 or is_long or (end and patterns.speech_after.match(reply, end))
    return bool(is_speech) and not patterns.concluding.search(reply, max(0, start - _WINDOW), start)


_LISTENED = compile_pattern(
    r"\s*[,.!]\s*(?:(?:"
    + whole_word(
        r"i(?:'ve| have)?(?: \w+)? (?:listened|heard|checked|played|analy[sz]ed|received|got)|thank(?:s| you)|"
        r"ich habe(?: mir)?(?! ge)(?: \w+){1,4} (?:angehört|gehört|geprüft|erhalten|analysiert)|danke|vielen dank|"
        r"j'ai (?:bien )?(?:écouté|entendu l|reçu|analysé|vérifié)|merci|"
        r"(?:ya )?(?:he|lo he) (?:escuchado|oído|analizado|revisado|recibido)|escuché|recibí|gracias|"
        r"(?:já )?(?:ouvi|escutei|analisei|recebi|verifiquei)(?= [oa]s? )|obrigad[oa]|"
        r"ho (?:ascoltato|sentito l|analizzato|ricevuto|controllato)|grazie|"
        r"я (?:прослушал|послушал|проверил|получил)а?|запись прослушана|спасибо"
    )
    + r")|(?:我)?(?:已经?|刚刚?)?(?:听(?:了|过|完)|收到|检查|分析)(?:了|过)?(?:这|您|你|一|录|音|文)|(?:谢谢|感谢)|"
    "(?:音声|録音|ファイル)(?:を|は)?(?:聞|聴|確認|拝聴|受け取)|ありがとう|拝聴|"
    "(?:질문|문의|좋은 질문)?\\s*(?:감사|고맙)|(?:녹음|음성|파일|오디오)[을를은]?\\s*"
    "(?:잘\\s*)?(?:들었|들어 ?봤|확인|받았|청취)|"
    rf"{COURTESY}\s*[.!。])"
)
"""What makes a yes an answer to the request to listen: "Yes, I have listened to the clip"."""


def _classify(reply: str, match: re.Match[str], patterns: _Patterns) -> _Answer:
    before = reply[max(0, match.start() - _WINDOW) : match.start()]
    value = (match.lastgroup in {"yes", "agreement"}) != bool(_DENIED.search(before))
    end = match.end()
    is_first_thought = bool(patterns.first_thought.search(before) or patterns.first_thought_after.match(reply, end))
    is_first_thought |= value and _LISTENED.match(reply, end) is not None
    if is_first_thought or _is_quoted(reply, match, patterns) or _is_courtesy(reply, match, patterns):
        return _Answer(value, None, match.start(), end)
    is_word = match.lastgroup in {"yes", "no"}
    ends_clause = _CLAUSE_END.match(reply, end) or (is_word and _SUBJECT.match(reply, end))
    ends_clause = ends_clause or (match.lastgroup == "yes" and _AFFIRMED.match(reply, end))
    if patterns.concluding.search(before) if is_word else False:
        return _Answer(value, Strength.MARKER, match.start(), end)
    if ends_clause and (patterns.starting.search(before) or patterns.concluding.search(before)):
        return _Answer(value, Strength.MARKER, match.start(), end)
    is_word = is_word and not (
        patterns.reported.search(before) or patterns.reports.search(before) or patterns.doubted.search(before)
    )
    is_word = is_word and bool(ends_clause or not (match[0].isascii() or _PARTICLE.match(reply, match.start())))
    return _Answer(value, Strength.WEAK if is_word else None, match.start(), end)


def _read_implied(reply: str, cleaned: str, answers: list[_Answer], patterns: _Patterns) -> Reading[bool]:
    """Read yes or no from sentences that affirm or deny what was asked for, unless a negation is negated."""
    is_certain = patterns.certainty.search(cleaned) is not None
    text = _QUOTATION.sub(" ", reply)
    values = {answer.value for answer in answers if answer.strength is Strength.WEAK}
    reported = {answer.value for answer in answers if answer.strength is None and _is_reported(reply, answer, patterns)}
    if any(not patterns.reports.search(text, 0, match.start()) for match in patterns.denials.finditer(text)):
        values |= {False, True} if patterns.certain_that.search(cleaned) else {False}
    if patterns.affirmation.search(reply) or (is_certain and not values and not patterns.negator.search(text)):
        values.add(True)
    is_neither = any(_NEITHER.search(text, 0, match.start()) for match in patterns.word.finditer(text))
    if (
        is_neither
        or reported - values
        or len(values) != 1
        or (False in values and _has_double_negation(text, patterns))
    ):
        return Reading()
    return Reading(values.pop(), Strength.WEAK)


def _is_reported(reply: str, answer: _Answer, patterns: _Patterns) -> bool:
    before = reply[max(0, answer.start - _WINDOW) : answer.start]
    return bool(patterns.reported.search(before) or patterns.reports.search(before))


def _has_double_negation(text: str, patterns: _Patterns) -> bool:
    """Return whether a clause has two negations, or a negated clause another one as its object."""
    has_two_in_clause = any(len(patterns.negator.findall(clause[0])) > 1 for clause in _CLAUSE.finditer(text))
    return has_two_in_clause or any(
        _negates_subordinate(sentence[0], patterns) for sentence in _SENTENCE.finditer(text)
    )


def _negates_subordinate(sentence: str, patterns: _Patterns) -> bool:
    negators = [match.span() for match in patterns.negator.finditer(sentence)]
    return any(_THAT.search(sentence, left[1], right[0]) for left, right in pairwise(negators))
