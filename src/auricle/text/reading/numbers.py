"""Read a number, such as a rating, from a free-form reply; never guess.

Number words become digits, and numbers that are no rating are dropped: ends of a scale ("4 *out of 5*"), quantities
("14 seconds"), denied numbers ("not a 5"). A number after a cue ("Rating: 4") or with a unit ("4 stars") counts before
others. Ranges ("3 to 4"), bounds ("at least 3"), numbers outside the limits and two rival numbers are unreadable;
only a correction ("3, no, 4") replaces an earlier number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from auricle.text.reading.assertions import drop_non_assertions, is_refusal, is_retracted
from auricle.text.reading.clean_reply import clean_reply
from auricle.text.reading.number_words import NumberWords, expand_fractions
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.rules import CORRECTION, REST_OF_CLAUSE, Rules, compile_pattern, rules_for_reply, whole_word

Scale = tuple[float, float]
_WHOLE = re.compile(r"[\s*]*(?P<number>[-+]?[0-9]{1,9}(?:\.[0-9]+)?)\.?[\s*]*")
_STARS = re.compile(r"\s*(?P<stars>(?:[★⭐🌟]\ufe0f?\s?){1,10})[☆\s]*")
_HAS_WORD = re.compile(r"\w")
_TENTATIVE, _PLAIN, _CUED, _FINAL = range(4)
_STRENGTHS = {_TENTATIVE: Strength.WEAK, _PLAIN: Strength.OPTION_TEXT, _CUED: Strength.MARKER, _FINAL: Strength.MARKER}


class _Candidate(NamedTuple):
    """A number that may be the rating; without a value, it is no single number or not on the scale."""

    value: float | None
    level: int
    start: int
    end: int


def read_number(text: str, limits: Scale | None = None) -> Reading[float]:
    """Read the number of a reply.

    Args:
        text: The reply.
        limits: Lowest and highest number of the scale; a number outside, or on another scale, is unreadable.
    """
    scale = limits or (-math.inf, math.inf)
    if whole := _WHOLE.fullmatch(text):
        return _whole_reply(float(whole["number"]), scale)
    if stars := _STARS.fullmatch(text):
        return _whole_reply(float(len(re.findall("[★⭐🌟]", stars["stars"]))), scale)
    cleaned = clean_reply(expand_fractions(text))
    rules = rules_for_reply(cleaned)
    if is_refusal(cleaned, rules):
        return Reading(refused=True)
    patterns = _patterns(rules)
    reply = patterns.words.write_digits(drop_non_assertions(cleaned, rules))
    reply, is_other_scale = _drop_scales(reply, scale)
    return Reading() if is_other_scale else _decide(reply, list(_candidates(reply, scale, patterns)), patterns)


def _whole_reply(value: float, scale: Scale) -> Reading[float]:
    return Reading(value, Strength.WHOLE_REPLY) if scale[0] <= value <= scale[1] else Reading()


def _decide(reply: str, candidates: Sequence[_Candidate], patterns: _Patterns) -> Reading[float]:
    """Return the number on the highest level if there is one only, or the last after a correction."""
    if not candidates:
        return Reading()
    level = max(candidate.level for candidate in candidates)
    rivals = [candidate for candidate in candidates if candidate.level == level]
    last = rivals[-1]
    earlier = [candidate for candidate in rivals if candidate.value != last.value]
    if last.value is None or (earlier and not CORRECTION.search(reply, earlier[-1].end, last.start)):
        return Reading()
    has_alternative = any(
        candidate.value != last.value and _ALTERNATIVE.search(reply, max(0, candidate.start - _WINDOW), candidate.start)
        for candidate in candidates
    )
    if has_alternative or is_retracted(reply, last.end):
        return Reading()
    others = patterns.rating_unit.sub("", reply[: last.start] + reply[last.end :])
    is_whole = level >= _PLAIN and not _HAS_WORD.search(others)
    return Reading(last.value, Strength.WHOLE_REPLY if is_whole else _STRENGTHS[level])


# --- scales and ranges -------------------------------------------------------------------

_NUMBER = r"(?<![a-zA-Z0-9_.,])-?[0-9]+(?:\.[0-9]+)?"
_NEXT_NUMBER = r"[0-9]+(?:\.[0-9]+)?(?![a-zA-Z0-9_]|[.,][0-9])"
_POINTS = r"(?:\s?(?:分|点|점|points?|stars?|punkte?n?|балл\w*))?"
_OUT_OF = r"(?:/|(?:out of|of|von|sur|de|em|sobre|su|из)(?: a possible| a total of)?\s)\s*"
_TO = (
    r"(?:\s*(?:-|–|—|~|〜|到|至|から|부터|에서|或者?|或是|还是|または|もしくは|あるいは|혹은|아니면|か|또는|이나|和|与|と|와|과)\s*|"
    r",?\s(?:to|bis|à|al?|до|through|or|oder|ou|oppure|o|или|либо|and|und|et|y|ed?|и|maybe|perhaps|or maybe|"
    r"vielleicht|peut-être|(?:or|oder|ou|o|или) (?:possibly|even|auch|vielleicht|bien|alors|encore|tal vez|quizás?|"
    r"forse|magari|talvez|então|даже|же|может быть))\s+)"
)
_SCALE_BEFORE = (
    r"(?:scale|range|skala|échelle|escala|scala|шкал\w+|rated?)(?:\s+(?:is|goes|runs|geht|va))?"
    r"(?:\s*(?:of|from|between|von|de|del|da|от|:))*\s*|(?:from|between)\s+|按(?:照)?\s*"
)
_RANGE = compile_pattern(
    rf"(?P<scale>{_SCALE_BEFORE})?(?P<low>{_NUMBER}){_POINTS}{_TO}(?:(?:an?|eine?|une?|il|el|le|la|uma?)\s)?"
    rf"(?P<high>-?{_NEXT_NUMBER})(?P<end>{_POINTS}(?:까지(?:의)?|まで|之间|の間|사이|的|制|stufigen)?)"
)
_SHARE = compile_pattern(rf"(?P<number>{_NUMBER}){_POINTS}\s*{_OUT_OF}(?P<full>{_NEXT_NUMBER})")
_MARKED_SHARE = "★"
"""What a number "out of" a full mark is followed by after the full mark was removed."""
_FULL_MARKS = compile_pattern(
    rf"(?:满分|滿分|总分)(?:是|为)?\s*(?P<a>{_NUMBER})\s*分?(?:制)?|"
    rf"(?P<b>{_NUMBER})\s*(?:分|点|점)?\s*(?:制|满分|満点|만점)(?:中|で|の|에|에서|的)?|"
    rf"(?P<c>{_NUMBER})\s*段階(?:評価|中|で|のうち)?(?:言えば|いえば)?|"
    rf"(?P<d>{_NUMBER})\s*(?:点|점|分|つ)?\s*(?:中|중)\s*(?=[0-9])|"
    rf"\((?:out of|von|sur|sobre|em|su|из)\s+(?P<e>{_NUMBER})\)|"
    rf"(?:out of|von|sur|sobre|em|su|из)\s+(?P<f>{_NUMBER})(?=\s*:)"
)
_STAR_COUNT = re.compile(rf"(?:星|별)\s*(?P<number>{_NUMBER})\s*(?:つ|個|개|颗|个)")
_TIME = re.compile(r"[0-9]+:[0-9]{2}(?:[.:][0-9]+)?|(?<![\w.])[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}")
_LIST_ITEM = re.compile(r"^[ \t]*[0-9]{1,2}[.)](?=\s+\S)", re.MULTILINE)


def _drop_scales(reply: str, scale: Scale) -> tuple[str, bool]:
    """Remove times, numbers of list items and ends of scales; return also whether the reply uses another scale."""
    is_limited = math.isfinite(scale[1])
    full_marks: list[float] = []

    def drop_range(match: re.Match[str]) -> str:
        is_scale = (float(match["low"]), float(match["high"])) == scale if is_limited else match["scale"]
        return " " if is_scale else match[0]

    def mark_share(match: re.Match[str]) -> str:
        full_marks.append(float(match["full"]))
        return match["number"] + _MARKED_SHARE

    def drop_full_mark(match: re.Match[str]) -> str:
        full_marks.append(float(match[str(match.lastgroup)]))
        return " "

    text = _STAR_COUNT.sub(rf"\g<number>{_MARKED_SHARE}", _TIME.sub(" ", reply))
    if len(_LIST_ITEM.findall(text)) > 1:
        text = _LIST_ITEM.sub(" ", text)
    text = _FULL_MARKS.sub(drop_full_mark, _SHARE.sub(mark_share, _RANGE.sub(drop_range, text)))
    return text, is_limited and any(full_mark != scale[1] for full_mark in full_marks)


_ALTERNATIVE = compile_pattern(
    r"(?:,\s*|\s)(?:or|oder|ou|o|oppure|или|либо)(?: (?:possibly|even|maybe|auch|vielleicht|bien|peut-être|tal vez|"
    r"quizás?|forse|magari|talvez|даже|может быть))?(?: (?:an?|eine?|une?|una|uma?))?\s+\Z|"
    r"(?:或者?|或是|还是|あるいは|または|もしくは|혹은|또는)\s*\Z"
)
"""What stands before a second number that may also be meant: "I'd say 3, or maybe a 4"."""

# --- candidates --------------------------------------------------------------------------

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})++(?![0-9])|[0-9]++)(?:\.[0-9]++)?|\.[0-9]++"
_CANDIDATE = compile_pattern(
    rf"(?<![a-z0-9_.])(?P<number>(?:(?<![\w)])[-+])?(?:{_DIGITS})(?:e[-+]?[0-9]+)?)(?![a-z0-9_]|\.[0-9])"
)
_WINDOW = 60
_DENIED_BEFORE = compile_pattern(
    whole_word(
        r"not|never|isn't|wasn't|nicht|kein\w*|pas|não|non|не|no(?: es| le doy)?|rather than|instead of|statt|anstatt|"
        r"plutôt que|au lieu d[eu]|en vez de|en lugar de|em vez de|invece di|anziché|piuttosto che|вместо|а не|"
        r"anything but|except|alles andere als|außer|tout sauf|sauf|todo menos|cualquier cosa menos|excepto|tudo menos|"
        r"exceto|tutto tranne|tranne|что угодно,? только не|кроме"
    )
    + r"\s+(?:(?:an?|the|quite|full|eine?[nmr]?|une?|uma?|unos?|una|il|just|really|ganz)\s+)*\Z|"
    r"(?:不是|而不是|不到|并非|不给)\s*\Z"
)
_DENIED_AFTER = compile_pattern(r"\s*(?:点|점|分)?\s*(?:ではな|じゃな|でな|이 아니|가 아니|은 아니|는 아니)")
_MEANING = compile_pattern(
    r"\s*(?:分|点|점)?\s*(?:=|means?|being|stands for|(?:is|being) the (?:worst|best|lowest|highest)|表示|代表|"
    r"是最|为最|が最|は最|은 최|는 최|이 최|steht für|bedeutet|signifie|correspond à|significa|означает)"
)
_AFTER_CORRECTION = compile_pattern(rf"(?:{CORRECTION.pattern})[\s,:]*(?:it's|it is|an?|rather)?\s*\Z")
_FINAL_WORDS = whole_word(
    r"final|overall|total|score|rating|grade|verdict|insgesamt|gesamt\w*|finale?|globale?|complessiv\w+|общая|оценка|"
    r"окончательн\w+|итог\w*"
)


_NOT_PLURAL = r"(?!(?:is|was|as|has|this|plus|perhaps|seems|sounds|feels|fits|suits|works|pues|dans|sans|mais)\b)"
_COUNTED = re.compile(
    rf"\s+(?:{_NOT_PLURAL}[a-zß-öø-ÿ]{{3,}}s|[A-ZÄÖÜ][a-zß-öø-ÿ]+(?:e|n|er)|[a-z]{{3,}}(?:ioni|enti|ori)|"
    r"(?!балл|зв[её]зд)[а-яё]{3,}(?:ка|ов|ев|ей|ок))\b"
)
"""A plural noun after a number: "2 dropouts" is a quantity, unlike "2 because"."""


class _Patterns:
    """The patterns of some languages around a rating."""

    def __init__(self, rules: Rules) -> None:
        self.words = NumberWords(rules)
        self.rating_unit = rules.compiled("rating_units")
        rating_units = rules.alternatives("rating_units")
        determiners = rules.alternatives("fillers", "articles")
        gap = r"[^0-9\n.!?。]{0,40}\Z"
        answers = rules.alternatives("answer_nouns")
        self.bound_before = compile_pattern(rf"{rules.alternatives('bounds')}\s*(?:{determiners}\s*)*\Z")
        self.bound_after = compile_pattern(rf"(?:\+|{_POINTS}\s*{rules.alternatives('bounds_after')})")
        self.unit_after = compile_pattern(rf"{_MARKED_SHARE}|[\s-]?{rating_units}")
        self.quantity_after = compile_pattern(rf"\s?-?{rules.alternatives('other_units')}(?!{rating_units})")
        self.cue = compile_pattern(rf"{rules.alternatives('rating_cues')}{gap}")
        self.final_cue = compile_pattern(rf"(?:{answers}|{_FINAL_WORDS}|评分|得分|总分|分数|評価|点数|점수|평점){gap}")
        self.first_thought = compile_pattern(rf"{rules.alternatives('first_thoughts')}{REST_OF_CLAUSE}\Z")

    def level(self, before: str, reply: str, end: int) -> int:
        """Return how firmly a number is given as the rating."""
        if self.first_thought.search(before):
            return _TENTATIVE
        if self.final_cue.search(before) or _AFTER_CORRECTION.search(before):
            return _FINAL
        return _CUED if self.cue.search(before) or self.unit_after.match(reply, end) else _PLAIN

    def is_rating(self, before: str, reply: str, end: int) -> bool:
        """Return whether a number is neither denied nor a quantity nor explained as part of the scale."""
        is_denied = _DENIED_BEFORE.search(before) or _DENIED_AFTER.match(reply, end)
        return not (is_denied or _MEANING.match(reply, end) or self.quantity_after.match(reply, end))

    def is_bound(self, before: str, reply: str, end: int) -> bool:
        return bool(self.bound_before.search(before) or self.bound_after.match(reply, end))


@lru_cache(maxsize=64)
def _patterns(rules: Rules) -> _Patterns:
    return _Patterns(rules)


def _candidates(reply: str, scale: Scale, patterns: _Patterns) -> Iterator[_Candidate]:
    """Yield the numbers and ranges that may be the rating."""
    ranges = [(match.start("low"), match.end("high")) for match in _RANGE.finditer(reply)]
    for start, end in ranges:
        if not patterns.quantity_after.match(reply, end):
            before = reply[max(0, start - _WINDOW) : start]
            yield _Candidate(None, patterns.level(before, reply, end), start, end)
    numbers = []
    for match in _CANDIDATE.finditer(reply):
        if not any(start <= match.start() < end for start, end in ranges):
            numbers += _candidate(reply, match, scale, patterns)
    # A number off the scale and without a cue belongs to the description if another number is on the scale.
    has_value = any(number.value is not None for number in numbers)
    yield from (number for number in numbers if number.value is not None or number.level > _PLAIN or not has_value)


def _candidate(reply: str, match: re.Match[str], scale: Scale, patterns: _Patterns) -> list[_Candidate]:
    start, end = match.span()
    before = reply[max(0, start - _WINDOW) : start]
    if not patterns.is_rating(before, reply, end):
        return []
    level = patterns.level(before, reply, end)
    if level == _PLAIN and _COUNTED.match(reply, end):
        return []
    value = float(match["number"].replace(",", ""))
    is_single = math.isfinite(value) and scale[0] <= value <= scale[1] and not patterns.is_bound(before, reply, end)
    return [_Candidate(value if is_single else None, level, start, end)]
