"""Normaliser profiles."""

import subprocess
import sys
import unicodedata
from functools import _lru_cache_wrapper

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.core.errors import UnknownName
from auricle.text import (
    PROFILES,
    get_profile,
    profiles,
    resolve_profile_name,
    split_characters,
    split_mixed,
    split_words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Hello, World!  ", "hello world"),
        ("Don't 'quote' rock'n'roll", "don't quote rock'n'roll"),
        ("it’s the dogs’ ‘home’", "it's the dogs home"),
        ("a_b-c/d", "a b c d"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("Straße", "strasse"),
        ("हिन्दी में, बात।", "हिन्दी में बात"),
        ("தமிழ் மொழி!", "தமிழ் மொழி"),
        ("안녕하세요, 세계!", "안녕하세요 세계"),
        ("zero\u200bwidth \ufeffmark", "zerowidth mark"),
        ("10 €\t+ 5\n", "10 5"),
        ("I \u2764\ufe0f you 1\ufe0f\u20e3", "i you 1"),
        ("葛\U000e0100城", "葛城"),
        ("l\u00b4eau, don`t, o\u02bbzbek, ג\u05f3ירפה", "l'eau don't o'zbek ג'ירפה"),
        ("น้ำ ทำ", "น้ำ ทำ"),
        ("น\u0e4d\u0e49า", "น\u0e49\u0e33"),
        ("ນ\u0ecd\u0ec9າ ຄຳ", "ນ\u0ec9\u0eb3 ຄ\u0eb3"),
        ("Vie\u0323\u0302t Nam", "việt nam"),
        ("ﾃﾚﾋﾞ カー ァ", "テレビ カー ァ"),
        ("", ""),
        ("?!", ""),
    ],
)
def test_basic_removes_only_case_and_punctuation(text: str, expected: str) -> None:
    assert get_profile("basic")(text) == expected


@settings(deadline=None)
@given(st.text(max_size=60))
def test_basic_leaves_no_punctuation_and_single_spaces(text: str) -> None:
    result = get_profile("basic")(text)
    assert result == " ".join(result.split())
    categories = {unicodedata.category(character)[0] for character in result if character not in " '"}
    assert not categories & set("PSZ")


@settings(deadline=None)
@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_basic_is_idempotent(text: str) -> None:
    once = get_profile("basic")(text)
    assert get_profile("basic")(once) == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024年", "二零二四年"),
        ("二〇二四年", "二零二四年"),
        ("二○二四年", "二零二四年"),
        ("２０２４年", "二零二四年"),
        ("50%", "百分之五十"),
        ("百分之五十", "百分之五十"),
        ("3.5", "三点五"),
        ("第3名", "第三名"),
        ("第三名", "第三名"),
        ("两个", "二个"),
        ("2个", "二个"),
        ("兩個", "二个"),
        ("10年", "十年"),
        ("1/2", "二分之一"),
        ("½", "二分之一"),
        ("8:30", "八点三十"),
        ("8:00", "八点"),
        ("2024-01-05", "二零二四年一月五日"),
        ("¥50", "五十元"),
        ("$1.5", "一点五美元"),
        ("30℃", "三十摄氏度"),
        ("-5度", "负五度"),
        ("版本3.5.2", "版本三点五点二"),
        ("13800138000", "一三八零零一三八零零零"),
        ("007", "零零七"),
        ("1,234,567", "一百二十三万四千五百六十七"),
        ("100000000", "一亿"),
        ("我們在臺灣的圖書館裡，拿著筆。", "我们在台湾的图书馆里拿着笔"),
        ("著名作家", "著名作家"),
        ("我用 Python 写 Hello World 程序", "我用python写hello world程序"),
        ("你 好 ， 世 界 ！", "你好世界"),
        ("十分高兴，一起去", "十分高兴一起去"),
        ("9" * 5000, "九" * 5000),
    ],
)
def test_zh_unifies_numbers_scripts_and_spacing(text: str, expected: str) -> None:
    assert get_profile("zh")(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我用Python写代码", ["我", "用", "python", "写", "代", "码"]),
        ("买iPhone 15手机", ["买", "iphone", "15", "手", "机"]),
        ("有2个banana", ["有", "二", "个", "banana"]),
        ("Don't 说話", ["don't", "说", "话"]),
        ("2024年 the year 2024", ["二", "零", "二", "四", "年", "the", "year", "2024"]),
    ],
)
def test_mixed_counts_chinese_by_character_and_latin_by_word(text: str, expected: list[str]) -> None:
    assert get_profile("mixed").tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("東京 タワー、です。", list("東京タワーです")), ("ภาษา ไทย", list("ภาษาไทย")), ("ភាសា", list("ភាសា"))],
)
def test_chars_makes_every_character_a_token(text: str, expected: list[str]) -> None:
    assert get_profile("chars").tokens(text) == expected


