"""`wer` with the profile of a tool equals the rate that the tool itself computed for the same pairs."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from auricle import Generation, Sample
from auricle.metrics.capabilities import Profiled
from auricle.metrics.edit_counts import LENGTH
from auricle.tasks.asr.error_rates import wer
from auricle.text import PROFILES, get_profile
from tests.support import paths
from tests.support.extras import require_extra

GOLDEN = json.loads((paths.GOLDEN / "text-profiles.json").read_text(encoding="utf-8"))
TOOLS = sorted(GOLDEN["tools"])
# Letters, marks and signs of many scripts, and what OpenAI's normaliser treats in a way of its own.
BLOCKS = (
    *("\u0020\u007e", "\u00a0\u024f", "\u0300\u036f", "\u0370\u052f", "\u0591\u06ff", "\u0900\u0dff", "\u0e01\u0eff"),
    *("\u1000\u109f", "\u1200\u137f", "\u1780\u17ff", "\u1e00\u1fff", "\u2000\u214f", "\u3000\u30ff", "\u4e00\u4fff"),
    *("\uac00\uad00", "\ufb1d\ufdff", "\ufe00\ufe0f", "\uff00\uffef", "\U0001f300\U0001f64f"),
)
BRACKETS = ("[noise]", "(laughs)", "<|en|>", "(", ")", "[", ">", "\t", "\r\n", "İ", "ß", "œ", "\u200d", "  ")


def scored_pairs(name: str) -> Iterator[tuple[dict[str, Any], float, float, Any]]:
    """Yield each pair of a profile's language with our errors and length, and the tool's rate."""
    assert isinstance(wer, Profiled)
    metric = wer.with_profile(name)
    for row in GOLDEN[get_profile(name).languages[0]]:
        sample = Sample(id="pair", inputs={}, target=row["reference"])
        stat: Any = metric.score(sample, Generation(text=row["hypothesis"]))
        *edits, length = stat[: LENGTH + 1]
        yield row, sum(edits), length, row[name]


def test_every_profile_of_a_tool_has_golden_rates() -> None:
    profiles = {name for name in PROFILES if name.startswith(("kimi", "lmms", "open", "ultra"))}
    assert profiles == set(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_the_corpus_rate_equals_the_tool(name: str) -> None:
    counts = [(errors, length) for _, errors, length, rate in scored_pairs(name) if rate != "dropped"]
    errors, length = (sum(column) for column in zip(*counts, strict=True))
    assert errors / length == pytest.approx(GOLDEN["tools"][name]["corpus"], abs=1e-12)


@pytest.mark.parametrize("name", TOOLS)
def test_the_rate_of_every_pair_equals_the_tool(name: str) -> None:
    for row, errors, length, rate in scored_pairs(name):
        if length and rate != "dropped":
            assert errors / length == pytest.approx(rate, abs=1e-12), row


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_fails_only_on_empty_references(name: str) -> None:
    failures = {"IndexError", "ZeroDivisionError"}
    assert [row for row, _, length, rate in scored_pairs(name) if rate in failures and length] == []


def test_a_reply_that_kimi_drops_is_counted() -> None:
    dropped = [(errors, length) for _, errors, length, rate in scored_pairs("kimi-en") if rate == "dropped"]
    assert dropped == [(3.0, 3.0)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("whisper-basic", {}),
        ("whisper-basic-letters", {"split_letters": True}),
        ("whisper-basic-unaccented", {"remove_diacritics": True}),
    ],
)
def test_whisper_basic_equals_the_normaliser_of_openai_in_every_script(name: str, options: dict[str, bool]) -> None:
    require_extra("transformers")
    from transformers.models.whisper.english_normalizer import BasicTextNormalizer

    normalise, choose = BasicTextNormalizer(**options), random.Random(7)
    for _ in range(4000):
        blocks = choose.sample(BLOCKS, 2)
        letters = [chr(choose.randint(*map(ord, choose.choice(blocks)))) for _ in range(choose.randint(0, 30))]
        pieces = [*letters, *choose.choices((" ", *BRACKETS), k=6)]
        choose.shuffle(pieces)
        text = "".join(pieces)
        assert get_profile(name)(text) == normalise(text), ascii(text)
