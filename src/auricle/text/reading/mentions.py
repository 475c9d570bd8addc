"""Find where a reply mentions an option: by its text, its letter or number, its ordinal, or a misspelt text."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from rapidfuzz.distance import DamerauLevenshtein

from auricle.text.reading.clean_reply import simplify
from auricle.text.reading.languages import TABLES
from auricle.text.reading.related_names import (
    ONE,
    count_values,
    number_names,
    other_writings,
    unit_writings,
    verb_forms,
    words_for_labels,
)
from auricle.text.reading.rules import LETTERS, ClaimLevel, PhrasingRule, Rules, compile_pattern
from auricle.text.scripts import UNSPACED_SCRIPTS

CACHE_SIZE = 4_096
WINDOW = 90
"""Characters before and after a mention in which its phrasing is searched."""


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """Where a reply names an option, by its text or by its label."""

    start: int
    end: int
    index: int
    is_label: bool


class OptionNames(NamedTuple):
    """The names of each option, and the letters and numbers that label one."""

    aliases: tuple[tuple[str, ...], ...]
    labels: dict[str, int]
    has_ordinals: bool = False
    """Whether "the second one" may name an option."""


# --- names ------------------------------------------------------------------------------

_ALTERNATIVE_SEPARATOR = re.compile(r"[/|()]")
_WORD_SEPARATOR = re.compile(r"[_-]+")
_OWN_LABEL = re.compile(r"\s*\(?(?P<letter>[A-Z])(?:\)|[.:、])\s*(?=\S)")


@lru_cache(maxsize=CACHE_SIZE)
def choice_names(choices: tuple[str, ...]) -> OptionNames:
    """Return the names of the options of a question."""
    texts = strip_labels(choices)
    aliases = [_writings(text) if text not in texts[:index] else () for index, text in enumerate(texts)]
    return OptionNames(tuple(aliases), build_label_table(texts), has_ordinals=bool(choices))


@lru_cache(maxsize=CACHE_SIZE)
def label_names(labels: tuple[str, ...]) -> OptionNames:
    """Return the names of the labels of a classification."""
    aliases = tuple((*_writings(name), *map(simplify, _label_variants(name))) for name in labels)
    return OptionNames(aliases, single_letter_options(labels))


def _writings(name: str) -> tuple[str, ...]:
    """Return a name with its other writings; Chinese replies are read in simplified characters."""
    simplified = simplify(name)
    return (name, *([simplified] if simplified != name else []), *other_writings(simplified), *unit_writings(name))


def _label_variants(name: str) -> list[str]:
    """Return other spellings of a label: either part of "生气/angry", "sea waves" for "sea_waves"."""
    parts = [part.strip() for part in _ALTERNATIVE_SEPARATOR.split(name)]
    spaced = [" ".join(_WORD_SEPARATOR.split(text)).strip() for text in (name, *parts)]
    return [variant for variant in dict.fromkeys([*parts, *spaced]) if variant not in {"", name}]


def strip_labels(choices: Sequence[str]) -> list[str]:
    """Remove the letters from options such as "(B) guitar", if all options have one."""
    texts = [strip_own_label(choice, index) for index, choice in enumerate(choices)]
    are_labelled = all(text != choice for text, choice in zip(texts, choices, strict=True))
    return texts if are_labelled else list(choices)


def strip_own_label(choice: str, index: int) -> str:
    """Remove the option's own letter from its text, as in "(B) guitar"."""
    label = _OWN_LABEL.match(choice)
    is_own = label is not None and label["letter"] == string.ascii_uppercase[index : index + 1]
    return choice[label.end() :] if label and is_own else choice


_CYRILLIC_LETTERS = {"А": "A", "Б": "B", "С": "C", "Г": "D", "Д": "E"}
"""Cyrillic letters that can stand for one option only: В is the third letter, but looks like the second."""


def build_label_table(choices: Sequence[str]) -> dict[str, int]:
    """Map letters and numbers to options; one letter or a number in words stands for itself."""
    count = len(choices) or len(string.ascii_uppercase)
    table = dict(zip(string.ascii_uppercase, range(count), strict=False))
    if choices and not any(re.search(r"\d", choice) for choice in choices):
        numbers = count_values(choices) or range(1, count + 1)
        table |= {str(number): index for index, number in enumerate(numbers)}
    table |= {cyrillic: table[latin] for cyrillic, latin in _CYRILLIC_LETTERS.items() if latin in table}
    return table | single_letter_options(choices)


