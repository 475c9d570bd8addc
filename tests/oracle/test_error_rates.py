"""Error rates compared with jiwer, over a thousand pairs."""

import random
from collections.abc import Sequence
from typing import Any

import jiwer
import pytest

from auricle import Generation, Metric, Sample
from auricle.metrics.capabilities import Profiled
from auricle.tasks.asr.error_rates import cer, mer, wer
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
    "spoke",
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


def random_pairs(count: int = 1000) -> list[tuple[str, str]]:
    rng = random.Random(7)
    pairs = []
    for _ in range(count):
        reference = rng.choices(VOCABULARY, k=rng.randint(1, 30))
        hypothesis = [
            rng.choice(VOCABULARY) if rng.random() < 0.1 else word
            for word in reference
            if rng.random() > 0.05
            for _ in range(2 if rng.random() < 0.03 else 1)
        ]
        pairs.append((" ".join(reference), " ".join(hypothesis)))
    return pairs


def score_pairs(metric: Metric, pairs: Sequence[tuple[str, str]]) -> list[Any]:
    return [
        metric.score(Sample(id="x", inputs={}, target=reference), Generation(text=hypothesis))
        for reference, hypothesis in pairs
    ]


@pytest.mark.parametrize("name", ["none", "basic", "whisper-en"])
def test_corpus_wer_equals_jiwer_with_every_profile(name: str) -> None:
    pairs = random_pairs()
    normalise = get_profile(name)
    assert isinstance(wer, Profiled)
    stats = score_pairs(wer.with_profile(name), pairs)
    normalised = [(normalise(reference), normalise(hypothesis)) for reference, hypothesis in pairs]
    with_reference = [pair for pair in normalised if pair[0]]  # jiwer rejects empty references
    extra = sum(len(hypothesis.split()) for reference, hypothesis in normalised if not reference)
    oracle = jiwer.process_words([r for r, _ in with_reference], [h for _, h in with_reference])
    words = oracle.hits + oracle.substitutions + oracle.deletions
    errors = oracle.substitutions + oracle.deletions + oracle.insertions + extra
    assert wer.aggregate(stats) == pytest.approx(errors / words, abs=1e-12)
    details = wer.details(stats)
    assert details["reference_length"] == words
    assert details["substitutions"] == oracle.substitutions
    assert details["deletions"] == oracle.deletions
    assert details["insertions"] == oracle.insertions + extra


def test_corpus_cer_equals_jiwer() -> None:
    pairs = random_pairs()
    normalise = get_profile("basic")
    references, hypotheses = ([normalise(text) for text in side] for side in zip(*pairs, strict=True))
    assert cer.aggregate(score_pairs(cer, pairs)) == pytest.approx(jiwer.cer(references, hypotheses), abs=1e-12)


def test_mixed_error_rate_equals_jiwer_on_its_tokens() -> None:
    pairs = [("我想听 Hello Kitty 的歌", "我想听 hello kitty 歌"), ("今天天气很好", "今天天汽很好啊")]
    normalise = get_profile("mixed")
    references, hypotheses = (
        [" ".join(split_mixed(normalise(text))) for text in side] for side in zip(*pairs, strict=True)
    )
    assert mer.aggregate(score_pairs(mer, pairs)) == pytest.approx(jiwer.wer(references, hypotheses), abs=1e-12)
