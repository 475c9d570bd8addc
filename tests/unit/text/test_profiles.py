import subprocess
import sys
import unicodedata
from typing import Any

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whisper_normalizer.english import EnglishTextNormalizer

from auricle.core.errors import UnknownName, Unreadable
from auricle.text import PROFILES, get_profile, resolve_profile_name, split_characters, split_mixed, split_words
from auricle.text.chinese_numbers import read_cardinal, read_number
from auricle.text.whisper_normaliser import _normalise_fast, normalise_whisper, normalise_whisper_in_full

LIBRARY = EnglishTextNormalizer()

ORDINARY = split_words("the quick brown fox says that we are all in this house together with you")
BRITISH = ["colour", "honour", "analyse", "theatre", "programme", "mr", "dr", "st", "prof"]
FILLED_PAUSES = ["uh", "um", "hmm", "mm", "mhm", "uh's", "um't", "uh've"]
CONTRACTIONS = split_words(
    "don't can't won't it's he's he'd they're i'm i've y'all ma'am o'clock rock'n'roll let's ain't "
    "i'ma imma gonna gotta wanna cause one's she'd'a been gone done got 'tis dogs' 's 't cause's"
)
NUMBERS = split_words(
    "one two ten twenty hundred thousand first second third half point double triple and per "
    "percent cent cents dollar dollars pound minus plus negative zero oh o ones sixes twenties a"
)
DIGITS = ["5", "3.5", "$2", "20%", "1,000", "3rd", "10s", "1", "7th", "€5", "0.5", "¢20", "b2b"]
MARKS = ["...", "..", ".", ",", "-", "--", "_", "&", "?", "!", '"', ":", ";", "é", "naïve", "’", "²"]
BRACKETED = ["[noise]", "(laughs)", "<unk>", "(", ")", "[", "<"]
LIBRARY_WORDS = sorted(
    {pattern.replace(r"\b", "") for pattern in LIBRARY.replacers} | LIBRARY.standardize_numbers.words
)


def sentences(*kinds: list[str]) -> st.SearchStrategy[str]:
    """Sentences of the given kinds of words, with every separator between them."""
    pieces = st.tuples(
        st.sampled_from([piece for kind in kinds for piece in kind]),
        st.sampled_from([" ", " ", " ", " ", ", ", ". ", "-", "", "\n", "  "]),
        st.sampled_from([str, str.upper, str.title]),
    )
    return st.lists(pieces, max_size=10).map(
        lambda chosen: "".join(case(piece) + separator for piece, separator, case in chosen)
    )


def outcome(normalise: Any, text: Any) -> Any:
    """The normalised text, or the fact that the normaliser fails."""
    try:
        return normalise(text)
    except (AssertionError, TypeError, ValueError, Unreadable):
        return None


@settings(max_examples=200, deadline=None)
@given(sentences(ORDINARY, BRITISH, FILLED_PAUSES, CONTRACTIONS, NUMBERS, DIGITS, MARKS, BRACKETED, LIBRARY_WORDS))
def test_whisper_english_equals_the_library_on_every_mixture(text: Any) -> None:
    assert outcome(normalise_whisper, text) == outcome(LIBRARY, text)


@settings(max_examples=200, deadline=None)
@given(sentences(ORDINARY, ORDINARY, BRITISH, FILLED_PAUSES, CONTRACTIONS, ["and", "percent"]))
def test_whisper_english_equals_the_library_where_the_short_cut_is_taken(text: Any) -> None:
    assert normalise_whisper(text) == LIBRARY(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_whisper_english_equals_the_library_on_arbitrary_text(text: Any) -> None:
    assert outcome(normalise_whisper, text) == outcome(LIBRARY, text)


@pytest.mark.parametrize("frame", ["{0}", "we {0} and {0} dogs", "he's {0}"])
def test_whisper_english_equals_the_library_on_each_word_of_its_tables(frame: str) -> None:
    for word in [*LIBRARY_WORDS, *LIBRARY.standardize_spellings.mapping]:
        text = frame.format(word)
        assert outcome(normalise_whisper, text) == outcome(LIBRARY, text)


@pytest.mark.parametrize(
    "text",
    [
        "AND SO MY FELLOW AMERICANS ASK NOT WHAT YOUR COUNTRY CAN DO FOR YOU",
        "Mr. Quilter isn't the apostle of the middle classes, and we're glad.",
        "um, well: the colour of dollars and cents",
    ],
)
def test_ordinary_sentences_take_the_short_cut(text: str) -> None:
    assert _normalise_fast(text.lower()) == LIBRARY(text)


@pytest.mark.parametrize("text", ["twenty one", "room 5", "[noise] hello", "he's been", "he's gotta", "wait..", "café"])
def test_sentences_whose_words_depend_on_each_other_go_the_long_way(text: str) -> None:
    assert _normalise_fast(text.lower()) is None


def test_the_short_cut_switches_off_when_the_library_gains_a_rule_across_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from auricle.text import whisper_normaliser

    library = EnglishTextNormalizer()
    library.replacers[r"\bof course\b"] = "certainly"
    monkeypatch.setattr(whisper_normaliser, "_load_library", lambda: library)
    whisper_normaliser._build_expander.cache_clear()
    whisper_normaliser._completer_pattern.cache_clear()
    try:
        assert normalise_whisper("of course we are") == "certainly we are"
    finally:
        whisper_normaliser._build_expander.cache_clear()
        whisper_normaliser._completer_pattern.cache_clear()


def test_a_text_the_library_fails_on_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="Whisper normaliser"):
        normalise_whisper_in_full("9" * 5000)


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
        ("", ""),
        ("?!", ""),
    ],
)
def test_basic_removes_case_and_punctuation_and_nothing_else(text: str, expected: str) -> None:
    assert get_profile("basic")(text) == expected