def single_letter_options(choices: Sequence[str]) -> dict[str, int]:
    """Return the options whose whole text is one letter, such as names of notes."""
    return {choice.strip().upper(): index for index, choice in enumerate(choices) if _is_letter(choice.strip())}


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text in string.ascii_letters


# --- texts ------------------------------------------------------------------------------

_TOKEN = re.compile(r"(?<!\w)-?\d+(?:\.\d+)?|[\w#+%♯♭]+")
_ARTICLES = "|".join(table.articles for table in TABLES.values() if table.articles)
ARTICLES = rf"(?:(?:{_ARTICLES})(?:(?<=')|\s+))*"
_ARTICLE = compile_pattern(rf"\A(?:(?:{_ARTICLES})(?:(?<=')|\s+))+(?=\S)")
_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")
_HANGUL = re.compile("[가-힣]")
_JAPANESE_VERB = re.compile(r"[\u3041-\u30ff].*[\u4e00-\u9fff]{1,2}[ぁ-ん]?[うくぐすつぬぶむる]$")
"""An option such as 会議に出る, whose last letter changes with the form of the verb: 会議に出ます."""
_WORD_CHARACTERS = f"0-9_{LETTERS}"
_HAN_DIGITS = "零一二两三四五六七八九十百千"
"""Characters that a number may begin with; 十分钟 is no part of 二十分钟."""
_PARTICLES = (
    "(?![가-힣])|(?=입|이|가|은|는|을|를|의|도|로|으로|에서|에|인|일|예요|라고|라는|라니|였|되|된|처럼|와|과|만|까지|"
    "부터|"
    "보다|나|하|같|란|임|요|야|들|한|해|했|함|합|번|네|겠|죠|지|군|구나|답|랍|뿐|밖에|쪽|편|던|든|랑|조차|마저|여|께|"
    "께서|님|씨|거)"
)
"""What may follow a Korean word: a particle or an ending, not the rest of a longer word."""


class _Matcher(NamedTuple):
    """One pattern for all option texts, and the option index of each named group."""

    pattern: re.Pattern[str]
    options: Mapping[str, int]


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(unicodedata.normalize("NFKC", text).lower()))


def core_tokens(name: str) -> tuple[str, ...]:
    """Return the words of an option without its article or preposition."""
    return _tokens(_ARTICLE.sub("", name.strip().replace("’", "'"))) or _tokens(name)


_NEGATIONS = frozenset({"no", "not", "non", "kein", "keine", "nicht", "pas", "sin", "sem", "senza", "не", "без"})
"""Words after which a comma changes the meaning: "no, speech" is not "no speech"."""


def _join_pattern(left: str, right: str) -> str:
    """Return a pattern for a token and what separates it from the one before; "5 p.m." may be written "5pm"."""
    is_spaced = not (_UNSPACED.match(left[-1]) or _UNSPACED.match(right))
    separator = r"[ \t-]" if left in _NEGATIONS else r"[^\w\n]"
    may_be_joined = not right[0].isdigit() and (left[-1].isdigit() or (_is_letter(left) and _is_letter(right)))
    return (rf"{separator}{{{0 if may_be_joined else 1},3}}{ARTICLES}" if is_spaced else r"[^\w\n]{0,3}") + _escape(
        right
    )


def _escape(token: str) -> str:
    return re.escape(token).replace("ё", "[её]")


class _TokenPattern(NamedTuple):
    """A pattern for tokens with any separators, and for what is around them: word boundaries if the script has them."""

    before: str
    body: str
    after: str

    @property
    def boundaries(self) -> tuple[str, str]:
        return self.before, self.after


def _token_pattern(tokens: Sequence[str]) -> _TokenPattern:
    body = _escape(tokens[0]) + "".join(_join_pattern(*pair) for pair in pairwise(tokens))
    if _JAPANESE_VERB.search(body):
        body = f"{body[:-1]}(?:{body[-1]}|(?=[ぁ-ん]))"
    first, last = tokens[0][0], tokens[-1][-1]
    before = "" if _UNSPACED.match(first) else rf"(?<![{_WORD_CHARACTERS}])(?<![\d.]\.)"
    after = "" if _UNSPACED.match(last) else rf"(?![{_WORD_CHARACTERS}#♯♭])(?!\.\d)"
    if first in _HAN_DIGITS:
        before = f"(?<![0-9{_HAN_DIGITS}])"
    if _HANGUL.match(first):
        before = "(?<![가-힣])"
    if _HANGUL.match(last):
        after = f"(?:{_PARTICLES})"
    return _TokenPattern(before, body, after)


