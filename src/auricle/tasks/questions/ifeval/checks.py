"""The 25 instructions of IFEval; each is a function of an answer and the instruction's arguments.

The parameter names are those of the published data, because arguments are passed by name.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from auricle.core.errors import MissingExtra, Unreadable

RELATIONS: Mapping[str, Callable[[int, int], bool]] = {"less than": operator.lt, "at least": operator.ge}
CONSTRAINED_REPLIES = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
POSTSCRIPTS = {"P.S.": r"p\.\s?s\.", "P.P.S": r"p\.\s?p\.\s?s"}
FENCE = re.compile(r"\A```(?:json)?|```\Z", re.IGNORECASE)


# --- sentences, capital letters and language, almost exactly as in the published code ---------

_SENTENCE_END = re.compile(r"(?<![.!?])(?P<mark>[.!?]+)(?:[\"'”’)\]}*_]+,?)?\s+(?P<next>\S{1,40})")
_MAX_WORD_LENGTH = 40
_UNSPACED_END = re.compile(r"[。！？]+[”’」』）]*(?=\s*\S)")  # not followed by a space
_QUOTES = "\"'“”‘’"

_TITLE = re.compile(r"mr|mrs|ms|dr|prof|rev|gen|col|capt|lt|sgt|sen|rep|gov|st|mt|vs")
_ABBREVIATION = re.compile(
    r"no|etc|inc|ltd|co|corp|jr|sr|dept|approx"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|(?!(?:p\.)+s)(?:[a-z]\.)+[a-z]"  # e.g, u.s; but not p.s (postscript)
)
_SENTENCE_OPENER = re.compile(
    r"(?:the|this|that|these|those|he|she|it|they|we|you|i|there|here|in|on|at|if|when|while|but"
    r"|and|however|what|how|why|who|my|our|your|his|her|its|their|an?|as|for|so|then|also)(?!\w)"
)

_TOKEN_BREAKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"([;@#$%&?!()\[\]{}<>\"“”]|--|\.{3}|[:,](?!\d))",
        r"(?<=[^'\s])('(?:s|m|d|ll|re|ve)?)(?=\s|$)",
        r"(?<=\w)(n't)\b",
        r"(?<=\bcan)(not)\b",
    )
)


def count_sentences(text: str) -> int:
    """Count sentences, which end with . ! or ? before whitespace, or with a Chinese full stop."""
    text = _UNSPACED_END.sub(". ", text).strip()
    position, count = 0, int(bool(text))
    while match := _SENTENCE_END.search(text, position):
        count += _is_sentence_end(match)
        position = match.start("next")
    return count


def _is_sentence_end(match: re.Match[str]) -> bool:
    """Return whether a mark ends a sentence, not just an abbreviation, an initial, a pause or a number."""
    following = match["next"].strip(_QUOTES)
    if not following or match["mark"].strip("."):
        return bool(following)
    is_capital = following.lstrip("(*")[:1].isupper()
    if match["mark"] != ".":
        return is_capital
    last = _last_word(match)
    if _TITLE.fullmatch(last):
        return False
    is_opener = is_capital and bool(_SENTENCE_OPENER.match(following.lower()))
    if _ABBREVIATION.fullmatch(last):
        return is_opener
    if last.isdigit():
        return not following[:1].islower()
    if len(last) == 1 and last.isalpha() and is_capital:
        return is_opener or _begins_line(match)  # "A." is a list label at the start of a line, else an initial
    return True


def _last_word(match: re.Match[str]) -> str:
    """Return the word before the mark with its inner full stops: `u.s` of `(the U.S.`."""
    before = match.string[max(0, match.start() - _MAX_WORD_LENGTH) : match.start()]
    return re.split(r"[^\w.]", before)[-1].lower()


def _begins_line(match: re.Match[str]) -> bool:
    """Return whether the letter before the mark is the first of its line."""
    position = match.start() - 1
    return not match.string[match.string.rfind("\n", 0, position) + 1 : position].strip()


def count_capital_words(text: str) -> int:
    """Count words in capital letters; contractions count as two words."""
    for pattern in _TOKEN_BREAKS:
        text = pattern.sub(r" \1 ", text)
    return sum(word.isupper() for word in text.split())


@lru_cache(maxsize=1)
def _load_detector_factory() -> Any:
    """Create a seeded detector factory; the library's own is global and unseeded."""
    try:
        from langdetect import PROFILES_DIRECTORY, DetectorFactory
    except ImportError as missing:
        raise MissingExtra("IFEval", "ifeval") from missing
    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.set_seed(0)
    return factory


