"""Our `wer` under a tool's profile is the number the tool's own code gave for the same pairs."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from auricle import Generation, Sample
from auricle.metrics.edit_distance import count_errors, count_errors_with_joins
from auricle.metrics.text import LENGTH, wer
from auricle.text import PROFILES, get_profile, split_words
from auricle.text.framework_normalisers import tokenise_13a, tokenise_zh
from tests.support import paths

GOLDEN = json.loads((paths.GOLDEN / "text-profiles.json").read_text(encoding="utf-8"))
TOOLS = sorted(GOLDEN["tools"])


def rows(name: Any) -> Iterator[Any]:
    """The pairs of a profile's language, each with our counts and what the tool said of it."""
    metric = wer.with_profile(name)
    for row in GOLDEN[get_profile(name).languages[0]]:
        sample = Sample(id="pair", inputs={}, target=row["reference"])
        *counted, length = metric.score(sample, Generation(text=row["hypothesis"]))[: LENGTH + 1]
        yield row, sum(counted), length, row[name]


def test_every_tools_profile_has_numbers_of_the_tool() -> None:
    ours = {name for name in PROFILES if name.startswith(("kimi", "lmms", "open", "ultra"))}
    assert ours == set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_the_corpus_rate_is_the_tools(name: Any) -> None:
    kept = [(wrong, length) for _, wrong, length, said in rows(name) if said != "dropped"]
    wrong, length = (sum(column) for column in zip(*kept, strict=True))
    assert wrong / length == pytest.approx(GOLDEN["tools"][name]["corpus"], abs=1e-12)


@pytest.mark.parametrize("name", TOOLS)
def test_the_rate_of_every_pair_is_the_tools(name: Any) -> None:
    for row, wrong, length, said in rows(name):
        if length and said != "dropped":
            assert wrong / length == pytest.approx(said, abs=1e-12), row


@pytest.mark.parametrize("name", TOOLS)
def test_where_a_tool_has_no_rate_of_a_pair_the_reference_is_empty(name: Any) -> None:
    named = {"IndexError", "ZeroDivisionError"}
    assert [row for row, _, length, said in rows(name) if said in named and length] == []


def test_a_skipped_reply_that_kimi_drops_is_counted_here() -> None:
    dropped = [(wrong, length) for _, wrong, length, said in rows("kimi-en") if said == "dropped"]
    assert dropped == [(3.0, 3.0)]


def test_chinese_is_cut_where_sacrebleu_cuts_it() -> None:
    cuts = TokenizerZh()
    # Not the inside of the Han and Hangul blocks, nor surrogates: their ends tell.
    blocks = ((0xA0, 0x4E10), (0x9F00, 0xAC10), (0xD790, 0xD800), (0xF8F0, 0x10000), (0x1FFF0, 0x20010))
    text = "x".join(chr(code) for block in blocks for code in range(*block))
    assert tokenise_zh(text) == cuts(text).lower().split()


def test_western_marks_are_cut_as_13a_cuts_them() -> None:
    text = "it costs $5.50, or 3.5% -5 1-2 a-b +7 (x) y/z £3 ¢4 end. 1,000 a.b {c} ~d o'clock"
    assert tokenise_13a(text) == Tokenizer13a()(text).split()


@pytest.mark.parametrize(
    ("reference", "hypothesis", "wrong"),
    [
        ("the white paper is here", "the whitepaper was here", 1),
        ("the whitepaper is here", "the white paper is here", 0),
        ("a b c d", "abc x", 1),
        ("ab cd", "a bc d", 3),
        ("never the less", "nevertheless nevertheless", 1),
        ("one two", "", 2),
    ],
)
def test_words_written_apart_or_together_cost_nothing(reference: str, hypothesis: str, wrong: int) -> None:
    assert sum(count_errors_with_joins(reference.split(), hypothesis.split())) == wrong


def test_without_a_compound_joining_counts_as_always() -> None:
    sides = split_words("the cat sat on the mat"), split_words("a cat sits on mat now")
    assert count_errors_with_joins(*sides) == count_errors(*sides)