_COUNT_WORDS = ONE | {word for table in TABLES.values() if table.is_spaced for word in table.number_words}


def _are_counts(aliases: Sequence[Sequence[str]]) -> bool:
    """Return whether options differ by their numbers, so that "une" in "une fois" is no article beside "deux fois"."""
    return any(_tokens(name)[:1] and _tokens(name)[0] in _COUNT_WORDS - ONE for names in aliases for name in names)


def _count_tokens(name: str) -> tuple[str, ...]:
    tokens = _tokens(name)
    return tokens if tokens and tokens[0] in _COUNT_WORDS else core_tokens(name)


@lru_cache(maxsize=CACHE_SIZE)
def _named_tokens(aliases: tuple[tuple[str, ...], ...]) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Return the words of every name that belongs to one option only."""
    words = _count_tokens if _are_counts(aliases) else core_tokens
    cores = Counter(tokens for names in aliases for tokens in set(map(words, names)))
    # An option that differs from another one by an article only, as "no speech" from "speech", keeps it.
    named = {
        (tokens if cores[tokens] == 1 else _tokens(name), index)
        for index, names in enumerate(aliases)
        for name, tokens in zip(names, map(words, names), strict=True)
    }
    owners = Counter(tokens for tokens, _index in named)
    return tuple(
        sorted(entry for entry in named if entry[0] and owners[entry[0]] == 1 and not _is_letter("".join(entry[0])))
    )


@lru_cache(maxsize=CACHE_SIZE)
def _compile_matcher(aliases: tuple[tuple[str, ...], ...]) -> _Matcher | None:
    """Compile the names of all options, longest first so that a short name does not hide a longer one."""
    unique = sorted(_named_tokens(aliases), key=lambda entry: (-len("".join(entry[0])), entry))
    if not unique:
        return None
    patterns = [(f"o{position}", _token_pattern(tokens)) for position, (tokens, _) in enumerate(unique)]
    alternatives = []
    # Boundaries are sets of thousands of letters, which take longest to compile: neighbours share them.
    for (before, after), neighbours in groupby(patterns, lambda entry: entry[1].boundaries):
        bodies = "|".join(f"(?P<{group}>{pattern.body})" for group, pattern in neighbours)
        alternatives.append(f"{before}(?:{bodies}){after}")
    options = {group: index for (group, _), (_, index) in zip(patterns, unique, strict=True)}
    return _Matcher(compile_pattern("|".join(alternatives)), options)


def find_text_mentions(text: str, aliases: tuple[tuple[str, ...], ...]) -> list[Mention]:
    """Return where options are named by their texts; an option may have several names."""
    matcher = _compile_matcher(aliases)
    if matcher is None:
        return []
    return [
        Mention(match.start(), match.end(), matcher.options[str(match.lastgroup)], is_label=False)
        for match in matcher.pattern.finditer(text)
    ]


# --- letters and numbers ----------------------------------------------------------------

_LABEL_WINDOW = 40
_LABEL = re.compile(
    r"(?<![A-Za-zÀ-ɏЀ-ӿ0-9_#.])(?<![A-Za-z]['-])(?:[A-Za-zАБСГД]|[1-9][0-9]?)"
    r"(?![A-Za-zÀ-ɏЀ-ӿ0-9_#+%]|['-][A-Za-zÀ-ɏ]|\.\w(?!\w)|\.[0-9])"
    r"(?!\s?(?:minor|major|flat|sharp|dur|moll|mineur|majeur|menor|mayor|maior|minore|maggiore|мажор|минор|[大小]调|"
    r"[長短]調|"
    r"장조|단조)(?!\w))"
)
_WORDS_OFONE_LETTER = frozenset("AEIOYUАС")
"""Letters that are also words ("A guitar", "I think", "O locutor"): where a sentence begins they are no label."""
_SENTENCE_START = re.compile(r"(?:\A|[\n.!?。:;])[\s\"'(\[\d.)-]*\Z")
_BEFORE_WORD = compile_pattern(rf"[ \t]+[{LETTERS}]")
_CLOSING_BRACKET = re.compile(r"\s*[)\]]")
_LINE_START = re.compile(r"(?:\A|\n)[\s\"'(\[]*$")
_LINE_LABEL = re.compile(r"[\"']*(?:[.):、\]]|[ \t]*(?:\Z|\n))")
_LABEL_ONLY = re.compile(r"[\s\"'(\[]*\S{1,2}[\s\"')\].,!:。]*")


def first_matching_level(rules: Sequence[PhrasingRule], text: str, start: int, end: int) -> ClaimLevel | None:
    """Return the level of the first rule that matches around the span, or None."""
    before, after = text[max(0, start - WINDOW) : start], text[end : end + WINDOW]
    return next((rule.level for rule in rules if rule.matches(before, after)), None)


def _is_in_answer_phrase(text: str, start: int, end: int, rules: Rules) -> bool:
    """Return whether the span is in the position of an answer: "answer: b", "option b"."""
    return bool(rules.option_word_before.search(text, start - _LABEL_WINDOW, start)) or bool(
        rules.phrase_end.match(text, end) and first_matching_level(rules.answer_rules, text, start, end)
    )


def _is_lowercase_label(text: str, start: int, end: int, rules: Rules) -> bool:
    starts_line = _LINE_START.search(text, start - _LABEL_WINDOW, start)
    is_marked = _CLOSING_BRACKET.match(text, end) or (starts_line and _LINE_LABEL.match(text, end))
    return bool(is_marked) or _is_in_answer_phrase(text, start, end, rules)


def _is_label(text: str, match: re.Match[str], rules: Rules) -> bool:
    """Return whether a match is a label, not a one-letter word or a number."""
    label, (start, end) = match[0], match.span()
    if label.isdigit():
        return bool(_LABEL_ONLY.fullmatch(text)) or _is_in_answer_phrase(text, start, end, rules)
    if label.islower():
        return _is_lowercase_label(text, start, end, rules)
    may_be_word = label == "I" or _SENTENCE_START.search(text, max(0, start - _LABEL_WINDOW), start)
    is_word = label in _WORDS_OFONE_LETTER and may_be_word and _BEFORE_WORD.match(text, end)
    return not is_word or bool(rules.word_after_letter.match(text, end))


def find_label_mentions(
    text: str, table: Mapping[str, int], text_mentions: Sequence[Mention], rules: Rules
) -> Iterator[Mention]:
    """Yield where options are named by label, outside of option texts."""
    covered = {position for mention in text_mentions for position in range(mention.start, mention.end)}
    starts = {mention.start: mention.index for mention in text_mentions}
    for match in _LABEL.finditer(text):
        index = table.get(match[0].upper())
        if index is None or match.start() in covered:
            continue
        index_after = starts.get(match.end() + 1)
        has_own_text = match[0].isupper() and index_after == index
        is_article = match[0] in _WORDS_OFONE_LETTER and index_after is not None
        if has_own_text or (not is_article and _is_label(text, match, rules)):
            yield Mention(match.start(), match.end(), index, is_label=True)


# --- ordinals and misspelt texts --------------------------------------------------------


_ORDINAL_PARTS = ("noun", "numbered", "listed", "list")


def find_ordinal_mentions(text: str, names: OptionNames, rules: Rules) -> Iterator[Mention]:
    """Yield where options are named by their position: "the second option", "the last one"."""
    if not names.has_ordinals or _have_ordinals(names.aliases, rules):
        return
    count = len(names.aliases)
    for match in rules.ordinals.finditer(text):
        group = next(name for name, value in match.groupdict().items() if value and name not in _ORDINAL_PARTS)
        index = count - 1 if group == "last" else int(group[1:])
        is_answer = any(match[part] for part in _ORDINAL_PARTS) or _is_whole_clause(text, match, rules)
        if index < count and is_answer:
            yield Mention(match.start(), match.end(), index, is_label=False)


@lru_cache(maxsize=CACHE_SIZE)
def _have_ordinals(aliases: tuple[tuple[str, ...], ...], rules: Rules) -> bool:
    """Return whether an option such as "the first speaker" has an ordinal of its own."""
    return any(rules.ordinals.search(f"{name}.") for names in aliases for name in names)


def _is_whole_clause(text: str, match: re.Match[str], rules: Rules) -> bool:
    if not rules.word.search(rules.determiner.sub("", text[: match.start()])):
        return True
    return first_matching_level(rules.text_rules, text, match.start(), match.end()) is ClaimLevel.STATED


_FUZZY_WORD = re.compile(r"[^\W_]+")
_MIN_FUZZY, _MIN_FUZZY_IN_SENTENCE, _LONG = 4, 6, 8
_MAX_ENDING = 2
"""Letters that an inflected word may add, as "wütendes" to "wütend"."""
_OTHER_VOWEL = re.compile("[aeioаеиоуыюя]{2}")
"""The last letters of two forms of a short word: "баня" and "бане", unlike "band" and "bank"."""
_MAX_ARTICLES = 3


def find_misspelt_mentions(
    text: str, aliases: tuple[tuple[str, ...], ...], exact: Sequence[Mention] = ()
) -> list[Mention]:
    """Return where options without exact mention are inflected, or one is misspelt and no other option is as close.

    A reply that is nothing but the text may differ by one letter, or by two from eight letters on. Within a sentence
    another word is more likely than an error, so there only an ending or a long word may differ.
    """
    words = list(_FUZZY_WORD.finditer(text))
    mentioned = {mention.index for mention in exact}
    mentions = []
    are_inflected = True
    for tokens, index in _named_tokens(aliases):
        option = _decompose(" ".join(tokens))
        if len(option) < _MIN_FUZZY or _UNSPACED.search(option) or index in mentioned:
            continue
        for position in range(len(words) - len(tokens) + 1):
            span = words[position : position + len(tokens)]
            candidate = _decompose(" ".join(word[0] for word in span))
            is_last = position <= _MAX_ARTICLES and len(words) == position + len(tokens)
            is_whole = is_last and _is_only_article(text[: span[0].start()])
            is_inflected = _is_inflected([word[0] for word in span], tokens)
            if is_inflected or _is_misspelling(candidate, option, is_whole=is_whole):
                mentions.append(Mention(span[0].start(), span[-1].end(), index, is_label=False))
                are_inflected &= is_inflected
    are_distinct = are_inflected and len({mention.start for mention in mentions}) == len(mentions)
    return mentions if are_distinct or len({mention.index for mention in mentions}) == 1 else []


_RUSSIAN_ENDING = (
    "(?:[аяоеиыуюйь]|[оеиы]й|[ая]я|[оеыи]е|ь[яею]|и[яию]|[оеаяыи]м|[аяыи]х|[ое]в|[ую]ю|[ое]го|[ое]му|[ыиая]ми|"
    "ия[мх]|ие[йм])?"
)
_RUSSIAN_FORMS = re.compile(rf"(?P<stem>[а-я]{{3,}}){_RUSSIAN_ENDING} (?P=stem){_RUSSIAN_ENDING}")


def _is_inflected(words: Sequence[str], tokens: Sequence[str]) -> bool:
    """Return whether words are Russian forms of the words of an option: "учителем" of "учитель"."""
    return all(
        _RUSSIAN_FORMS.fullmatch(f"{word} {token}".lower().replace("ё", "е"))
        for word, token in zip(words, tokens, strict=True)
    )


_CYRILLIC = re.compile("[а-яё]+")


def _find_inflected_mentions(text: str, names: tuple[tuple[str, ...], ...]) -> Iterator[Mention]:
    """Yield where a word is a Russian form of a name of one word."""
    words = [word for word in _FUZZY_WORD.finditer(text) if _CYRILLIC.fullmatch(word[0].lower())]
    for index, name in ((index, name) for index, own in enumerate(names) for name in own if _CYRILLIC.fullmatch(name)):
        for word in words:
            if word[0].lower() != name and _is_inflected([word[0]], [name]):
                yield Mention(word.start(), word.end(), index, is_label=False)


_MIN_WIDENED = 4
_INSERTED = r"(?![不没未无非别])[\u4e00-\u9fff]{1,2}"


def _find_widened_mentions(text: str, aliases: tuple[tuple[str, ...], ...]) -> Iterator[Mention]:
    """Yield where a Chinese option has one or two more characters, or lacks its last: 钱包弄丢了 for 钱包丢了."""
    for index, names in enumerate(aliases):
        for name in names[:1]:
            if len(name) >= _MIN_WIDENED and _HAN_NAME.fullmatch(name):
                for match in _widened(name).finditer(text):
                    yield Mention(match.start(), match.end(), index, is_label=False)


_HAN_NAME = re.compile(r"[\u4e00-\u9fff]+")


@lru_cache(maxsize=CACHE_SIZE)
def _widened(name: str) -> re.Pattern[str]:
    return re.compile("|".join([*(name[:gap] + _INSERTED + name[gap:] for gap in range(2, len(name) - 1)), name[:-1]]))


_FEW_WORDS = 4
"""Words of a reply that do not show its language."""


@lru_cache(maxsize=CACHE_SIZE)
def _related_names(aliases: tuple[tuple[str, ...], ...], languages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return other words that point to each option, less firmly than its names: "anger" for "angry"."""
    forms = [[form for name in names for form in verb_forms(name)] for names in aliases]
    cores = [[" ".join(core_tokens(name)) for name in names] for names in aliases]
    return tuple((*words, *other) for words, other in zip(words_for_labels(cores, languages), forms, strict=True))