@settings(deadline=None)
@given(st.text(max_size=60))
def test_basic_leaves_no_punctuation_and_single_spaces(text: Any) -> None:
    result = get_profile("basic")(text)
    assert result == " ".join(result.split())
    categories = {unicodedata.category(character)[0] for character in result if character not in " '"}
    assert not categories & set("PSZ")


@settings(deadline=None)
@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_basic_normalises_its_own_output_to_itself(text: Any) -> None:
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
def test_zh_writes_what_is_said_one_way(text: Any, expected: Any) -> None:
    assert get_profile("zh")(text) == expected


@pytest.mark.parametrize(
    ("value", "reading"),
    [
        (0, "零"),
        (10, "十"),
        (12, "十二"),
        (20, "二十"),
        (101, "一百零一"),
        (110, "一百一十"),
        (1_001, "一千零一"),
        (1_010, "一千零一十"),
        (10_000, "一万"),
        (10_010, "一万零一十"),
        (100_000, "十万"),
        (100_200, "十万零二百"),
        (1_000_000_001, "十亿零一"),
        (1_0000_0000_0000, "一万亿"),
    ],
)
def test_whole_numbers_are_read_as_quantities(value: int, reading: str) -> None:
    assert read_cardinal(value) == reading


def value_of(reading: str) -> int:
    """An independent reader of Chinese quantities."""
    places = {"十": 10, "百": 100, "千": 1000}
    total, section, digit = 0, 0, 0
    for character in reading:
        if character in "零一二三四五六七八九":
            digit = "零一二三四五六七八九".index(character)
        elif character in places:
            section, digit = section + (digit or 1) * places[character], 0
        else:
            power = {"万": 10**4, "亿": 10**8}[character]
            total, section, digit = (total + section + digit) * power, 0, 0
    return total + section + digit


@settings(deadline=None)
@given(st.integers(0, 10**8 - 1))
def test_a_quantity_read_back_is_the_same_number(value: Any) -> None:
    assert value_of(read_cardinal(value)) == value


@settings(deadline=None)
@given(st.integers(0, 999_999), st.integers(0, 999))
def test_a_decimal_is_read_digit_by_digit_after_the_point(whole: Any, fraction: Any) -> None:
    reading = read_number(f"{whole}.{fraction}")
    assert reading.partition("点")[0] == read_cardinal(whole)
    assert len(reading.partition("点")[2]) == len(str(fraction))


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
def test_mixed_counts_chinese_by_character_and_latin_by_word(text: str, expected: Any) -> None:
    assert get_profile("mixed").tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("東京 タワー、です。", list("東京タワーです")), ("ภาษา ไทย", list("ภาษาไทย")), ("ភាសា", list("ភាសា"))],
)
def test_chars_makes_every_character_a_token(text: str, expected: Any) -> None:
    assert get_profile("chars").tokens(text) == expected


def test_none_only_strips_the_ends() -> None:
    assert get_profile("none")("  Hello,  World! \n") == "Hello,  World!"


def test_mixed_tokens_keep_korean_words_and_split_unspaced_scripts() -> None:
    assert split_mixed("안녕 세계 東a ไท") == ["안녕", "세계", "東", "a", "ไ", "ท"]


def test_words_split_at_any_whitespace() -> None:
    assert split_words(" a \t b\nc ") == ["a", "b", "c"]


@settings(deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=6))
def test_characters_count_as_jiwer_counts_them(chosen: Any) -> None:
    reference = " ".join(chosen)
    counts = jiwer.process_characters(reference, "abc")
    assert counts.hits + counts.substitutions + counts.deletions == len(split_characters(reference))


@pytest.mark.parametrize("name", PROFILES)
@given(text=st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_every_profile_takes_arbitrary_text(name: Any, text: Any) -> None:
    tokens = get_profile(name).tokens(text)
    assert all(isinstance(token, str) and token for token in tokens)


@pytest.mark.parametrize("name", PROFILES)
def test_a_signature_names_profile_and_version(name: Any) -> None:
    assert get_profile(name).signature == f"{name}:1"


def test_an_unknown_profile_is_refused_with_a_suggestion_and_the_names() -> None:
    with pytest.raises(UnknownName, match=r"Did you mean 'whisper-en'\?.*none, basic, whisper-en, zh"):
        get_profile("whisper_en")


def test_results_are_remembered_within_bounds() -> None:
    apply = get_profile("basic").apply
    get_profile("basic")("Remembered, once.")
    hits = apply.cache_info().hits
    get_profile("basic")("Remembered, once.")
    assert apply.cache_info().hits == hits + 1
    assert apply.cache_info().maxsize == 65_536


def test_importing_text_loads_nothing_heavy() -> None:
    code = (
        "import sys, auricle.text; "
        "print([n for n in ('numpy', 'whisper_normalizer', 'opencc', 'regex') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "language", "whole"),
    [
        ("kimi", "zh", "kimi-zh"),
        ("ultraeval", "en-GB", "ultraeval-en"),
        ("open-asr", "en", "open-asr"),
        ("kimi-en", "zh", "kimi-en"),
        ("kimi", "", "kimi"),
        ("", "en", ""),
    ],
)
def test_a_tools_name_is_its_profile_in_the_language_at_hand(name: str, language: str, whole: str) -> None:
    assert resolve_profile_name(name, language) == whole


def test_a_tools_name_without_a_language_asks_for_one() -> None:
    with pytest.raises(UnknownName, match="Which of kimi-en and kimi-zh is meant"):
        get_profile("kimi")
