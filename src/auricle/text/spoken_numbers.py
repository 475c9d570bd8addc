"""Numbers in transcripts, by value, whether they are written in digits or in words (English or Chinese).

Neighbouring numbers are one mention, because a transcript does not show where one ends: `nineteen eighty four` may be
1984 or 19 and 84, and `5 5 5` the digits of a telephone number. A mention has all its readings. Signs of currencies,
percent signs and ordinal endings are ignored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from auricle.text.scripts import HAN

Values = tuple[str, ...]
"""Numbers in their shortest notation without an exponent, or strings of digits."""

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINAL_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ORDINAL_TEENS = ("tenth", "eleventh", "twelfth", *(f"{word}th" for word in _TEENS[3:]))
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ONES_VALUES = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: value for value, word in enumerate(_ORDINAL_ONES, start=1)},
    **dict.fromkeys(("oh", "o", "nought", "naught"), 0),
}
_TEENS_VALUES = {word: value for words in (_TEENS, _ORDINAL_TEENS) for value, word in enumerate(words, start=10)}
_TENS_VALUES = {
    form: value
    for value, word in zip(range(20, 100, 10), _TENS, strict=True)
    for form in (word, f"{word[:-1]}ieth", f"{word[:-1]}ies")
}
_HUNDREDS = {"hundred": 100, "hundredth": 100}
_SCALES = {form: value for word, value in SCALES.items() for form in (word, f"{word}th")}
_ORDINALS = {
    *_ORDINAL_ONES, *_ORDINAL_TEENS, *(f"{word[:-1]}ieth" for word in _TENS), "hundredth", *(f"{w}th" for w in SCALES),
}  # fmt: skip
_REPEATS = {"double": 2, "triple": 3}
_SIGNS = ("minus", "negative")
_POINT = "point"
_CURRENCIES = ("dollar", "dollars", "pound", "pounds", "euro", "euros")
_CONNECTORS = {"and", _POINT, *_CURRENCIES}
"""Words that belong to a mention between two numbers only."""
_UNCERTAIN = {"one", "first", "second", "oh", "o", "一"}
"""Words that are usually no number if they stand alone."""
_NUMBER_WORDS = {*_ONES_VALUES, *_TEENS_VALUES, *_TENS_VALUES, *_HUNDREDS, *_SCALES}
_HAN_ONES = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "幺": 1}
_HAN_PLACES = {"十": 10, "百": 100, "千": 1000}
_HAN_SCALES = {"万": 10**4, "亿": 10**8}
_HAN_POINT = "点"
_HAN_NUMERALS = {*_HAN_ONES, *_HAN_PLACES, *_HAN_SCALES}
_MAX_DIGITS = 40
_TOKEN = re.compile(
    rf"[{HAN}]"
    rf"|(?<![^\W_{HAN}])"
    r"(?P<sign>(?<!\S)[-−])?(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
    r"(?P<fraction>\.[0-9]+)?(?:(?:st|nd|rd|th|s)(?![^\W_]))?"
    rf"|(?:(?![{HAN}])[^\W\d_])(?:(?![{HAN}])[^\W_])*(?:['’](?:(?![{HAN}])[^\W_])+)*"
    r"|[0-9]+"
)


class Mention(NamedTuple):
    """Neighbouring numbers in a text."""

    readings: tuple[Values, ...]
    """What may be meant; the first reading has the most numbers."""
    text: str
    is_certain: bool = True
    """Whether it is a number for sure, unlike the word "one" alone."""


class Word(NamedTuple):
    """A word that is no number."""

    text: str


def read_mentions(text: str) -> list[Mention | Word]:
    """Split a text into words and mentions of numbers.

    >>> read_mentions("in twenty twenty")[1].readings
    (('20', '20'), ('2020',))
    >>> [part.readings for part in read_mentions("$1,200 at 10:30") if isinstance(part, Mention)]
    [(('1200',),), (('10', '30'), ('1030',))]
    """
    tokens = list(_tokenize(unicodedata.normalize("NFKC", text).lower()))
    parts: list[Mention | Word] = []
    position = 0
    while position < len(tokens):
        end = _find_end(tokens, position)
        run = tokens[position:end]
        parts.append(_make_mention(run) if run else Word(tokens[position].text))
        position = max(end, position + 1)
    return parts


class _Token(NamedTuple):
    text: str
    value: str = ""
    """Digits, with a decimal point and a sign if there are any."""

    @property
    def is_number(self) -> bool:
        return bool(self.value) or self.text in _NUMBER_WORDS or self.text in _HAN_NUMERALS


def _tokenize(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        digits = match["digits"]
        if not digits:
            yield _Token(match[0])
            continue
        sign = "-" if match["sign"] else ""
        yield _Token(match[0], f"{sign}{digits.replace(',', '')}{match['fraction'] or ''}")


def _find_end(tokens: Sequence[_Token], start: int) -> int:
    """Return where a mention that begins at `start` ends; `start` itself if there is none."""
    first = tokens[start].text
    if first in _REPEATS or first in _SIGNS:
        is_prefix = start + 1 < len(tokens) and tokens[start + 1].is_number
        return _find_end(tokens, start + 1) if is_prefix else start
    if not tokens[start].is_number:
        return start
    end = position = start + 1
    while position < len(tokens):
        token = tokens[position]
        if token.is_number:
            end = position + 1
        elif token.text not in _CONNECTORS and token.text not in _REPEATS and token.text != _HAN_POINT:
            break
        position += 1
    return end


def _make_mention(run: Sequence[_Token]) -> Mention:
    values = _read_han(run) if any(token.text in _HAN_NUMERALS for token in run) else _read_words(run)
    text = " ".join(token.text for token in run)
    is_certain = not (len(run) == 1 and text in _UNCERTAIN)
    return Mention(tuple(dict.fromkeys(_list_readings(values, text))), text, is_certain)


def _list_readings(values: Values, text: str) -> Iterator[Values]:
    """Yield the numbers one by one, then all of them as one string of digits."""
    plain = tuple(map(_shorten, values))
    yield plain
    joined = "".join(values)
    if joined.isdigit() and len(joined) <= _MAX_DIGITS:
        yield (joined,)
        yield (_shorten(joined),)
    if len(values) == 2 and values[1] == "00":  # 7:00, spoken as seven
        yield plain[:1]
    whole, point, cents = values[0].partition(".")
    if len(values) == 1 and point and len(cents) == 2:  # 5.50, spoken as five fifty
        yield whole, _shorten(cents)
    if _HAN_POINT in text and len(values) == 1 and point:  # 三点五 is 3.5, and 三点十五 a time
        yield whole, cents


def _shorten(number: str) -> str:
    """Write a number without leading zeros and without zeros at the end of its decimals."""
    if len(number) > _MAX_DIGITS:
        return number
    text = format(Decimal(number), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- English ---------------------------------------------------------------------------------------


class _Reader:
    """Read number words from left to right; a word that cannot continue a number begins the next one."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self._start()

    def _start(self) -> None:
        self._total, self._current = Decimal(0), None
        self._last = ""  # the kind of the previous word
        self._smallest_scale = Decimal("Infinity")
        self._raw = ""

    _current: Decimal | None

    def finish(self) -> None:
        """End the number that was begun, if any."""
        if self._last:
            value = self._total + (self._current or 0)
            self.values.append(self._raw or format(value, "f"))
        self._start()

    def add(self, kind: str, value: Decimal, raw: str = "") -> None:
        """Add a word of a kind: `digits`, `ones`, `teens`, `tens`, `hundred` or `scale`."""
        if not self._continues(kind, value):
            self.finish()
        if kind == "hundred":
            self._current = (self._current or Decimal(1)) * value
        elif kind == "scale":
            self._total += (self._current or Decimal(1)) * value
            self._current, self._smallest_scale = None, value
        else:
            self._current = (self._current or Decimal(0)) + value
        self._raw = raw if kind == "digits" and not self._last else ""
        self._last = kind

    def _continues(self, kind: str, value: Decimal) -> bool:
        last = self._last
        if kind == "hundred":
            return last in ("ones", "teens", "tens", "digits") and 0 < (self._current or 0) < 100
        if kind == "scale":
            return last not in ("", "scale") and value < self._smallest_scale and bool(self._current)
        if last == "scale":
            return value < self._smallest_scale
        if last == "hundred":
            return kind != "digits" and value < 100
        return last == "tens" and kind == "ones" and value > 0 and (self._current or 0) % 10 == 0

    def add_decimals(self, digits: str) -> None:
        """Add what follows the word "point"."""
        self._current = (self._current or Decimal(0)) + Decimal(f"0.{digits}")
        self._raw, self._last = "", "decimals"


