"""Read yes or no from clauses that restate or deny the question: "Is a dog barking?", "A dog can be heard barking".

The words of a clause are compared with those of the question, without their endings. A clause restates the question if
it has all words with content, in the same order, and hardly another one. Anything that may change what it states leaves
it unread: doubts, conditions, reports, comparisons, other persons, or a further predicate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from auricle.text.reading.assertions import is_retracted
from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.detect import detect_languages
from auricle.text.reading.rules import (
    ADVERSATIVES,
    CORRECTION,
    LETTERS,
    NEVER,
    Rules,
    compile_pattern,
    rules_for_languages,
)

MAX_QUESTION = 400
"""Characters of the longest question that is compared."""
MAX_CLAUSE = 200
"""Characters of the longest clause that is compared."""
_SENTENCE = re.compile(r"[^.!?。;\n]+[.!?。;]*")
_END = re.compile(r"[.!?。;]\s*\Z")
_TURN = compile_pattern(rf"(?<![{LETTERS}])(?:{ADVERSATIVES})(?![{LETTERS}])")
_BREAK = compile_pattern(
    rf"[,、:—–()]|{_TURN.pattern}|(?<![{LETTERS}])(?:and|und|et|y|e|и|а|while|whereas)(?![{LETTERS}])"
)
_COMMA = re.compile("[,、]")
_WORD = re.compile(
    r"[^\W_\u3041-\u30ff\u4e00-\u9fff]+?n't|[一二三四五六七八九十]+[回度秒分]目?|[\u4e00-\u9fff々]+|[\u30a1-\u30fa\u30fc]+|"
    r"[^\W_\u3041-\u30ff\u4e00-\u9fff]+",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[\u4e00-\u9fff々]+")
_DOUBLED = re.compile(r"(.)\1\Z")
_MIN_LIST, _MAX_ITEM = 3, 4
"""Items of a list of sounds, and words of an item."""
_MAX_FREE_ORDER = 2
_MIN_STEM = 3
_MIN_CHINESE_SENTENCE = 5
"""Characters of a Chinese question that are taken to be more than a noun."""


class _Kind(Enum):
    SHARED = auto()
    """A word of the question."""
    PERSON = auto()
    CONTENT_FREE = auto()
    ADVERBIAL = auto()
    OTHER = auto()


class _Word(NamedTuple):
    kind: _Kind
    stem: str
    start: int
    end: int


class _Question(NamedTuple):
    """What a restatement of a question repeats."""

    stems: tuple[str, ...]
    persons: frozenset[str]
    adverbials: frozenset[str]
    complement: str
    """The stem of a definite noun other than the first, which a reply may leave out: "agrees with the *proposal*"."""
    opening: str
    """The first word, with which a statement does not begin in English and German."""
    reserved: frozenset[str]
    """Words that would displace a clause if they were not asked for: "does she *mention* a price"."""
    is_negative: bool


class _Clause(NamedTuple):
    text: str
    before: str
    """The sentence up to the clause, from the last "but"."""
    after: str
    """The rest of the sentence."""
    end: int
    is_first: bool


class _Vocabulary:
    """The words of some languages, by what they contribute to a restatement."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        rules = rules_for_languages(languages)
        tables = list(rules.tables.values())
        self.is_spaced = all(table.is_spaced for table in tables)
        self.is_chinese = "zh" in languages
        self.has_adjuncts = not {"zh", "ja", "ko"} & set(languages)
        """Whether further words of a clause follow its verb and object: "a dog barks *at the postman*"."""
        self.has_inversion = bool({"en", "de"} & set(languages))
        self.persons = _any_word(table.persons for table in tables)
        self.content_free = _any_word(part for table in tables for part in (table.content_free, table.negators))
        self.adverbials = _any_word(table.adverbials for table in tables)
        self.definites = _any_word(table.definites for table in tables)
        endings = _any_word(table.inflections for table in tables)
        self.prefixed = re.compile("ge(?=.{4})" if "de" in languages else NEVER)
        """The prefix of German participles: "gelacht"."""
        self.inflected = re.compile(unicodedata.normalize("NFD", rf"(.{{3,}}?)(?:{endings.pattern})"))
        self.asks = compile_pattern(rf"\?|{rules.alternatives('questions')}[.。!;\s\"')]*\Z")
        self.negator = rules.compiled("negators")
        self.negation = rules.compiled("negators", "negations", "distant_negations", "implied_no")
        self.denial = rules.compiled("negators", "negations", "distant_negations")
        self.concord = _any_word(table.concords for table in tables)
        self.function_words = _any_word(part for table in tables for part in (table.articles, table.definites))
        self.copula = rules.compiled("copulas")
        self.displacement = rules.compiled("displacements")
        self.doubt = rules.compiled(
            *("doubts", "doubts_after", "first_thoughts", "first_thoughts_after", "appearances")
        )
        self.embedding = rules.compiled("denied_clauses")
        self.announcement = compile_pattern(rf"\W*{rules.alternatives('answer_nouns')}\W*")

    def split(self, text: str, stems: Sequence[str] = ()) -> list[_Word]:
        """Return the words of a text; those with these stems are shared with a question."""
        if self.is_chinese:
            return list(self._split_chinese(text, stems))
        return [self._classify(match, stems) for match in _WORD.finditer(text)]

    def displacing(self, text: str) -> set[str]:
        """Return the words with which a clause does not state what is the case, without their endings."""
        patterns = (self.displacement, self.doubt, self.embedding)
        words = {match[0].strip().casefold() for pattern in patterns for match in pattern.finditer(text)}
        is_embedding = {word for word in words if self.embedding.fullmatch(word)}
        harmless = {word for word in is_embedding if self.content_free.fullmatch(word) and not self.is_doubt(word)}
        return {self._stem(word) for word in words - harmless}

    def is_doubt(self, word: str) -> bool:
        return bool(self.displacement.fullmatch(word) or self.doubt.fullmatch(word))

    def _classify(self, match: re.Match[str], stems: Sequence[str]) -> _Word:
        word = match[0].casefold()
        is_person = self.persons.fullmatch(word) is not None
        stem = _fold(word) if is_person else self._stem(word)
        kinds = (
            (_Kind.SHARED, stem in stems),
            (_Kind.PERSON, is_person),
            (_Kind.CONTENT_FREE, self.content_free.fullmatch(word)),
            (_Kind.ADVERBIAL, self.adverbials.fullmatch(word)),
        )
        kind = next((kind for kind, applies in kinds if applies), _Kind.OTHER)
        return _Word(kind, stem, match.start(), match.end())

    def _stem(self, word: str) -> str:
        """Return a word without accents, its ending and a doubled letter before that: "running", "runs"."""
        folded = self.prefixed.sub("", _fold(word), count=1) if self.prefixed.match(word) else _fold(word)
        inflected = self.inflected.fullmatch(folded)
        stem = _DOUBLED.sub(r"\1", inflected[1] if inflected else folded)
        return stem[:-1] if len(stem) > _MIN_STEM and stem[-1] in "iy" else stem

    def _split_chinese(self, text: str, stems: Sequence[str]) -> Iterator[_Word]:
        """Yield the words of Chinese text, cut at those that are known."""
        known = _known_chinese(self, tuple(stems))
        for run in _CHINESE.finditer(text):
            position = run.start()
            for match in known.finditer(text, run.start(), run.end()):
                if match.start() > position:
                    yield _Word(_Kind.OTHER, text[position : match.start()], position, match.start())
                yield _Word(_Kind[str(match.lastgroup)], match[0], match.start(), match.end())
                position = match.end()
            if position < run.end():
                yield _Word(_Kind.OTHER, text[position : run.end()], position, run.end())