def test_profiles_have_languages_and_a_description() -> None:
    languages = {name: get_profile(name).languages for name in PROFILES}
    assert languages == {
        "none": (),
        "basic": (),
        "whisper-en": ("en",),
        **dict.fromkeys(("whisper-basic", "whisper-basic-unaccented"), ()),
        "whisper-basic-letters": ("zh", "yue", "ja", "th", "lo", "my"),
        "zh": ("zh", "yue"),
        "chars": ("ja", "th", "lo", "km", "my"),
        "mixed": ("zh", "en"),
        "basic+turkish": ("tr", "az"),
        "basic+yo": ("ru",),
        **dict.fromkeys(("basic+harakat", "basic+tatweel", "basic+alef"), ("ar",)),
        **dict.fromkeys(("basic+gershayim", "basic+niqqud"), ("he",)),
        "basic+catalan": ("ca",),
        "basic+digits": (),
        "whisper-en+spelled": ("en",),
        **dict.fromkeys(("kimi-en", "lmms-eval-en", "open-asr", "seed-tts-en", "ultraeval-en"), ("en",)),
        **dict.fromkeys(("kimi-zh", "lmms-eval-zh", "seed-tts-zh", "ultraeval-zh"), ("zh",)),
    }
    assert all(PROFILES.summary(name) == get_profile(name).summary != "" for name in PROFILES)


def test_none_only_strips_the_ends() -> None:
    assert get_profile("none")("  Hello,  World! \n") == "Hello,  World!"


@pytest.mark.parametrize("name", PROFILES)
@given(text=st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_every_profile_accepts_arbitrary_text(name: str, text: str) -> None:
    tokens = get_profile(name).tokens(text)
    assert all(isinstance(token, str) and token for token in tokens)


@pytest.mark.parametrize("name", PROFILES)
def test_a_signature_names_profile_and_version(name: str) -> None:
    profile = get_profile(name)
    assert profile.signature == f"{name}:{profile.version}"


def test_an_unknown_profile_gives_a_suggestion() -> None:
    with pytest.raises(UnknownName, match=r"Unknown profile 'whisper_en'. Did you mean whisper-en, "):
        get_profile("whisper_en")


def test_results_are_cached_within_bounds() -> None:
    for apply in (get_profile("zh").apply, profiles._normalise_basic_unicode):
        assert isinstance(apply, _lru_cache_wrapper)
        apply("Cached – once.")
        hits = apply.cache_info().hits
        apply("Cached – once.")
        assert apply.cache_info().hits == hits + 1
        assert apply.cache_info().maxsize == 65_536


def test_importing_text_loads_no_heavy_package() -> None:
    code = (
        "import sys, auricle.text; "
        "print([n for n in ('numpy', 'whisper_normalizer', 'opencc', 'regex') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        ("kimi", "zh", "kimi-zh"),
        ("ultraeval", "en-GB", "ultraeval-en"),
        ("open-asr", "en", "open-asr"),
        ("kimi-en", "zh", "kimi-en"),
        ("kimi", "", "kimi"),
        ("", "en", ""),
    ],
)
def test_the_name_of_a_tool_is_completed_with_the_language(name: str, language: str, expected: str) -> None:
    assert resolve_profile_name(name, language) == expected


def test_the_name_of_a_tool_without_a_language_is_rejected() -> None:
    with pytest.raises(UnknownName, match="Profile 'kimi' needs a language: use kimi-en or kimi-zh"):
        get_profile("kimi")


def test_mixed_tokens_keep_korean_words_and_split_unspaced_scripts() -> None:
    assert split_mixed("안녕 세계 東a ไท") == ["안녕", "세계", "東", "a", "ไ", "ท"]


def test_words_split_at_any_whitespace() -> None:
    assert split_words(" a \t b\nc ") == ["a", "b", "c"]


@settings(deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=6))
def test_characters_are_counted_as_by_jiwer(words: list[str]) -> None:
    reference = " ".join(words)
    counts = jiwer.process_characters(reference, "abc")
    assert counts.hits + counts.substitutions + counts.deletions == len(split_characters(reference))