def is_language(text: str, language: str) -> bool:
    """Return whether a text is in this language; True if it is too short to detect one."""
    factory = _load_detector_factory()
    from langdetect import LangDetectException

    detector = factory.create()
    detector.append(text)
    try:
        detected = str(detector.detect())
    except LangDetectException:
        return True
    return language.lower() in (detected, detected.partition("-")[0])  # zh-cn and zh-tw are both zh


# --- checks ---------------------------------------------------------------------------


def _satisfies_relation(count: int, relation: str, limit: int) -> bool:
    if relation not in RELATIONS:
        raise Unreadable(f"the relation {relation!r} is not one of {', '.join(RELATIONS)}")
    return RELATIONS[relation](count, limit)


def _as_list(value: str | Sequence[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


# --- punctuation and case -------------------------------------------------------------


def no_comma(answer: str) -> bool:
    return "," not in answer


def quotation(answer: str) -> bool:
    """Check that the answer is enclosed in straight double quotes."""
    answer = answer.strip()
    return len(answer) > 1 and answer[0] == answer[-1] == '"'


def capital_word_frequency(answer: str, capital_frequency: int, capital_relation: str) -> bool:
    return _satisfies_relation(count_capital_words(answer), capital_relation, capital_frequency)


def english_capital(answer: str) -> bool:
    return answer.isupper() and is_language(answer, "en")


def english_lowercase(answer: str) -> bool:
    return answer.islower() and is_language(answer, "en")


def response_language(answer: str, language: str) -> bool:
    return is_language(answer, language)


# --- length -----------------------------------------------------------------------------


def number_words(answer: str, num_words: int, relation: str) -> bool:
    """Check the number of words; a word is a run of letters, digits and underscores, so `don't` is two."""
    return _satisfies_relation(len(re.findall(r"\w+", answer)), relation, num_words)


def number_sentences(answer: str, num_sentences: int, relation: str) -> bool:
    return _satisfies_relation(count_sentences(answer), relation, num_sentences)


def number_paragraphs(answer: str, num_paragraphs: int) -> bool:
    """Check the number of paragraphs separated by `***`; only the first and the last may be empty."""
    parts = _split_parts(answer, "***")
    return parts is not None and len(parts) == num_paragraphs


def _split_parts(answer: str, divider: str) -> list[str] | None:
    """Split at dividers and drop empty ends; return None if a part in the middle is empty."""
    parts = [part.strip() for part in answer.split(divider)]
    if not all(parts[1:-1]):
        return None
    return [part for part in parts if part]


def nth_paragraph_first_word(answer: str, num_paragraphs: int, nth_paragraph: int, first_word: str) -> bool:
    """Check the number of paragraphs separated by empty lines, and the first word of the nth."""
    parts = [part.strip() for part in answer.split("\n\n")]
    filled = sum(map(bool, parts))
    nth = int(nth_paragraph)
    if filled != num_paragraphs or not 0 < nth <= filled or not parts[nth - 1]:
        return False
    word = parts[nth - 1].split()[0].lstrip("'").lstrip('"')
    return re.split(r"[.,?!'\"]", word.lower())[0] == first_word.lower()


# --- content and format -------------------------------------------------------------------


def number_placeholders(answer: str, num_placeholders: int) -> bool:
    return len(re.findall(r"\[.*?\]", answer)) >= num_placeholders


def postscript(answer: str, postscript_marker: str) -> bool:
    marker = postscript_marker.strip()
    pattern = POSTSCRIPTS.get(marker) or re.escape(marker.lower())
    return re.search(pattern, answer.lower()) is not None


def number_bullet_lists(answer: str, num_bullets: int) -> bool:
    """Check for exactly this many lines that begin with a single `*` or with `-`."""
    lines = [line.lstrip() for line in answer.split("\n")]
    return sum(bool(re.match(r"-|\*[^*]", line)) for line in lines) == num_bullets


def constrained_response(answer: str) -> bool:
    return any(reply in answer for reply in CONSTRAINED_REPLIES)


def number_highlighted_sections(answer: str, num_highlights: int) -> bool:
    """Check for at least this many `*highlights*` or `**highlights**`."""
    marked = [*re.findall(r"\*[^\n*]*\*", answer), *re.findall(r"\*\*[^\n*]*\*\*", answer)]
    return sum(bool(highlight.strip("*").strip()) for highlight in marked) >= num_highlights


def multiple_sections(answer: str, section_spliter: str, num_sections: int) -> bool:
    """Check for at least this many headings such as `SECTION 2`."""
    return len(re.findall(re.escape(section_spliter.strip()) + r"\s?\d+", answer)) >= num_sections


def json_format(answer: str) -> bool:
    try:
        json.loads(FENCE.sub("", answer.strip()))
    except (ValueError, RecursionError):
        return False
    return True


def title(answer: str) -> bool:
    """Check for a title in double angle brackets on one line."""
    return any(heading.strip("<> \t") for heading in re.findall(r"<<([^\n]+)>>", answer))


# --- the whole answer ------------------------------------------------------------------------


def two_responses(answer: str) -> bool:
    """Check for two different replies separated by six asterisks."""
    parts = _split_parts(answer, "******")
    return parts is not None and len(parts) == 2 and parts[0] != parts[1]


def repeat_prompt(answer: str, prompt_to_repeat: str) -> bool:
    return answer.strip().lower().startswith(prompt_to_repeat.strip().lower())


def end_checker(answer: str, end_phrase: str) -> bool:
    return answer.strip().strip('"').lower().endswith(end_phrase.strip().lower())


# --- keywords -------------------------------------------------------------------------------


def existence(answer: str, keywords: Sequence[str]) -> bool:
    """Check that every keyword occurs, possibly inside a longer word."""
    return all(_count_occurrences(word, answer) for word in _as_list(keywords))


def frequency(answer: str, keyword: str, frequency: int, relation: str) -> bool:
    return _satisfies_relation(_count_occurrences(keyword.strip(), answer), relation, frequency)


def forbidden_words(answer: str, forbidden_words: Sequence[str]) -> bool:
    """Check that none of these occurs as a whole word."""
    return not any(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", answer, re.IGNORECASE) for word in _as_list(forbidden_words)
    )


def letter_frequency(answer: str, letter: str, let_frequency: int, let_relation: str) -> bool:
    """Check how often a character occurs; it need not be a letter."""
    return _satisfies_relation(answer.lower().count(letter.strip().lower()), let_relation, let_frequency)


def _count_occurrences(word: str, answer: str) -> int:
    return len(re.findall(re.escape(word), answer, re.IGNORECASE))


_CHECKS_BY_GROUP: Mapping[str, Sequence[Callable[..., bool]]] = {
    "punctuation": [no_comma],
    "length_constraints": [number_words, number_sentences, number_paragraphs, nth_paragraph_first_word],
    "detectable_content": [number_placeholders, postscript],
    "detectable_format": [
        *(number_bullet_lists, constrained_response, number_highlighted_sections),
        *(multiple_sections, json_format, title),
    ],
    "combination": [two_responses, repeat_prompt],
    "startend": [end_checker, quotation],
    "keywords": [existence, frequency, forbidden_words, letter_frequency],
    "language": [response_language],
    "change_case": [capital_word_frequency, english_capital, english_lowercase],
}
CHECKS = {f"{group}:{check.__name__}": check for group, checks in _CHECKS_BY_GROUP.items() for check in checks}
"""The checks by the ids of the published data."""