def _any_word(patterns: Iterable[str]) -> re.Pattern[str]:
    return compile_pattern("|".join(filter(None, patterns)) or NEVER)


def _fold(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


@lru_cache(maxsize=64)
def _vocabulary(languages: tuple[str, ...]) -> _Vocabulary:
    return _Vocabulary(languages)


@lru_cache(maxsize=256)
def _known_chinese(vocabulary: _Vocabulary, stems: tuple[str, ...]) -> re.Pattern[str]:
    shared = "|".join(map(re.escape, sorted(stems, key=len, reverse=True))) or NEVER
    return re.compile(
        f"(?P<SHARED>{shared})|(?P<PERSON>{vocabulary.persons.pattern})|"
        f"(?P<CONTENT_FREE>{vocabulary.content_free.pattern})|(?P<ADVERBIAL>{vocabulary.adverbials.pattern})"
    )


class StemmedWord(NamedTuple):
    """A word of a text without its ending."""

    stem: str
    has_content: bool
    is_negation: bool
    start: int
    end: int


def stem_words(text: str, languages: tuple[str, ...]) -> list[StemmedWord]:
    """Return the words of a text in languages that separate words by spaces."""
    vocabulary = _vocabulary(languages)
    return [
        StemmedWord(
            word.stem,
            word.kind is not _Kind.CONTENT_FREE,
            vocabulary.negator.fullmatch(text, word.start, word.end) is not None,
            word.start,
            word.end,
        )
        for word in vocabulary.split(text)
    ]


# --- the question -----------------------------------------------------------------------

_SPEAKING = compile_pattern(
    r"(?<=\w )(?:who (?:is (?:speaking|calling)|speaks|calls)|qui (?:parle|appelle)|que (?:habla|fala|llama|liga)|"
    r"che (?:parla|chiama))\b"
)
"""What a question adds to a person: "the person *who is speaking*"."""
_NEGATIVE = compile_pattern(
    r"no(?:t|ne|thing|body)?|never|cannot|without|\w+n't|nicht|kein\w*|nie|niemals|niemand|nichts|ohne|weder|pas|"
    "aucune?|jamais|rien|sans|nunca|jamás|sin|ni|nadie|tampoco|não|sem|nem|ninguém|non|mai|senza|né|нет|не|ни|"
    "никогда|никто|без|不|没|無|无|未|ない|なかった|ません|않|없|못|안"
)
"""Words that make a question negative, unlike a negative word: "is she lying?"."""
_EITHER = re.compile(r"([^\W_])[不没沒]\1|是否|能否|有无")
"""Chinese questions with both answers: 是不是, 有没有."""
_SCRIPTS = frozenset({"zh", "ja", "ko", "ru"})


@lru_cache(maxsize=512)
def _languages(question: str) -> tuple[str, ...]:
    languages = detect_languages(question)
    return tuple(language for language in languages if language in _SCRIPTS) or languages


@lru_cache(maxsize=512)
def _parse(question: str, languages: tuple[str, ...]) -> _Question | None:
    """Return what a restatement repeats; None if the text does not ask one short question."""
    vocabulary = _vocabulary(languages)
    text = _SPEAKING.sub(" ", clean_reply(question))
    if vocabulary.is_chinese:
        text = text.replace("了", "")
    sentences = [match[0] for match in _SENTENCE.finditer(text)]
    asked = [sentence for sentence in sentences if vocabulary.asks.search(sentence)]
    if len(asked) != 1 or len(asked[0]) > MAX_QUESTION:
        return None
    words = vocabulary.split(asked[0])
    content = [(position, word) for position, word in enumerate(words) if word.kind is not _Kind.CONTENT_FREE]
    if not content:
        return None
    definite = [word.stem for position, word in content[1:] if _is_definite(asked[0], words[position - 1], vocabulary)]
    return _Question(
        stems=tuple(word.stem for _, word in content),
        persons=frozenset(word.stem for _, word in content if word.kind is _Kind.PERSON),
        adverbials=frozenset(word.stem for _, word in content if word.kind is _Kind.ADVERBIAL),
        complement=definite[-1] if definite else "",
        opening=asked[0][words[0].start : words[0].end].casefold(),
        reserved=frozenset(vocabulary.displacing(asked[0])),
        is_negative=_is_negative(asked[0], vocabulary),
    )


def _is_definite(question: str, previous: _Word, vocabulary: _Vocabulary) -> bool:
    return vocabulary.definites.fullmatch(question, previous.start, previous.end) is not None


def _is_negative(question: str, vocabulary: _Vocabulary) -> bool:
    negators = vocabulary.negator.finditer(_EITHER.sub(" ", question))
    return any(_NEGATIVE.fullmatch(match[0].strip()) for match in negators)


def is_negative_question(question: str) -> bool:
    """Return whether a question has a negation, so that a denial may confirm it: "Is there no dog?"."""
    parsed = _parse(question[-MAX_QUESTION:], _languages(question[-MAX_QUESTION:]))
    return parsed is not None and parsed.is_negative


# --- the reply --------------------------------------------------------------------------


def mentions_topic(clause: str, question: str, rules: Rules) -> bool:
    """Return whether a clause has a word of the question other than a person or an adverb."""
    languages = tuple(language for language in _languages(question[-MAX_QUESTION:]) if language in rules.tables)
    parsed = _parse(question[-MAX_QUESTION:], languages) if languages else None
    if parsed is None:
        return False
    words = _vocabulary(languages).split(clause[:MAX_CLAUSE], parsed.stems)
    stems = {word.stem for word in words if word.kind is _Kind.SHARED}
    return bool(stems - parsed.persons - parsed.adverbials)


def read_restatements(reply: str, question: str, rules: Rules) -> frozenset[bool]:
    """Read whether clauses of a reply, reduced to what it asserts, restate the question (True) or deny it (False).

    Args:
        reply: The reply without quotations, questions and conditions.
        question: The question, which may stand among instructions.
        rules: The rules of the languages of the reply.
    """
    languages = tuple(language for language in _languages(question[-MAX_QUESTION:]) if language in rules.tables)
    parsed = _parse(question[-MAX_QUESTION:], languages) if languages else None
    if parsed is None or parsed.is_negative:
        return frozenset()
    vocabulary = _vocabulary(languages)
    values: set[bool] = set()
    if vocabulary.is_chinese:
        reply = reply.replace("了", "")
        if echo := _VERB_ECHO.match(reply):
            values |= _read_echo(echo, question)
    for clause in _clauses(reply, vocabulary):
        value = _read_clause(clause, parsed, vocabulary)
        if value is not None:
            values.add(value)
            if is_retracted(reply, clause.end, rules) or CORRECTION.search(reply, clause.end):
                return frozenset()
    return frozenset(values)


_VERB_ECHO = re.compile(r"\s*(?P<negation>不|没有?|未)?(?P<verb>[\u4e00-\u9fff]{2,3}?)(?=[,。!]|\Z)")
"""The verb of a Chinese question at the start of a reply: 是否同意 is answered by 同意 or 不同意."""


def _read_echo(echo: re.Match[str], question: str) -> set[bool]:
    """Return what a reply states by the verb of the question alone."""
    is_asked = any(f"{asks}{echo['verb']}" in question for asks in ("是否", "有没有", "会不会", "是不是"))
    return {echo["negation"] is None} if is_asked or (echo["negation"] and echo["verb"] in question) else set()


def _clauses(reply: str, vocabulary: _Vocabulary) -> Iterator[_Clause]:
    """Yield the clauses of a reply, except items of lists and what follows a heading."""
    is_first = True
    for sentence in _SENTENCE.finditer(reply):
        is_line = "\n" in reply and not _END.search(sentence[0])
        if is_line or _is_list(sentence[0], vocabulary):
            is_first = False
            continue
        scope = start = 0
        for mark in [*_BREAK.finditer(sentence[0]), None]:
            end = mark.start() if mark else len(sentence[0])
            text = sentence[0][start:end]
            if text.strip():
                yield _Clause(text, sentence[0][scope:start], sentence[0][end:], sentence.start() + end, is_first)
                is_first = False
            if mark:
                start = mark.end()
                is_turn = _TURN.fullmatch(mark[0]) or (mark[0] == ":" and vocabulary.announcement.fullmatch(text))
                scope = start if is_turn else scope


def _is_list(sentence: str, vocabulary: _Vocabulary) -> bool:
    items = _COMMA.split(sentence, maxsplit=20)
    return len(items) >= _MIN_LIST and all(len(vocabulary.split(item[:MAX_CLAUSE])) <= _MAX_ITEM for item in items)


def _read_clause(clause: _Clause, question: _Question, vocabulary: _Vocabulary) -> bool | None:
    """Return whether a clause restates the question (True) or denies it (False)."""
    if len(clause.text) > MAX_CLAUSE:
        return None
    words = vocabulary.split(clause.text, question.stems)
    is_denied = vocabulary.negation.search(clause.text) is not None
    if not _has_all(words, question, is_first=clause.is_first, is_denied=is_denied) or _is_displaced(
        clause, words, question, vocabulary
    ):
        return None
    if vocabulary.negation.search(clause.before):
        return None
    if not is_denied:
        is_plain = _adds_little(clause.text, words, vocabulary)
        return True if is_plain and _states(clause.text, words, question, vocabulary) else None
    is_bare = all(word.kind in {_Kind.SHARED, _Kind.CONTENT_FREE} for word in words)
    has_negator = is_bare and vocabulary.negator.search(clause.text)
    return False if has_negator and _is_negated_once(clause.text, vocabulary) else None


def _is_negated_once(text: str, vocabulary: _Vocabulary) -> bool:
    """Return whether a text has one negation; words that agree with each other count as one: "no se oye ninguna"."""
    words = [match[0].strip().casefold() for match in vocabulary.denial.finditer(text)]
    concords = [word for word in words if vocabulary.concord.fullmatch(word)]
    return len(words) - len(concords) + bool(concords) == 1 and len(set(concords)) == len(concords)


def _has_all(words: Sequence[_Word], question: _Question, *, is_first: bool, is_denied: bool) -> bool:
    """Return whether words repeat those of a question in their order; a person may be replaced by a pronoun."""
    order = list(dict.fromkeys(word.stem for word in words if word.kind is _Kind.SHARED))
    stems = list(dict.fromkeys(question.stems))
    has_others = any(word.kind in {_Kind.OTHER, _Kind.PERSON} for word in words)
    if not set(order) - question.persons and set(stems) - question.persons:
        return False
    optional = set() if has_others else set(question.persons)
    if is_denied and not has_others:
        optional |= question.adverbials
    if is_first and not has_others and set(order) - question.persons - {question.complement}:
        optional.add(question.complement)
    if not order or set(stems) - set(order) - optional:
        return False
    fixed, expected = ([stem for stem in each if stem not in question.adverbials] for each in (order, stems))
    return _is_same_order(fixed, expected, question.persons)


def _is_same_order(order: list[str], stems: list[str], persons: frozenset[str]) -> bool:
    """Return whether words follow each other as in a question, except for the verb that opens it.

    Without a person, a verb and its object may change places.
    """
    if len(order) <= _MAX_FREE_ORDER and not persons & set(order):
        return True
    expected = [stem for stem in stems if stem in order]
    opening = stems[0] if stems else ""
    return order == expected or [stem for stem in order if stem != opening] == [
        stem for stem in expected if stem != opening
    ]


def _is_displaced(clause: _Clause, words: list[_Word], question: _Question, vocabulary: _Vocabulary) -> bool:
    """Return whether a clause is doubted, reported, compared, headed or repeats the question, or concerns others."""
    has_other_person = bool(question.persons) and any(word.kind is _Kind.PERSON for word in words)
    first = clause.text[words[0].start : words[0].end].casefold()
    is_echo = vocabulary.has_inversion and first == question.opening
    if has_other_person or is_echo or ":" in clause.before or vocabulary.doubt.search(clause.after):
        return True
    return bool(vocabulary.displacing(clause.before + clause.text) - question.reserved)


def _has_predicate(text: str, words: Sequence[_Word], vocabulary: _Vocabulary) -> bool:
    """Return whether words have a verb, so that the words before are its subject: "noise *is* a problem"."""
    is_infinitive = bool(words) and text[words[0].start : words[0].end].casefold() in {"to", "zu"}
    return is_infinitive or any(vocabulary.copula.fullmatch(text, word.start, word.end) for word in words)


def _adds_little(text: str, words: list[_Word], vocabulary: _Vocabulary) -> bool:
    """Return whether a clause adds nothing but an attribute to the words of the question: "an *old* dog barks"."""
    shared = [position for position, word in enumerate(words) if word.kind is _Kind.SHARED]
    first, last = shared[0], shared[-1]
    others = [position for position, word in enumerate(words) if word.kind is _Kind.OTHER]
    # What follows a noun alone is more likely its predicate: "noise in recordings annoys".
    is_verb = first != last or any(word.kind is _Kind.CONTENT_FREE for word in words[: max(0, first - 1)])
    is_verb = is_verb and not _has_predicate(text, words[last + 1 :], vocabulary)
    if vocabulary.has_adjuncts and last + 1 not in others and is_verb:
        others = [position for position in others if position < last]
    # A single Chinese character after others is part of another word.
    return not others or (others == [first - 1] and (vocabulary.is_spaced or len(words[first].stem) > 1))


def _states(text: str, words: list[_Word], question: _Question, vocabulary: _Vocabulary) -> bool:
    """Return whether a clause states something, which a single word or a noun with its article does not."""
    if not vocabulary.is_spaced:
        is_sentence = vocabulary.is_chinese and len(question.stems[0]) >= _MIN_CHINESE_SENTENCE
        return len(words) > 1 or is_sentence or len(text.strip()) > len(words[0].stem) + 1
    if len(set(question.stems)) > 1:
        return len(words) > 1
    verbs = (text[word.start : word.end] for word in words if word.kind is _Kind.CONTENT_FREE)
    return any(not vocabulary.function_words.fullmatch(word) for word in verbs)