def _read_words(run: Sequence[_Token]) -> Values:
    reader = _Reader()
    position, sign = 0, ""
    while position < len(run):
        token = run[position]
        if token.text in _SIGNS:
            sign = "-"
        elif token.text in _CURRENCIES:
            reader.finish()
        elif token.text == _POINT:
            position = _read_decimals(reader, run, position + 1)
            continue
        elif token.text in _REPEATS:
            position += 1
            for _ in range(_REPEATS[token.text]):
                reader.finish()
                _add_token(reader, run[position])
        elif token.is_number:
            _add_token(reader, token)
        position += 1
    reader.finish()
    values = tuple(reader.values)
    return (f"{sign}{values[0].lstrip('-')}", *values[1:]) if sign and values else values


def _add_token(reader: _Reader, token: _Token) -> None:
    if token.value:
        reader.add("digits", Decimal(token.value), token.value)
    for kind, values in (
        ("ones", _ONES_VALUES),
        ("teens", _TEENS_VALUES),
        ("tens", _TENS_VALUES),
        ("hundred", _HUNDREDS),
        ("scale", _SCALES),
    ):
        if token.text in values:
            reader.add(kind, Decimal(values[token.text]))
    if token.text in _ORDINALS:
        reader.finish()


def _read_decimals(reader: _Reader, run: Sequence[_Token], position: int) -> int:
    """Read the words after "point" as decimals; return the position after them."""
    digits = ""
    while position < len(run) and run[position].is_number:
        text = run[position].text
        small = {**_ONES_VALUES, **_TEENS_VALUES, **_TENS_VALUES}.get(text)
        if small is None and not run[position].value.isdigit():
            break
        digits += run[position].value or str(small)
        position += 1
    if digits:
        reader.add_decimals(digits)
    return position


