"""Normalisers of other evaluation tools, to reproduce their word error rates.

Each function returns the tokens that its tool counts, separated by spaces, so `wer` with the profile equals the tool's
number. The order of steps and the omissions of each tool are kept; docs/text.md lists the exceptions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby
from typing import Any

from auricle.text.chinese_numbers import DIGITS
from auricle.text.whisper_normaliser import create_normaliser, normalise_whisper_in_full, normalise_with

_TAG = re.compile(r"<\|.*?\|>")
_WHITESPACE = re.compile(r"\s+")
_LOOSE_MARK = re.compile(" ?([!,.?;:])")
_WIDE_BRACKETS = "（[a-z A-Z]+?）"
# Characters that sacreBLEU's `zh` tokeniser treats as Chinese. It intends to include the supplementary ideographs, but
# truncates their bounds to four hex digits: arrows and currency signs are split off instead.
_CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef"
    "\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f"
    "\uff00-\uffef])"
)
# The four rules of mteval's 13a: symbols, a mark after or before a non-digit, a dash after a digit.
_MTEVAL_13A_RULES = (
    (re.compile(r"([ -&(-+:-@\[-`{-~/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


@cache
def _whisper_with_wide_brackets() -> Any:
    normaliser = create_normaliser()
    # UltraEval drops Latin words in wide brackets at the step where the library drops fillers.
    normaliser.ignore_patterns = f"{_WIDE_BRACKETS}|{normaliser.ignore_patterns}"
    return normaliser


@cache
def _load_whisper_basic(remove_diacritics: bool = False, split_letters: bool = False) -> Any:
    from whisper_normalizer.basic import BasicTextNormalizer

    return BasicTextNormalizer(remove_diacritics, split_letters)


def whisper_basic(text: str, **options: bool) -> str:
    """Normalise any language as OpenAI does, with the options of its code; combining marks become spaces."""
    normalised: str = _load_whisper_basic(**options)(text)
    return normalised


def _strip_tags(text: str) -> str:
    """Remove `<|tags|>`, repeated spaces, and spaces before punctuation."""
    text = _WHITESPACE.sub(" ", _TAG.sub(" ", text))
    return _LOOSE_MARK.sub(r"\1", text)


def _strip_tags_and_spaces(text: str) -> str:
    return _WHITESPACE.sub("", _strip_tags(text))


def _drop_punctuation(tokens: Iterable[str]) -> list[str]:
    """Drop tokens that are only punctuation."""
    return [token for token in tokens if not all(unicodedata.category(character)[0] == "P" for character in token)]


def tokenise_zh(text: str) -> list[str]:
    """Split into Chinese characters and lower-case words."""
    return _CHINESE.sub(r" \1 ", text).lower().split()


def tokenise_13a(text: str) -> list[str]:
    """Split off symbols and punctuation, except a mark between digits."""
    text = f" {text} "
    for pattern, replacement in _MTEVAL_13A_RULES:
        text = pattern.sub(replacement, text)
    return text.split()


def _normalise_english(text: str) -> str:
    """Apply Whisper's English normaliser, then its basic one, as both tools do."""
    return whisper_basic(normalise_whisper_in_full(_strip_tags(text)))


def kimi_en(text: str) -> str:
    """Normalise English as Kimi-Audio-Evalkit does."""
    return " ".join(_drop_punctuation(tokenise_zh(_normalise_english(text))))


def kimi_zh(text: str) -> str:
    """Normalise Mandarin as Kimi-Audio-Evalkit does: single Chinese characters, unsplit Latin words."""
    return " ".join(_drop_punctuation(tokenise_zh(read_aloud(_strip_tags_and_spaces(text)))))


def lmms_eval_en(text: str) -> str:
    """Normalise English as most recognition tasks of lmms-eval do."""
    return " ".join(_drop_punctuation(_normalise_english(text).lower().split()))


def lmms_eval_zh(text: str) -> str:
    """Normalise Mandarin as lmms-eval does: single characters, including Latin letters."""
    return " ".join("".join(_drop_punctuation(read_aloud(_strip_tags_and_spaces(text)).lower().split())))


def ultraeval_en(text: str) -> str:
    """Normalise English as UltraEval-Audio does: currency and percent signs are separate words."""
    return " ".join(tokenise_13a(normalise_with(_whisper_with_wide_brackets(), text)))


def ultraeval_zh(text: str) -> str:
    """Normalise Mandarin as UltraEval-Audio does: with the English normaliser first."""
    return " ".join(tokenise_zh(read_aloud(normalise_with(_whisper_with_wide_brackets(), text))))


# --- seed-tts-eval ------------------------------------------------------------------------

