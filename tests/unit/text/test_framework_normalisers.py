"""Normalisers of other tools; tests/oracle compares their error rates with the tools themselves."""

from collections.abc import Callable
from typing import Any

import pytest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from auricle.text import framework_normalisers as normalisers

pytestmark = pytest.mark.slow


def split_with(tokeniser: Any, text: str) -> list[str]:
    return str(tokeniser()(text)).split()


@pytest.mark.parametrize(
    ("normalise", "text", "expected"),
    [
        (normalisers.kimi_en, "<|en|> It costs $5 , Mr. Smith.", "it costs 5 mister smith"),
        (normalisers.kimi_zh, "我有2000个 Apple。", "我 有 两 千 个 apple"),
        (normalisers.lmms_eval_en, "The colour, isn't it?", "the color is not it"),
        (normalisers.lmms_eval_zh, "我用AI", "我 用 a i"),
        (normalisers.ultraeval_en, "20% of it", "20 % of it"),
        (normalisers.ultraeval_zh, "我有2个", "我 有 二 个"),
    ],
)
def test_texts_become_the_tokens_of_the_tool(normalise: Callable[[str], str], text: str, expected: str) -> None:
    assert normalise(text) == expected


def test_chinese_is_split_as_by_sacrebleu() -> None:
    # The inside of the Han and Hangul blocks and surrogates are left out; the ends of the blocks are enough.
    blocks = ((0xA0, 0x4E10), (0x9F00, 0xAC10), (0xD790, 0xD800), (0xF8F0, 0x10000), (0x1FFF0, 0x20010))
    text = "x".join(chr(code) for block in blocks for code in range(*block))
    assert normalisers.tokenise_zh(text) == " ".join(split_with(TokenizerZh, text)).lower().split()


def test_punctuation_is_split_as_by_13a() -> None:
    text = "it costs $5.50, or 3.5% -5 1-2 a-b +7 (x) y/z £3 ¢4 end. 1,000 a.b {c} ~d o'clock"
    assert normalisers.tokenise_13a(text) == split_with(Tokenizer13a, text)
