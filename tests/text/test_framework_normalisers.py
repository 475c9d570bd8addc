"""Normalisers of other tools; tests/oracle compares their error rates with the tools themselves."""

from collections.abc import Callable
from typing import Any

import pytest

from auricle.text import framework_normalisers as normalisers


def split_with(tokeniser: Any, text: str) -> list[str]:
    return str(tokeniser()(text)).split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("normalise", "text", "expected"),
    [
        (normalisers.kimi_en, "<|en|> It costs $5 , Mr. Smith.", "it costs 5 mister smith"),
        (normalisers.kimi_zh, "我有2000个 Apple。", "我 有 两 千 个 apple"),
        (normalisers.lmms_eval_en, "The colour, isn't it?", "the color is not it"),
        (normalisers.lmms_eval_zh, "我用AI", "我 用 a i"),
        (normalisers.kimi_en, "<|en|>good\n day", "good day"),
        (normalisers.kimi_en, r"a \d b", "a d b"),
        (normalisers.ultraeval_en, "20% of it", "20 % of it"),
        (normalisers.ultraeval_en, "well （laughs） yes", "well yes"),
        (normalisers.ultraeval_zh, "我有2个", "我 有 二 个"),
    ],
)
def test_texts_become_the_tokens_of_the_tool(normalise: Callable[[str], str], text: str, expected: str) -> None:
    assert normalise(text) == expected


@pytest.mark.slow
def test_chinese_is_split_as_by_sacrebleu() -> None:
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    # The inside of the Han and Hangul blocks and surrogates are left out; the ends of the blocks are enough.
    blocks = ((0xA0, 0x4E10), (0x9F00, 0xAC10), (0xD790, 0xD800), (0xF8F0, 0x10000), (0x1FFF0, 0x20010))
    text = "x".join(chr(code) for block in blocks for code in range(*block))
    assert normalisers.tokenise_zh(text) == " ".join(split_with(TokenizerZh, text)).lower().split()


@pytest.mark.slow
def test_punctuation_is_split_as_by_13a() -> None:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    text = "it costs $5.50, or 3.5% -5 1-2 a-b +7 (x) y/z £3 ¢4 end. 1,000 a.b {c} ~d o'clock"
    assert normalisers.tokenise_13a(text) == split_with(Tokenizer13a, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今天是2024年5月20日", "今天是二零二四年五月二十日"),
        ("我有200元", "我有两百元"),
        ("一共2000个", "一共两千个"),
        ("一共2000元", "一共两千元"),
        ("0个", "零个"),
        ("20个", "二十个"),
        ("1200个", "一千两百个"),
        ("10200个", "一万零二百个"),
        ("22000个", "两万两千个"),
        ("220000个", "二十二万个"),
        ("2002个", "两千零二个"),
        ("300000000个", "三亿个"),
        ("2000000000000个", "两兆个"),
        ("1/2的人", "二分之一的人"),
        ("增长了12.5%", "增长了百分之十二点五"),
        ("电话13800138000。", "电话一三八零零一三八零零零"),
        ("P2P平台", "P2P平台"),
        ("你好，世界！", "你好 世界"),
        ("句号．", "句号．"),
    ],
)
def test_numbers_are_spelled_out(text: str, expected: str) -> None:
    assert normalisers.read_aloud(text).split() == expected.split()


def test_a_number_is_replaced_at_its_first_occurrence() -> None:
    """The count 2000 is read as a quantity, but in place of the code before it."""
    assert normalisers.read_aloud("号码2000，有2000个").split() == ["号码两千", "有二零零零个"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Uhm, all right", "alright"),
        ("John's car", "john s car"),
        ("it's here", "it is here"),
        ("the U S A", "the usa"),
        ("a b", "a b"),
        ("x y", "xy"),
        ("a uh b c", "abc"),
        ("an e uh mail", "an email"),
        ("a colour travelog", "a color travelog"),
        ("Katherine and Jon", "catherine and john"),
        ("an e mail about archaeology", "an email about archeology"),
    ],
)
def test_fillers_possessives_letters_and_names(text: str, expected: str) -> None:
    assert normalisers.normalise_open_asr(text) == expected