_SEED_TTS_DROPPED = dict.fromkeys(
    character
    for bounds in (
        *("!&", "(/", ":@", "[`", "{~", "\u00b7\u00b7", "\u2013\u2014", "\u2018\u2019", "\u201b\u201f"),
        *("\u2026\u2027", "\u3000\u3003", "\u3008\u3011", "\u3014\u301f", "\u3030\u3030", "\u303e\u303f"),
        *("\ufe4f\ufe4f", "\ufe51\ufe51", "\ufe54\ufe54", "\uff01\uff0f", "\uff1a\uff20"),
        *("\uff3b\uff40", "\uff5b\uff64"),
    )
    for character in range(ord(bounds[0]), ord(bounds[1]) + 1)
)
"""Punctuation of ASCII, except the apostrophe, and of Chinese."""


def seed_tts_en(text: str) -> str:
    """Normalise English as seed-tts-eval does: no case, and no punctuation but the apostrophe."""
    return " ".join(text.translate(_SEED_TTS_DROPPED).lower().split())


def seed_tts_zh(text: str) -> str:
    """Normalise Mandarin as seed-tts-eval does: single characters, Latin letters included, without punctuation."""
    return " ".join("".join(text.translate(_SEED_TTS_DROPPED).split()))


# --- Mandarin numbers by SpeechIO's rules ---------------------------------------------

