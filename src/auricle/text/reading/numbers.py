"""Read a number, such as a rating, from a reply.

The number is the whole reply or a line of it, or it is announced ("Score: 4"), or it has a unit ("4 points", "4 out of
5") and nothing speaks against it. Ranges, numbers outside the limits and two different numbers are unreadable.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from auricle.text.reading.languages import all_languages, phrasebook
from auricle.text.reading.markers import find_announced, is_corrected
from auricle.text.reading.result import Reading, Strength
from auricle.text.reading.sentences import Reply
from auricle.text.reading.statements import find_refusal
from auricle.text.reading.structure import answer_fields, clean_reply, drop_thought, marked_answers, parse_object
from auricle.text.reading.words import Hit, Phrasebook, is_word

_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_FRACTION = re.compile(rf"(\d?)\s?([{''.join(_FRACTIONS)}])")
_STARS = re.compile(r"\s*((?:[★⭐🌟]\ufe0f?\s?){1,10})[☆\s]*")
_DECIMAL_COMMA = frozenset(("de", "fr", "es", "pt", "it", "ru", "tr", "id", "vi"))
_RANGE_MARKS = frozenset(
    ("-", "–", "—", "~", "到", "至", "bis", "to", "à", "a", "до", "から", "에서", "or", "oder", "ou", "o")
)
_OPENING = frozenset("([\"'{$:=–—>,")
_AFTER_OPENING = frozenset("\n.,:;-–—(!)")


@lru_cache(maxsize=256)
def _number_words(languages: tuple[str, ...]) -> Phrasebook[float]:
    tables = [table for code, table in all_languages().items() if not languages or code in languages]
    return Phrasebook(
        (word, float(value))
        for table in tables
        for value, words in enumerate(table.phrases("numbers"))
        for word in words.split("/")
    )


class Scale:
    """The numbers between two limits, and where a reply names one.

    A number that is part of a range, on another scale or outside the limits is named as NaN.
    """

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.turns: tuple[str, ...] = ("confirmations", "contrasts", "negations")

    def clip(self, value: float) -> float:
        return value if self.low <= value <= self.high else math.nan

    def lead(self, reply: Reply, start: int) -> Hit[float] | None:
        """Return the number with which words begin."""
        at = start
        while at < len(reply.words) and reply.words[at].raw in _OPENING:
            at += 1
        return self._match(reply, at)

    def find(self, reply: Reply, start: int, end: int) -> Iterator[Hit[float]]:
        """Yield the numbers besides the ends of the scale."""
        at = start
        while at < end:
            hit = self._match(reply, at)
            if hit and not self._is_scale(reply, hit):
                yield hit
            at = hit.end if hit else at + 1

    def _match(self, reply: Reply, at: int) -> Hit[float] | None:
        """Return the number at a word, with its unit or the highest number that follows."""
        value, end = _value(reply, at)
        if value is None:
            return None
        words = reply.words
        after = _skip(reply, end, "units")
        is_range = after < len(words) and words[after].text in _RANGE_MARKS
        other, last = _value(reply, after + is_range)
        if other is not None and (is_range or words[after].is_joined):
            return Hit(at, _skip(reply, last, "units"), math.nan)
        full, last = _value(reply, share) if (share := _skip(reply, after, "shares")) > after else (None, after)
        if full is not None:
            return Hit(at, last, self.clip(value) if self.high in (full, math.inf) else math.nan)
        return Hit(at, after, self.clip(value))

    def _is_scale(self, reply: Reply, hit: Hit[float]) -> bool:
        """Return whether a number is an end of the scale, or a range is the scale: "from 1 to 5", "满分5分"."""
        numbers = [value for at in range(hit.start, hit.end) if (value := _value(reply, at)[0]) is not None]
        full = reply.find("full_marks", start=max(0, hit.start - 2), end=hit.end + 1)
        return numbers == [self.low, self.high] or (bool(full) and numbers == [self.high])

    def whole(self, reply: Reply) -> float | None:
        """Return the number that a reply is, with nothing else but a unit and punctuation."""
        hit = self.lead(reply, 0)
        return None if not hit or any(map(is_word, reply.words[hit.end :])) else hit.payload

    def opening(self, reply: Reply) -> float | None:
        """Return the number with which a reply begins, if it has no other: "4. The voice is clear"."""
        hit = self.lead(reply, 0)
        if not hit or hit.end == len(reply.words) or reply.words[hit.end].raw not in _AFTER_OPENING:
            return None
        if is_corrected(reply, hit.end):
            return None
        others = {number.payload for number in self.find(reply, hit.end, len(reply.words))}
        return None if others - {hit.payload} else hit.payload


def _skip(reply: Reply, at: int, field: str) -> int:
    """Return the position after a phrase of a field, if there is one."""
    hit = phrasebook(None, field).match(reply.words, at)
    return hit.end if hit else at


def _value(reply: Reply, at: int) -> tuple[float | None, int]:
    """Return the number at a position and where it ends: in digits, with a minus, as a word, or with a half."""
    words = reply.words
    if at >= len(words):
        return None, at
    if words[at].raw == "-" and at + 1 < len(words) and words[at + 1].is_joined and words[at + 1].raw[0].isdigit():
        value, end = _value(reply, at + 1)
        return (None if value is None else -value), end
    if words[at].raw[0].isdigit():
        value, end = _parse_digits(words[at].text, has_comma=bool(_DECIMAL_COMMA & set(reply.languages))), at + 1
    else:
        hit = _number_words(reply.languages).match(words, at)
        if not hit or (hit.payload == 1 and _is_article(reply, hit.end)):
            return None, at
        value, end = hit.payload, hit.end
    half = _skip(reply, unit := _skip(reply, end, "units"), "halves")
    return (value + 0.5, half) if half > unit else (value, end)


def _parse_digits(text: str, *, has_comma: bool) -> float:
    """Return a number in digits; NaN if it is a time or has a comma that may mean two things."""
    if has_comma and re.fullmatch(r"\d+,\d{1,2}", text):
        text = text.replace(",", ".")
    elif re.fullmatch(r"\d{1,3}(?:,\d{3})+", text):
        text = text.replace(",", "")
    return float(text) if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text) else math.nan


def _is_article(reply: Reply, end: int) -> bool:
    """Return whether a word for one is an article: a word follows that is no unit."""
    is_followed = end < len(reply.words) and is_word(reply.words[end])
    return is_followed and _skip(reply, end, "units") == _skip(reply, end, "shares")


def read_number(text: str, limits: tuple[float, float] | None = None) -> Reading[float]:
    """Read the number of a reply.

    Args:
        text: The reply.
        limits: Lowest and highest number of the scale; a number outside, or on another scale, is unreadable.
    """
    scale = Scale(*(limits or (-math.inf, math.inf)))
    if stars := _STARS.fullmatch(text):
        return _only({scale.clip(len(re.findall("[★⭐🌟]", stars[1])))}, Strength.WHOLE_REPLY)
    answer = _FRACTION.sub(lambda match: (match[1] or "0") + _FRACTIONS[match[2]], drop_thought(text))
    for candidates in _structured(answer):
        if values := {value for each in candidates if (value := _parse(each, scale)) is not None}:
            return _only(values, Strength.STRUCTURE)
    reply = Reply(clean_reply(answer))
    return _read_text(reply, scale) if reply.words else Reading()


def _read_text(reply: Reply, scale: Scale) -> Reading[float]:
    for value in (scale.whole(reply), scale.opening(reply)):
        if value is not None:
            return _only({value}, Strength.WHOLE_REPLY)
    if announced := find_announced(reply, scale, "ratings"):
        values = {math.nan if each.value is None else each.value for each in announced}
        return Reading() if is_corrected(reply, announced[-1].end) else _only(values, Strength.MARKER)
    if find_refusal(reply):
        return Reading(refused=True)
    return _only(_stated(reply, scale), Strength.STATEMENT)


def _only(values: set[float], strength: Strength) -> Reading[float]:
    value = next(iter(values)) if len(values) == 1 else math.nan
    return Reading() if math.isnan(value) else Reading(value, strength)


def _structured(reply: str) -> Iterator[list[Any]]:
    if marked := marked_answers(reply):
        yield marked
    if fields := parse_object(reply):
        yield from answer_fields(
            fields, "rating score mos overall bewertung note nota оценка 评分 分数 評価 点数 점수 평점"
        )


def _parse(candidate: Any, scale: Scale) -> float | None:
    if isinstance(candidate, bool):
        return None
    reply = Reply(clean_reply(str(candidate)))
    return scale.whole(reply) if reply.words else None


def _stated(reply: Reply, scale: Scale) -> set[float]:
    """Return the numbers of a reply, if one has a unit or ends a sentence, and nothing speaks against them."""
    hit = list(scale.find(reply, 0, len(reply.words))) if reply.languages else []
    is_doubted = bool(reply.vetoes(0, len(reply.words)) or reply.find("contrasts", "corrections"))
    is_doubted = is_doubted or any(reply.is_quoted[each.start] or reply.is_question(each.start) for each in hit)
    is_rating = any(
        bool(reply.find("units", "shares", start=each.start + 1, end=each.end)) or _is_predicate(reply, each)
        for each in hit
    )
    return {number.payload for number in hit} if is_rating and not is_doubted else set()


def _is_predicate(reply: Reply, number: Hit[float]) -> bool:
    """Return whether a verb stands before a number and nothing after it: "It is 4."."""
    return number.end == reply.end(number.start) and bool(
        reply.find("links", start=max(0, number.start - 1), end=number.start)
    )
