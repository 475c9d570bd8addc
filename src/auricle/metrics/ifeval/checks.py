"""The 25 instructions of IFEval; each is a function of an answer and the instruction's arguments.

The parameter names are those of the published data, because arguments are passed by name.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from auricle.core.errors import Unreadable
from auricle.metrics.ifeval.counting import count_capital_words, count_sentences
from auricle.metrics.ifeval.language import is_language

Check: TypeAlias = Callable[..., bool]

RELATIONS: Mapping[str, Callable[[int, int], bool]] = {"less than": operator.lt, "at least": operator.ge}
CONSTRAINED_REPLIES = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
POSTSCRIPTS = {"P.S.": r"p\.\s?s\.", "P.P.S": r"p\.\s?p\.\s?s"}
FENCE = re.compile(r"\A```(?:json)?|```\Z", re.IGNORECASE)


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


CHECKS: Mapping[str, Check] = {
    "punctuation:no_comma": no_comma,
    "length_constraints:number_words": number_words,
    "length_constraints:number_sentences": number_sentences,
    "length_constraints:number_paragraphs": number_paragraphs,
    "length_constraints:nth_paragraph_first_word": nth_paragraph_first_word,
    "detectable_content:number_placeholders": number_placeholders,
    "detectable_content:postscript": postscript,
    "detectable_format:number_bullet_lists": number_bullet_lists,
    "detectable_format:constrained_response": constrained_response,
    "detectable_format:number_highlighted_sections": number_highlighted_sections,
    "detectable_format:multiple_sections": multiple_sections,
    "detectable_format:json_format": json_format,
    "detectable_format:title": title,
    "combination:two_responses": two_responses,
    "combination:repeat_prompt": repeat_prompt,
    "startend:end_checker": end_checker,
    "startend:quotation": quotation,
    "keywords:existence": existence,
    "keywords:frequency": frequency,
    "keywords:forbidden_words": forbidden_words,
    "keywords:letter_frequency": letter_frequency,
    "language:response_language": response_language,
    "change_case:capital_word_frequency": capital_word_frequency,
    "change_case:english_capital": english_capital,
    "change_case:english_lowercase": english_lowercase,
}
