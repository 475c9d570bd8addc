"""The language that the script of texts shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.text.scripts import count_scripts, identify_language, script_of_language

CHINESE, ENGLISH = "今天天气很好", "the quick brown fox"


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["今天天气很好。", "我們去公園2024年散步吧！"], "zh"),
        (["我用 Python 写了一个非常非常长的程序"], "zh"),
        (["我想听 Hello Kitty", "open the window please"], "zh-mixed"),
        (["今日は天気がいい。", "東京"], "ja"),
        (["カタカナ", "ﾊﾝｶｸ"], "ja"),
        (["我非常喜欢看日本的电影の"], "zh"),
        (["NHK の News を見る new words all over"], "ja-mixed"),
        (["วันนี้อากาศดีมาก"], "th"),
        (["ສະບາຍດີ"], "lo"),
        (["សួស្តី"], "km"),
        (["မင်္ဂလာပါ"], "my"),
        (["오늘은 날씨가 좋네요 OK"], "ko"),
        (["오늘 we speak mostly English here"], "und"),
        (["צה״ל", "שָׁלוֹם OK"], "he"),
        ([f"{ENGLISH} 今天天气很好", "今日は天気がいい", "วันนี้อากาศดี"], "und-mixed"),
        (["我们去公园散步吧", "今日は天気がいい"], "und-mixed"),
        (["很高兴", "今日は天気がいい"], "und-mixed"),
        (["東京都千代田区", "今日は天気がいい"], "ja"),
        (["今天天气", "วันนี้อากาศดีมาก"], "zh-mixed"),
        (["今日は天気がいい" * 10, "หนัง"], "ja"),
        (["El col·legi és nou.", "AL COL·LEGI"], "ca"),
        ([f"{ENGLISH} " * 300, "col·legi", "col.legi"], "und"),
        (["Привет, мир!", "هل أنت بخير", "नमस्ते", "Grüße"], "und"),
        ([ENGLISH * 20, "東京"], "und"),
        (["안녕 세계 two words"], "und"),
        (["안녕 세계 word"], "ko"),
        (["字" * 9 + "の"], "ja"),
        (["字" * 9 + " word"], "zh"),
        (["123", "?!", ""], "und"),
        (["", " "], ""),
        ([], ""),
    ],
)
def test_the_script_shows_the_language(texts: list[str], language: str) -> None:
    assert identify_language(texts) == language


@given(st.permutations([CHINESE, ENGLISH, "おはよう", "안녕 세계", "Grüße"]))
def test_the_order_of_texts_does_not_matter(texts: list[str]) -> None:
    assert identify_language(texts) == identify_language(sorted(texts))


@pytest.mark.parametrize(
    ("words", "language"), [(0, "zh"), (11, "zh"), (12, "zh-mixed"), (1900, "zh-mixed"), (1901, "und")]
)
def test_a_twentieth_of_characters_and_a_tenth_of_words_make_texts_mixed(words: int, language: str) -> None:
    assert identify_language(["字" * 100, "word " * words]) == language


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("", {}),
        ("12 ♪ ?!", {}),
        ("Grüße, ｗｉｄｅ", {"latin": 9}),
        ("東京とソウルー", {"cjk": 7}),
        ("서울 Привет", {"hangul": 2, "cyrillic": 6}),
        ("ελ هل नम", {"greek": 2, "arabic": 2, "devanagari": 2}),
    ],
)
def test_letters_are_counted_by_script(text: str, scripts: dict[str, int]) -> None:
    assert count_scripts(text) == scripts


def test_a_language_with_one_script_has_it_and_others_have_none() -> None:
    languages = ("en", "ru", "zh", "zh-mixed", "ko", "und", "", "sr")
    assert [script_of_language(code) for code in languages] == ["latin", "cyrillic", "cjk", "cjk", "hangul", "", "", ""]