# --- Chinese ---------------------------------------------------------------------------------------


def _read_han(run: Sequence[_Token]) -> Values:
    """Read Chinese numerals: with places as a quantity, otherwise digit by digit."""
    values: list[str] = []
    part = ""
    for token in (*run, _Token("")):
        if token.text in _HAN_NUMERALS or (token.text == _HAN_POINT and part):
            part += token.text
            continue
        if part:
            values += _read_numeral(part)
        if token.value:
            values.append(token.value)
        part = ""
    return tuple(values)


def _read_numeral(text: str) -> list[str]:
    whole, _, fraction = text.rstrip(_HAN_POINT).partition(_HAN_POINT)
    if fraction and not set(fraction) <= {*_HAN_ONES}:  # 八点三十 is a time
        return [_read_quantity(whole), *_read_numeral(fraction)]
    if not set(whole) <= {*_HAN_ONES}:
        digits = _read_quantity(whole)
    else:
        digits = "".join(str(_HAN_ONES[character]) for character in whole)
    decimals = "".join(str(_HAN_ONES[character]) for character in fraction)
    return [f"{digits}.{decimals}" if decimals else digits]


def _read_quantity(numeral: str) -> str:
    total = section = ones = 0
    for character in numeral:
        if character in _HAN_ONES:
            ones = _HAN_ONES[character]
        elif character in _HAN_PLACES:
            section += (ones or 1) * _HAN_PLACES[character]
            ones = 0
        else:
            scale = _HAN_SCALES[character]
            total = (total + section + ones) * scale if scale > 10**4 else total + (section + ones) * scale
            section = ones = 0
    return str(total + section + ones)