@lru_cache(maxsize=CACHE_SIZE)
def _number_names(aliases: tuple[tuple[str, ...], ...], languages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, number_names([names[0] if names else "" for names in aliases], languages)))


def _find_number_mentions(text: str, aliases: tuple[tuple[str, ...], ...], rules: Rules) -> Iterator[Mention]:
    """Yield where a reply asserts the number by which an option differs from the others: "there are 3"."""
    for mention in find_text_mentions(text, _number_names(aliases, tuple(rules.tables))):
        level = first_matching_level(rules.text_rules, text, mention.start, mention.end)
        is_asserted = level is not None and level.value >= ClaimLevel.PREDICATED.value
        is_whole = not _FUZZY_WORD.search(text[: mention.start]) and _COUNTED.fullmatch(text, mention.end)
        if (is_asserted or is_whole) and not _MEASURE.match(text, mention.end):
            yield mention


_COUNTED = re.compile(r"\s+\w+\W*")
"""The end of a reply that is only a number of things: "three people"."""


_MEASURE = compile_pattern(r"[:%]|[.,]\d|\s?(?:s|se[ckg]\w*|сек\w*|min\w*|мин\w*|ms|k?hz|db)(?!\w)|\s?(?:秒|分|초|분)")
"""What follows a time or another measure in a description, which is no count: "at 3 seconds"."""


