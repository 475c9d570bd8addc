"""Write number words, fractions and decimal commas of a reply as digits."""

from __future__ import annotations

import re

from auricle.text.reading.rules import NEVER, Rules, compile_pattern, whole_word

_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75", "⅓": ".33", "⅔": ".67", "⅕": ".2", "⅖": ".4", "⅗": ".6", "⅘": ".8"}
_FRACTION = re.compile(rf"(?P<whole>(?<![0-9])[0-9]{{0,9}})\s?(?P<fraction>[{''.join(_FRACTIONS)}])")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(?P<whole>-?\d{1,3})\s?,(?P<decimals>\d{1,2})(?!\d|,\d)")
_DECIMAL_COMMA_OF_SHARE = re.compile(rf"{_DECIMAL_COMMA.pattern}(?=\s*/\s*[0-9])")
_WITH_POINT, _AS_RANGE = r"\g<whole>.\g<decimals>", r"\g<whole> - \g<decimals>"
_ARTICLES = frozenset({"one", "un", "une", "uno", "um", "uma", "a hundred"})
"""Number words that are also articles or pronouns."""
_UNIT_AFTER = compile_pattern(r"\s*(?:/|out of|of|von|sur|de|em|sobre|su|из)\s*\w")
_MARK_BEFORE = compile_pattern(
    r"(?:note|nota|voto|score|rating)\s*:?\s*\Z|(?:give|gave|giving|award) (?:it|this|that) an?\s+\Z"
)
_HAS_WORD = re.compile(r"\w")
_HAN_VALUES = {**{digit: value for value, digit in enumerate("零一二三四五六七八九十")}, "〇": 0, "两": 2, "兩": 2}
# 一点 is "a little" and 十分 is "very"; both are numbers only before what can follow a rating.
_HAN = re.compile(
    r"(?<![零〇一二两兩三四五六七八九十百千第])(?!一点(?![零一二三四五六七八九])|十分(?![,。.!\s]|\Z))"
    r"(?P<minus>负|マイナス)?(?P<tens>[二三四五六七八九]?十)?(?P<ones>[零〇一二两兩三四五六七八九])?"
    r"(?:(?:点|・|\.)(?P<decimals>[零一二三四五六七八九]))?"
    r"(?=\s*(?:分|点|星|颗|段階|到|至|から|か|です|だ|吧|/|\Z|[,。.、~〜-]))"
)


def expand_fractions(text: str) -> str:
    """Write "2½" as "2.5"; a fraction alone gets a leading zero."""
    return _FRACTION.sub(lambda match: (match["whole"] or "0") + _FRACTIONS[match["fraction"]], text)


class NumberWords:
    """The number words of some languages."""

    def __init__(self, rules: Rules) -> None:
        self._values = {word: value for table in rules.tables.values() for word, value in table.number_words.items()}
        self._decimal_comma = (
            _WITH_POINT if all(table.has_decimal_comma for table in rules.tables.values()) else _AS_RANGE
        )
        spaced = [word for table in rules.tables.values() if table.is_spaced for word in table.number_words]
        joined = [word for table in rules.tables.values() if not table.is_spaced for word in table.number_words]
        words = "|".join(sorted(spaced, key=len, reverse=True))
        ones = whole_word("one|two|three|four|five|six|seven|eight|nine")
        self._word = compile_pattern(rf"(?P<word>{whole_word(words)})(?:[\s-](?P<ones>{ones}))?" if words else NEVER)
        self._before_points = compile_pattern(
            rf"(?:(?<![가-힣])|(?<=별))(?P<word>{'|'.join(joined)})(?=\s?점|(?<=별.)\s?개|(?<=별\s.)\s?개|"
            rf"(?<=별\s..)\s?개)"
            if joined
            else NEVER
        )
        number = r"(?<![0-9.])(?P<number>-?[0-9]{1,3})"
        points = r"(?P<unit>\s?(?:分|点|점|points?|stars?|punkte?n?|балл\w*))?"
        decimals = rf"{rules.alternatives('decimal_words')}\s*(?P<decimals>[0-9])(?![0-9])"
        self._half = compile_pattern(rf"{number}{points}\s*(?:{rules.alternatives('halves')})")
        self._decimal = compile_pattern(rf"{number}\s*{decimals}")
        self._minus_word = rules.compiled("minus")
        self._minus = compile_pattern(rf"{rules.alternatives('minus')}\s*(?=[0-9])")
        self._unit_after = compile_pattern(rf"[\s-]?{rules.alternatives('rating_units')}")

    def write_digits(self, reply: str) -> str:
        """Replace number words by digits, and decimal commas by points.

        "4,5" is a decimal in some languages and two numbers in others, where it becomes a range; "4,5/5" is a decimal.
        """
        text = self._word.sub(self._digits, reply)
        text = self._before_points.sub(lambda match: f"{self._values[match['word']]:g}", text)
        text = _HAN.sub(_han_digits, text)
        text = self._half.sub(lambda match: f"{match['number']}.5{match['unit'] or ''}", text)
        text = self._minus.sub("-", self._decimal.sub(r"\g<number>.\g<decimals>", text))
        return _DECIMAL_COMMA.sub(self._decimal_comma, _DECIMAL_COMMA_OF_SHARE.sub(_WITH_POINT, text))

    def _digits(self, match: re.Match[str]) -> str:
        word, ones = match["word"].lower(), match["ones"]
        if word in _ARTICLES and not self._is_number(match):
            return match[0]
        value = self._values[word]
        if ones and value >= 20:
            return f"{value + self._values.get(ones.lower(), 0):g}"
        return f"{value:g} {ones}" if ones else f"{value:g}"

    def _is_number(self, match: re.Match[str]) -> bool:
        """Return whether a word such as "one" is a number: alone, or before a unit or "out of"."""
        before, after = match.string[: match.start()], match.string[match.end() :]
        is_alone = not _HAS_WORD.search(self._minus_word.sub("", before)) and not _HAS_WORD.search(after)
        return is_alone or bool(
            _MARK_BEFORE.search(before) or self._unit_after.match(after) or _UNIT_AFTER.match(after)
        )


def _han_digits(match: re.Match[str]) -> str:
    tens, ones = match["tens"], match["ones"]
    if not tens and not ones:
        return match[0]
    value = _HAN_VALUES[ones] if ones else 0
    if tens:
        value += 10 * (_HAN_VALUES[tens[0]] if len(tens) > 1 else 1)
    decimals = f".{_HAN_VALUES[match['decimals']]}" if match["decimals"] else ""
    return f"{'-' if match['minus'] else ''}{value}{decimals}"
