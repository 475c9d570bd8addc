"""Arabic numerals as Mandarin reads them aloud.

Digits become Chinese numerals, never the reverse: references of Chinese corpora are written as
spoken, so a text without digits keeps its length and its published error rate. The rules, in order:

    2024-01-05      二零二四年一月五日
    2024年          二零二四年          four digits before 年 are read one by one
    50%  50‰        百分之五十  千分之五十
    1/2             二分之一
    8:30            八点三十
    ¥50  $50        五十元  五十美元     also € and £
    30°C            三十摄氏度
    3.5.2           三点五点二
    -5              负五                 only at the start of a word
    3.14  1,200     三点一四  一千二百
    007  62345678   零零七  六二三四五六七八

The last row: a leading zero, or seven digits and more without commas or a round end, is a code.

Two spellings of one numeral are folded on both sides: 〇 and ○ among numerals into 零, 两 into 二.
Readings that depend on the speaker stay different: 一百五 for 150, 幺 for 1, 八点半 for 8:30.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

DIGITS = "零一二三四五六七八九"
_PLACES = ("", "十", "百", "千")
_SECTIONS = ("", "万", "亿", "万亿")
_SECTION_SIZE = 10_000
_LONGEST_PLAIN = 6
_LONGEST_QUANTITY = 16
_ROUND = "0000"

_NUMBER = r"(?<![0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]++)(?:\.[0-9]++)?"
_SHARES = {"%": "百分之", "‰": "千分之"}
_CURRENCIES = {"¥": "元", "$": "美元", "€": "欧元", "£": "英镑"}


def spell(digits: str) -> str:
    """Read digits one by one."""
    return "".join(DIGITS[int(digit)] for digit in digits)


def _section(value: int) -> str:
    """Read 1 to 9999 with inner zeros, without a leading one."""
    text, gap = "", False
    for place, digit in zip(reversed(_PLACES), f"{value:04d}", strict=True):
        if digit == "0":
            gap = bool(text)
            continue
        text += ("零" if gap else "") + DIGITS[int(digit)] + place
        gap = False
    return text


def cardinal(value: int) -> str:
    """Read a whole number below ten quadrillion as a quantity."""
    if value == 0:
        return DIGITS[0]
    text, sections = "", []
    while value:
        value, rest = divmod(value, _SECTION_SIZE)
        sections.append(rest)
    for name, rest in reversed(list(zip(_SECTIONS, sections, strict=False))):
        needs_zero = bool(text) and 0 < rest < _SECTION_SIZE // 10 and not text.endswith("零")
        text += ("零" if needs_zero else "") + (_section(rest) + name if rest else "")
    return text.removeprefix("一") if text.startswith("一十") else text


def read_number(number: str) -> str:
    """Read one numeral, choosing between quantity and digit by digit."""
    whole, _, fraction = number.partition(".")
    plain = whole.replace(",", "")
    is_quantity = plain != whole or plain.endswith(_ROUND)
    longest = _LONGEST_QUANTITY if is_quantity else _LONGEST_PLAIN
    has_leading_zero = plain.startswith("0") and len(plain) > 1
    by_digit = has_leading_zero or len(plain) > longest
    text = spell(plain) if by_digit else cardinal(int(plain))
    return f"{text}点{spell(fraction)}" if fraction else text


def _date(match: re.Match[str]) -> str:
    year, month, day = match["year"], int(match["month"]), int(match["day"])
    return f"{spell(year)}年{cardinal(month)}月{cardinal(day)}日"


def _time(match: re.Match[str]) -> str:
    hour, minute = cardinal(int(match[1])), match[2]
    return f"{hour}点" + ("" if minute == "00" else read_number(minute))


def _money(match: re.Match[str]) -> str:
    return read_number(match[2]) + _CURRENCIES[match[1]]


def _fraction(match: re.Match[str]) -> str:
    return f"{read_number(match[2])}分之{read_number(match[1])}"


def _share(match: re.Match[str]) -> str:
    return _SHARES[match[2]] + read_number(match[1])


def _dotted(match: re.Match[str]) -> str:
    return "点".join(read_number(part) for part in match[0].split("."))


class Rule(NamedTuple):
    """A written form and how it is read."""

    written: re.Pattern[str]
    read: Callable[[re.Match[str]], str]


_START, _END = r"(?<![0-9])", r"(?![0-9])"
MARKED = (
    Rule(re.compile(rf"{_START}[0-9]{{4}}(?=\s*年)"), lambda match: spell(match[0])),
    Rule(re.compile(r"°\s*[cC](?![a-zA-Z])"), lambda _match: "摄氏度"),
)
RULES = (
    Rule(
        re.compile(
            rf"{_START}(?P<year>[0-9]{{4}})(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})"
            rf"(?P=mark)(?P<day>[0-9]{{1,2}}){_END}"
        ),
        _date,
    ),
    Rule(re.compile(rf"({_NUMBER})\s*([%‰])"), _share),
    Rule(re.compile(r"(?<![0-9/])([0-9]++)[/⁄]([0-9]+)(?![0-9/])"), _fraction),
    Rule(re.compile(rf"{_START}([0-9]{{1,2}}):([0-9]{{2}}){_END}"), _time),
    Rule(re.compile(rf"([¥$€£])\s*({_NUMBER})"), _money),
    Rule(re.compile(rf"{_START}[0-9]++(?:\.[0-9]++){{2,}}"), _dotted),
    Rule(re.compile(rf"(?<!\S)[-−]({_NUMBER})"), lambda match: "负" + read_number(match[1])),
    Rule(re.compile(_NUMBER), lambda match: read_number(match[0])),
)

_HAS_DIGIT = re.compile("[0-9]")
_CIRCLE_ZERO = re.compile(rf"(?<=[{DIGITS}〇○])○|○(?=[{DIGITS}〇○])")
_SPELLINGS = str.maketrans({"〇": "零", "两": "二"})


def _read(text: str, rules: Iterable[Rule]) -> str:
    for rule in rules:
        text = rule.written.sub(rule.read, text)
    return text


def read_marked(text: str) -> str:
    """Read the numerals whose neighbours say how: years and degrees."""
    return _read(text, MARKED) if _HAS_DIGIT.search(text) else text


def read_numbers(text: str) -> str:
    """Read every numeral that is written in digits."""
    return _read(text, RULES) if _HAS_DIGIT.search(text) else text


def fold_numerals(text: str) -> str:
    """Write each Chinese numeral one way: 〇 and ○ as 零, 两 as 二."""
    return _CIRCLE_ZERO.sub("零", text).translate(_SPELLINGS)
