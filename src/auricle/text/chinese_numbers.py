"""Spell out Arabic numerals as they are read in Mandarin.

Digits become Chinese numerals, never the reverse: the references of Chinese corpora are written as spoken, so a text
without digits keeps its length and its published error rate. The rules, in order:

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

Last row: a number with a leading zero, or with seven or more digits and neither commas nor a round end, is a code.

Spellings of the same numeral are unified in reference and answer: 〇 and ○ among numerals become 零, 两 becomes 二.
Readings that depend on the speaker stay different: 一百五 for 150, 幺 for 1, 八点半 for 8:30.
"""

from __future__ import annotations

import re
from collections.abc import Callable

DIGITS = "零一二三四五六七八九"
_PLACES = ("", "十", "百", "千")
_SECTIONS = ("", "万", "亿", "万亿")
_SECTION_SIZE = 10_000
_MAX_PLAIN_DIGITS = 6
_MAX_QUANTITY_DIGITS = 16
_ROUND = "0000"

_NUMBER = r"(?<![0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]++)(?:\.[0-9]++)?"
_PERCENT_PREFIXES = {"%": "百分之", "‰": "千分之"}
_CURRENCIES = {"¥": "元", "$": "美元", "€": "欧元", "£": "英镑"}


def spell_digits(digits: str) -> str:
    """Spell out digits one by one."""
    return "".join(DIGITS[int(digit)] for digit in digits)


def _read_section(value: int) -> str:
    """Spell out 1 to 9999, with inner zeros but no leading one."""
    text, gap = "", False
    for place, digit in zip(reversed(_PLACES), f"{value:04d}", strict=True):
        if digit == "0":
            gap = bool(text)
            continue
        text += ("零" if gap else "") + DIGITS[int(digit)] + place
        gap = False
    return text


def read_cardinal(value: int) -> str:
    """Spell out a whole number below ten quadrillion as a quantity."""
    if value == 0:
        return DIGITS[0]
    text, sections = "", []
    while value:
        value, rest = divmod(value, _SECTION_SIZE)
        sections.append(rest)
    for name, rest in reversed(list(zip(_SECTIONS, sections, strict=False))):
        needs_zero = bool(text) and 0 < rest < _SECTION_SIZE // 10 and not text.endswith("零")
        text += ("零" if needs_zero else "") + (_read_section(rest) + name if rest else "")
    return text.removeprefix("一") if text.startswith("一十") else text


def read_number(number: str) -> str:
    """Spell out one number, as a quantity or digit by digit."""
    whole, _, fraction = number.partition(".")
    plain = whole.replace(",", "")
    is_quantity = plain != whole or plain.endswith(_ROUND)
    max_digits = _MAX_QUANTITY_DIGITS if is_quantity else _MAX_PLAIN_DIGITS
    by_digit = plain.startswith("0") or len(plain) > max_digits
    text = spell_digits(plain) if by_digit else read_cardinal(int(plain))
    return f"{text}点{spell_digits(fraction)}" if fraction else text


def _read_date(match: re.Match[str]) -> str:
    year, month, day = match["year"], int(match["month"]), int(match["day"])
    return f"{spell_digits(year)}年{read_cardinal(month)}月{read_cardinal(day)}日"


def _read_time(match: re.Match[str]) -> str:
    hour, minute = read_cardinal(int(match[1])), match[2]
    return f"{hour}点" + ("" if minute == "00" else read_number(minute))


_START, _END = r"(?<![0-9])", r"(?![0-9])"
_DATE = rf"{_START}(?P<year>[0-9]{{4}})(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)(?P<day>[0-9]{{1,2}}){_END}"
Rules = tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]
"""Written forms and the functions that spell them out."""
CONTEXT_RULES: Rules = (
    (re.compile(rf"{_START}[0-9]{{4}}(?=\s*年)"), lambda match: spell_digits(match[0])),
    (re.compile(r"°\s*[cC](?![a-zA-Z])"), lambda _match: "摄氏度"),
)
NUMBER_RULES: Rules = (
    (re.compile(_DATE), _read_date),
    (re.compile(rf"({_NUMBER})\s*([%‰])"), lambda match: _PERCENT_PREFIXES[match[2]] + read_number(match[1])),
    (
        re.compile(r"(?<![0-9/])([0-9]++)[/⁄]([0-9]+)(?![0-9/])"),
        lambda match: f"{read_number(match[2])}分之{read_number(match[1])}",
    ),
    (re.compile(rf"{_START}([0-9]{{1,2}}):([0-9]{{2}}){_END}"), _read_time),
    (re.compile(rf"([¥$€£])\s*({_NUMBER})"), lambda match: read_number(match[2]) + _CURRENCIES[match[1]]),
    (
        re.compile(rf"{_START}[0-9]++(?:\.[0-9]++){{2,}}"),
        lambda match: "点".join(read_number(part) for part in match[0].split(".")),
    ),
    (re.compile(rf"(?<!\S)[-−]({_NUMBER})"), lambda match: "负" + read_number(match[1])),
    (re.compile(_NUMBER), lambda match: read_number(match[0])),
)

_HAS_DIGIT = re.compile("[0-9]")
_CIRCLE_ZERO = re.compile(rf"(?<=[{DIGITS}〇○])○|○(?=[{DIGITS}〇○])")
_SPELLINGS = str.maketrans({"〇": "零", "两": "二"})


def _apply_rules(text: str, rules: Rules) -> str:
    if _HAS_DIGIT.search(text):
        for pattern, verbalise in rules:
            text = pattern.sub(verbalise, text)
    return text


def read_contextual_numbers(text: str) -> str:
    """Spell out numbers whose context decides the reading: years and degrees."""
    return _apply_rules(text, CONTEXT_RULES)


def read_numbers(text: str) -> str:
    """Spell out every number written in digits."""
    return _apply_rules(text, NUMBER_RULES)


def fold_numerals(text: str) -> str:
    """Unify the spelling of Chinese numerals: 〇 and ○ as 零, 两 as 二."""
    return _CIRCLE_ZERO.sub("零", text).translate(_SPELLINGS)
