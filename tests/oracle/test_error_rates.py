"""Error rates against jiwer, over a thousand pairs."""

import random
from collections.abc import Iterator
from typing import Any

import jiwer
import pytest

from auricle import Generation, Sample
from auricle.metrics.text import cer, count_errors, mer, wer
from auricle.text import get_profile, split_mixed

VOCABULARY = [
    "the",
    "a",
    "of",
    "Sound",
    "and",
    "speech,",
    "is",
    "twenty",
    "two",
    "don't",
    "colour",
    "MR.",
    "Smith",
    "it's",
    "[noise]",
    "uh",
    "we'll",
    "said",
    "one",
    "hundred",
    "100",
    "$5",
    "naïve",
    "e-mail",
    "ÉTÉ",
    "ok",
    "yes",
    "no",
]


def pairs(count: int = 1000) -> Iterator[Any]:
    dice = random.Random(7)
    for _ in range(count):
        reference = dice.choices(VOCABULARY, k=dice.randint(1, 30))
        heard = [
            dice.choice(VOCABULARY) if dice.random() < 0.1 else word
            for word in reference
            if dice.random() > 0.05
            for _ in range(2 if dice.random() < 0.03 else 1)
        ]
        yield " ".join(reference), " ".join(heard)


def folded(metric: Any, told: Any) -> Any:
    samples = (
        metric.score(Sample(id="x", inputs={}, target=reference), Generation(text=heard)) for reference, heard in told
    )
    return list(samples)


@pytest.mark.parametrize("name", ["none", "basic", "whisper-en"])
def test_corpus_wer_equals_jiwer_under_every_profile(name: str) -> None:
    told = list(pairs())
    normalise = get_profile(name)
    stats = folded(wer.with_profile(name), told)
    references, heard = ([normalise(text) for text in side] for side in zip(*told, strict=True))
    kept = [(r, h) for r, h in zip(references, heard, strict=True) if r]  # jiwer takes no empty one
    extra = sum(len(h.split()) for r, h in zip(references, heard, strict=True) if not r)
    oracle = jiwer.process_words([r for r, _ in kept], [h for _, h in kept])
    words = oracle.hits + oracle.substitutions + oracle.deletions
    wrong = oracle.substitutions + oracle.deletions + oracle.insertions + extra
    assert wer.aggregate(stats) == pytest.approx(wrong / words, abs=1e-12)
    details = wer.details(stats)
    assert details["reference_length"] == words
    assert details["substitutions"] == oracle.substitutions
    assert details["deletions"] == oracle.deletions
    assert details["insertions"] == oracle.insertions + extra


def test_corpus_cer_equals_jiwer() -> None:
    told = list(pairs())
    normalise = get_profile("basic")
    sides = ([normalise(text) for text in side] for side in zip(*told, strict=True))
    assert cer.aggregate(folded(cer, told)) == pytest.approx(jiwer.cer(*map(list, sides)), abs=1e-12)


def test_mixed_error_rate_equals_jiwer_on_its_tokens() -> None:
    told = [("我想听 Hello Kitty 的歌", "我想听 hello kitty 歌"), ("今天天气很好", "今天天汽很好啊")]
    normalise = get_profile("mixed")
    sides = ([" ".join(split_mixed(normalise(t))) for t in side] for side in zip(*told, strict=True))
    assert mer.aggregate(folded(mer, told)) == pytest.approx(jiwer.wer(*map(list, sides)), abs=1e-12)


def test_wer_is_pooled_and_the_utterance_mean_stands_beside_it() -> None:
    stats = folded(wer, [("yes", "no"), ("a b c d e f g h i", "a b c d e f g h i")])
    assert wer.aggregate(stats) == pytest.approx(0.1)
    assert wer.details(stats)["utterance_mean"] == pytest.approx(0.5)


def test_words_said_where_none_are_due_are_insertions() -> None:
    stats = folded(wer, [("", "hello you"), ("a b", "a b")])
    assert wer.aggregate(stats) == pytest.approx(1.0)
    assert wer.details(stats)["utterance_mean"] == 0.0


def test_the_parts_of_an_error_rate_add_up_to_the_distance() -> None:
    assert count_errors("abcd", "abxde") == (1, 0, 1)
    assert count_errors(["a"], []) == (0, 1, 0)
    assert count_errors([], ["a"]) == (0, 0, 1)