def find_related_mentions(text: str, names: OptionNames, exact: Sequence[Mention], rules: Rules) -> list[Mention]:
    """Return where a reply points to an option by a related word, or by its text with a small typo."""
    has_few_words = len(_FUZZY_WORD.findall(text)) <= _FEW_WORDS
    related_names = _related_names(names.aliases, tuple(TABLES if has_few_words else rules.tables))
    related = [
        *find_misspelt_mentions(text, names.aliases, exact),
        *find_text_mentions(text, related_names),
        *_find_inflected_mentions(text, related_names),
        *_find_number_mentions(text, names.aliases, rules),
        *_find_widened_mentions(text, names.aliases),
    ]
    return [
        mention
        for mention in related
        if not any(mention.start < other.end and other.start < mention.end for other in exact)
    ]


def _is_only_article(text: str) -> bool:
    return not _FUZZY_WORD.search(_ARTICLE.sub("", text.strip() + " x").removesuffix("x"))


def _decompose(text: str) -> str:
    """Return a text in lower case, with accents and the letters of Korean syllables as characters of their own."""
    return unicodedata.normalize("NFD", text.lower())


def _drop_accents(text: str) -> str:
    return "".join(character for character in text if not unicodedata.combining(character))


def _is_misspelling(candidate: str, option: str, *, is_whole: bool) -> bool:
    if not candidate or candidate[0] != option[0]:
        return False
    if _drop_accents(candidate) == _drop_accents(option) and (candidate.isascii() or option.isascii()):
        return True
    if len(option) > _MIN_FUZZY and candidate.startswith(option) and len(candidate) <= len(option) + _MAX_ENDING:
        return True
    allowed = 2 if len(option) >= _LONG else 1
    distance = DamerauLevenshtein.distance(candidate, option, score_cutoff=allowed)
    if distance > allowed:
        return False
    if is_whole:
        return True
    if len(option) < _MIN_FUZZY_IN_SENTENCE:
        return candidate[:-1] == option[:-1] and _OTHER_VOWEL.fullmatch(candidate[-1] + option[-1]) is not None
    return distance == 1 or candidate[: len(option) - 2] == option[:-2]