_SMALL = "十百千万"
_LARGE = "亿兆京垓秭穰沟涧正载"
_POWERS = {
    **{unit: power for power, unit in enumerate(_SMALL, start=1)},
    **{unit: 4 * step for step, unit in enumerate(_LARGE, start=2)},
}
_ABOVE_TEN = _POWERS.keys() - {"十"}
_MONEY = "亿|千万|百万|[万千百元块角毛分]"
_MEASURE_WORDS = (
    "[匹张座回场尾条个首阙阵网炮顶丘棵只支袭辆挑担颗壳窠曲墙群腔砣客贯扎捆刀令打手罗坡山岭江溪钟队单双"
    "对出口头脚板跳枝件贴针线管名位身堂课本页家户层丝毫厘分钱两斤铢石钧锱忽寸尺丈里寻常铺程撮勺合升斗盘碗"
    "碟叠桶笼盆盒杯斛锅簋篮罐瓶壶卮盏箩箱煲啖袋钵年月日季刻时周天秒旬纪岁世更夜春夏秋冬代伏辈丸泡粒幢堆根"
    "道面片块]|[千微][克米]"
)
_SPEECHIO_PUNCTUATION = re.compile(
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
    neighbours = zip(["", *places], places, [*places[1:], ""], strict=False)
    return [
        "两" if place == "二" and after in _ABOVE_TEN and before in {"", *_ABOVE_TEN} else place
        for before, place, after in neighbours
    ]


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


_SPEECHIO_RULES: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = tuple(
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
    """Spell out numbers with SpeechIO's rules and replace punctuation with spaces.

    Three toolkits score Mandarin with these rules. The profile `zh` reads numbers better, but only these rules
    reproduce their scores. Each rule is applied to the whole text, one after another, and a matched number is replaced
    at its first occurrence in the text, even if the match is elsewhere. Punctuation becomes spaces, except for marks
    that SpeechIO's list lacks, such as the full-width full stop `．`.
    """
    text = f" {text} ".replace("％", "%")
    for pattern, read in _SPEECHIO_RULES:
        for number in filter(None, pattern.findall(text)):
            text = text.replace(number, read(number), 1)
    return _SPEECHIO_PUNCTUATION.sub(" ", text)


# --- Open ASR Leaderboard ---------------------------------------------------------------

_FILLERS = "hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh"
_ANY_S = r"'s\b"
_PRONOUN_S = r"\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b"
_JOINED = {
    **dict.fromkeys(("al right", "all right"), "alright"),
    "et cetera": "etc",
    "o k": "okay",
    **{
        separate: separate.replace(" ", "")
        for separate in (
            "how ever",
            *("wi fi", "hi fi", "lo fi", "sci fi"),
            *("e mail", "e book", "e commerce", "x ray", "t shirt"),
            *("a m", "p m"),
        )
    },
}
_SPELLINGS = {
    "ok": "okay",
    "kay": "okay",
    "mm": "hmm",
    "etcetera": "etc",
    "flyer": "flier",
    "snowploughs": "snowplows",
    "pummelled": "pummeled",
    "pummelling": "pummeling",
    "archaeology": "archeology",
    "archaeological": "archeological",
    "cancellation": "cancelation",
    "cancellations": "cancelations",
    "travelogue": "travelog",
    "travelogues": "travelogs",
}
_UNCHANGED = ("archeological", "cancelation", "cancelations", "travelog", "travelogs")
# The name table of the leaderboard (Apache-2.0), grouped by the unified spelling; the other tables are the differences
# from the library's.
_NAMES = """
aaron: aron; alfonso: alphonso; alison: allison alyson; allen: alan allan; anne: ann; anthony:
antony; arthur: artur; brett: bret; brian: bryan; bridget: bridgette; caitlin: kaitlin kaitlyn
katelyn; carl: karl; carol: carole carrol carroll; catherine: catharine katherine kathryn; cathy:
kathy; charlie: charley charly; chris: kris; christina: kristina; christopher: cristopher
kristopher; colin: collin; deborah: devorah; dennis: denis; dominic: dominick; douglas: douglass;
dylan: dillon; eric: erick erik; fatima: fatimah; frederick: frederik fredrick; gail: gayle; gary:
garry; greg: gregg; henry: henri; ivonne: yvonne; jackie: jacky; jamie: jaime; jason: jayson;
jeff: geoff; jeffrey: geoffrey jeffery; joanne: joane joann; john: jon; jonathan: johnathan
jonathon; joseph: josef; karen: caren caryn karin; kelly: kelley kelli kellye; kevin: kevan;
kristin: kristen; laurie: lori; lawrence: laurence; lee: leigh; leslie: lesley; lily: lilly;
linda: lynda; lindsay: lindsey linsey; louis: lewis; lucas: lukas; lynn: lynne; mark: marc;
martin: martyn; matthew: mathew; mcarthur: macarthur; mccarthy: macarthy maccarthy; mccartney:
macartney; mcdonald: macdonald; mcgowan: macgowan; mcintosh: macintosh; mcintyre: macintyre;
mckay: mackay; mckenzie: mackenzie; mclean: maclean; mcleod: macleod; mcmillan: macmillan;
mcnamara: macnamara; megan: meghan; michael: micheal; michelle: michele; miriam: myriam; mohammed:
mahomet mohamad mohamed mohammad mouhamad mouhamed muhamad muhammad muhammed; molly: mollie;
natalie: nathalie; neil: neal; nicholas: nicolas; nicole: nikole; patrick: patrik; peter: pieter;
philip: phillip; rachel: rachael; rajiv: rajeev; rebecca: rebekah; rob: robb; robin: robyn; roger:
rodger; ronda: rhonda; russell: russel; sally: sallie; sarah: sara; sean: shaun shawn; shane:
shayne; sherry: cheri sheri sherrie; simon: symon; stacy: stacey stacie; steven: stephen; stuart:
stewart; susanne: suzanne; teresa: theresa; terry: terri; thomas: tomas; toby: tobey; tony: toni;
tracy: tracey tracie; veronica: veronika; victor: viktor; victoria: viktoria; walter: walther;
yousef: yusef yusuf; zach: zak; zachary: zachery zackary
"""
_SHORT_WORDS = frozenset("ai")


def _join_letters(words: list[str]) -> list[str]:
    """Join two or more single letters or digits into a word; with `a` or `i` among them, three or more."""
    joined: list[str] = []
    for is_single, group in groupby(words, key=lambda word: len(word) == 1 and word.isalnum()):
        letters = list(group)
        is_spelled = is_single and (len(letters) > 2 or not _SHORT_WORDS.intersection(letters))
        joined += ["".join(letters)] if is_spelled else letters
    return joined


def _join_compounds(text: str) -> str:
    for separate, joined in _JOINED.items():
        pattern = separate.replace(" ", r"\s+")
        text = re.sub(rf"\b{pattern}\b", joined, text)
    return text


def _build_respeller(mapping: dict[str, str]) -> Callable[[str], str]:
    spellings = {word: spelling for word, spelling in mapping.items() if word not in _UNCHANGED}
    spellings |= _SPELLINGS
    groups = (group.split(":") for group in _NAMES.split(";"))
    names = {name: unified.strip() for unified, names in groups for name in names.split()}

    def respell(text: str) -> str:
        american = (spellings.get(word, word) for word in text.split())
        return " ".join(_join_letters([names.get(word, word) for word in american]))

    return respell


@cache
def _build_normaliser() -> Any:
    """Create the library's normaliser and replace its tables with those of the leaderboard."""
    normaliser = create_normaliser()
    normaliser.ignore_patterns = rf"\b({_FILLERS})\b"
    normaliser.replacers = {
        (_PRONOUN_S if pattern == _ANY_S else pattern): (r"\1 is" if pattern == _ANY_S else replacement)
        for pattern, replacement in normaliser.replacers.items()
    }
    read_numbers = normaliser.standardize_numbers
    normaliser.standardize_numbers = lambda text: read_numbers(_join_compounds(text))
    normaliser.standardize_spellings = _build_respeller(normaliser.standardize_spellings.mapping)
    return normaliser


def normalise_open_asr(text: str) -> str:
    """Normalise English as the Open ASR Leaderboard does: with Whisper's normaliser and other tables.

    The leaderboard drops more fillers, does not expand the `'s` of possessives, joins spelled-out letters, and unifies
    the spelling of names that sound alike.
    """
    return " ".join(normalise_with(_build_normaliser(), text).split())
