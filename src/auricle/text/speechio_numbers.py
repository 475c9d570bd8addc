"""Spell out Chinese numbers with the rules of SpeechIO's normaliser, to reproduce published scores.

Three toolkits score Mandarin with these rules. The profile `zh` reads numbers better, but only these rules reproduce
their scores. Each rule is applied to the whole text, one after another, and a matched number is replaced at its first
occurrence in the text, even if the match is elsewhere. Then punctuation becomes spaces, except for marks that
SpeechIO's list lacks, such as the full-width full stop `．`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from auricle.text.chinese_numbers import DIGITS

_SMALL = "十百千万"
_LARGE = "亿兆京垓秭穰沟涧正载"
_POWERS = {
    **{unit: power for power, unit in enumerate(_SMALL, start=1)},
    **{unit: 4 * step for step, unit in enumerate(_LARGE, start=2)},
}
_MONEY = "亿|千万|百万|[万千百元块角毛分]"
_MEASURE_WORDS = (
    "[匹张座回场尾条个首阙阵网炮顶丘棵只支袭辆挑担颗壳窠曲墙群腔砣客贯扎捆刀令打手罗坡山岭江溪钟队单双"
    "对出口头脚板跳枝件贴针线管名位身堂课本页家户层丝毫厘分钱两斤铢石钧锱忽寸尺丈里寻常铺程撮勺合升斗盘碗"
    "碟叠桶笼盆盒杯斛锅簋篮罐瓶壶卮盏箩箱煲啖袋钵年月日季刻时周天秒旬纪岁世更夜春夏秋冬代伏辈丸泡粒幢堆根"
    "道面片块]|[千微][克米]"
)
_PUNCTUATION = re.compile(
    r"[!-/:-@\[-`{-~\u00b7\u2013\u2014\u2018\u2019\u201b-\u201f\u2026\u2027\u3001-\u3003"
    r"\u3008-\u3011\u3014-\u301f\u3030\u303e\u303f\ufe4f\uff01-\uff0d\uff0f\uff1a-\uff20"
    r"\uff3b-\uff40\uff5b-\uff64]"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _spell_digits(digits: str) -> str:
    """Spell out the digits one by one, and drop other characters."""
    return "".join(DIGITS[int(character)] for character in digits if character.isdecimal())


def _split_places(digits: str) -> list[str]:
    """Return the digits and units of a whole number, highest first; leading zeros are read as one or none."""
    significant = digits.lstrip("0")
    if len(significant) <= 1:
        is_zero_silent = len(digits) == len(significant) or not significant
        return [*([] if is_zero_silent else [DIGITS[0]]), *_spell_digits(significant)]
    power, unit = max((power, unit) for unit, power in _POWERS.items() if power < len(significant))
    return [*_split_places(digits[:-power]), unit, *_split_places(significant[-power:])]


def _use_liang(places: list[str]) -> list[str]:
    """Replace 二 with 两 before a unit above ten, unless a digit or ten is before it."""
    result = list(places)
    for index, place in enumerate(places):
        before = places[index - 1] if index else None
        after = places[index + 1] if index + 1 < len(places) else None
        is_high = _POWERS.get(after or "", 1) > 1
        if place == "二" and is_high and (before is None or _POWERS.get(before, 1) > 1):
            result[index] = "两"
    return result


def _read_cardinal(number: str) -> str:
    whole, point, decimals = number.partition(".")
    places = _use_liang(_split_places(whole)) if len(whole) > 1 else list(_spell_digits(whole))
    reading = "".join(places)
    if point:
        reading = f"{reading or DIGITS[0]}点{_spell_digits(decimals)}"
    return reading[1:] if reading.startswith("一十") else reading


def _read_date(text: str) -> str:
    year, year_mark, rest = text.rpartition("年")
    month, month_mark, day = rest.partition("月")
    reading = f"{_spell_digits(year)}{year_mark}"
    if month_mark:
        reading += f"{_read_cardinal(month)}{month_mark}"
    return reading + (f"{_read_cardinal(day[:-1])}{day[-1]}" if day else "")


def _read_amount(text: str) -> str:
    for number in _NUMBER.findall(text):
        text = text.replace(number, _read_cardinal(number))
    return text


def _read_fraction(text: str) -> str:
    numerator, _, denominator = text.partition("/")
    return f"{_read_cardinal(denominator)}分之{_read_cardinal(numerator)}"


def _read_percentage(text: str) -> str:
    return f"百分之{_read_cardinal(text.rstrip('%'))}"


def _restore_latin_digit(text: str) -> str:
    """Restore the digit of names such as P2P and B2C."""
    return text.replace("二", "2")


_RULES: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"\D+((?:(?:[089]\d|(?:19|20)\d\d)年)?(?:\d{1,2}月(?:\d{1,2}[日号])?)?)", _read_date),
        (rf"\D+(\d+(?:\.\d+)?[多余几]?(?:{_MONEY})(?:\d(?:{_MONEY})?)?)", _read_amount),
        (r"\D((?:\+?86 ?)?1(?:[38]\d|5[0-35-9]|7[678]|9[89])\d{8})\D", _spell_digits),
        (r"\D((?:0(?:10|2[1-3]|[3-9]\d\d)-?)?[1-9]\d{6,7})\D", _spell_digits),
        (r"(\d+/\d+)", _read_fraction),
        (r"(\d+(?:\.\d+)?%)", _read_percentage),
        (rf"(\d+(?:\.\d+)?)[多余几]?(?:{_MEASURE_WORDS})", _read_cardinal),
        (r"(\d{4,32})", _spell_digits),
        (r"(\d+(?:\.\d+)?)", _read_cardinal),
        ("([a-zA-Z]+二[a-zA-Z]+)", _restore_latin_digit),
    )
)


def read_aloud(text: str) -> str:
    """Spell out numbers with SpeechIO's rules and replace punctuation with spaces."""
    text = f" {text} ".replace("％", "%")
    for pattern, read in _RULES:
        for number in filter(None, pattern.findall(text)):
            text = text.replace(number, read(number), 1)
    return _PUNCTUATION.sub(" ", text)
