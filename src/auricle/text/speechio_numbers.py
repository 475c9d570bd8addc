"""Chinese numbers read aloud by the rules of SpeechIO's normaliser, for scores that others publish.

Three toolkits score Mandarin behind those rules, so the same reading is needed to meet their
numbers: `zh` reads better, this one reads alike. The rules run one after another, each over the
whole text, and a number found is replaced where it first stands, even if that is another place.
Then punctuation becomes spaces, but for marks their list leaves out, such as the wide full stop.
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
    """Read the digits one by one; whatever else stands among them is not read."""
    return "".join(DIGITS[int(each)] for each in digits if each.isdecimal())


def _split_places(digits: str) -> list[str]:
    """Digits and units of a whole number, highest first; of leading zeros one may be heard."""
    bare = digits.lstrip("0")
    if len(bare) <= 1:
        silent = len(digits) == len(bare) or not bare
        return [*([] if silent else [DIGITS[0]]), *_spell_digits(bare)]
    unit, power = max(((unit, power) for unit, power in _POWERS.items() if power < len(bare)), key=lambda each: each[1])
    return [*_split_places(digits[:-power]), unit, *_split_places(bare[-power:])]


def _use_liang(places: list[str]) -> list[str]:
    """二 is 两 before a unit above ten, unless a digit or ten stands before it."""
    said = list(places)
    for index, place in enumerate(places):
        before = places[index - 1] if index else None
        after = places[index + 1] if index + 1 < len(places) else None
        high = _POWERS.get(after or "", 1) > 1
        if place == "二" and high and (before is None or _POWERS.get(before, 1) > 1):
            said[index] = "两"
    return said


def _read_cardinal(number: str) -> str:
    whole, point, decimals = number.partition(".")
    places = _use_liang(_split_places(whole)) if len(whole) > 1 else list(_spell_digits(whole))
    said = "".join(places)
    if point:
        said = f"{said or DIGITS[0]}点{_spell_digits(decimals)}"
    return said[1:] if said.startswith("一十") else said


def _read_date(text: str) -> str:
    year, mark, rest = text.rpartition("年")
    month, moon, day = rest.partition("月")
    said = f"{_spell_digits(year)}{mark}"
    if moon:
        said += f"{_read_cardinal(month)}{moon}"
    return said + (f"{_read_cardinal(day[:-1])}{day[-1]}" if day else "")


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
    """P2P and B2C keep their digit."""
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
    """Numbers as SpeechIO's rules read them, punctuation as spaces; nothing else is changed."""
    text = f" {text} ".replace("％", "%")
    for pattern, read in _RULES:
        for found in filter(None, pattern.findall(text)):
            text = text.replace(found, read(found), 1)
    return _PUNCTUATION.sub(" ", text)
