"""B-WER and U-WER, against numbers of the public scorer of biasing lists."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from auricle import Generation, Metric, Sample
from auricle.metrics.capabilities import Profiled, Restricted
from auricle.tasks.asr.words.biasing import b_wer, biased_words, biasing_metrics, count_biased_errors
from auricle.tasks.asr.words.word_lists import PhraseFinder, WordList

PUBLIC_SCORER = [
    [31, 24, 6, 116, 72, 83, 74, 363],
    [25, 38, 13, 160, 42, 67, 56, 326],
    [23, 30, 12, 143, 42, 58, 45, 277],
    [25, 24, 14, 154, 48, 68, 40, 322],
    [17, 43, 25, 161, 43, 84, 52, 288],
    [54, 24, 6, 156, 91, 62, 67, 289],
]
"""Counts of facebookresearch/fbai-speech, is21_deep_bias/score.py, on `make_pairs`: S, D, I and words, of B and U."""


def make_pairs(seed: int) -> Iterator[tuple[list[str], list[str], set[str]]]:
    """Yield references, answers and the listed words that the reference has."""
    rng = random.Random(seed)
    vocabulary = [f"w{index}" for index in range(rng.choice((3, 8, 40)))]
    for _ in range(60):
        reference = rng.choices(vocabulary, k=rng.randint(1, 14))
        if rng.random() < 0.3:
            hypothesis = rng.choices(vocabulary, k=rng.randint(0, 14))
        else:
            hypothesis = [
                rng.choice(vocabulary) if rng.random() < 0.3 else word
                for word in reference
                if rng.random() > 0.2
                for _ in range(1 + (rng.random() < 0.15))
            ]
        listed = rng.sample(vocabulary, k=max(1, len(vocabulary) // 3))
        yield reference, hypothesis, {word for word in listed if word in reference}


@pytest.mark.parametrize("seed", range(len(PUBLIC_SCORER)))
def test_counts_are_those_of_the_public_scorer(seed: int) -> None:
    counts = [
        count_biased_errors(reference, hypothesis, PhraseFinder({(word,): "" for word in words}))
        for reference, hypothesis, words in make_pairs(seed)
    ]
    assert [sum(column) for column in zip(*counts, strict=True)][:8] == PUBLIC_SCORER[seed]


@pytest.mark.parametrize("seed", range(3))
def test_words_of_the_list_that_the_reference_lacks_change_nothing_but_over_biasing(seed: int) -> None:
    for reference, hypothesis, words in make_pairs(seed):
        own = PhraseFinder({(word,): "" for word in words})
        distractors = {word for word in hypothesis if word not in reference}
        longer = PhraseFinder({(word,): "" for word in words | distractors})
        counts = count_biased_errors(reference, hypothesis, longer)
        assert counts[:8] == count_biased_errors(reference, hypothesis, own)[:8]
        assert counts.over_biased == sum(word in distractors for word in hypothesis)


def score(metrics: tuple[Metric, ...], target: str, text: str, **meta: object) -> list[float]:
    sample = Sample(id="1", inputs={}, target=target, meta=meta)  # type: ignore[arg-type]
    return [metric.aggregate([metric.score(sample, Generation(text=text))]) for metric in metrics]


def test_a_distractor_counts_for_u_wer_and_over_biasing() -> None:
    values = score(biased_words, "call anna now", "call hanna hugo now", biasing_words=["Anna", "Hugo"])
    assert values == pytest.approx([1.0, 0.5, 1000 / 3])


def test_all_words_of_a_phrase_are_listed_where_it_occurs() -> None:
    words = WordList((("New York", ""),))
    b_errors, u_errors, over = score(biasing_metrics(words), "new shoes in New York.", "new shoes in new work")
    assert (b_errors, u_errors, over) == (0.5, 0.0, 0.0)


def test_characters_of_scripts_without_spaces_are_words() -> None:
    assert score(biasing_metrics(WordList((("北京", ""),))), "我去北京", "我去南京")[:2] == [0.5, 0.0]


def test_without_listed_words_b_wer_is_undefined_and_its_insertions_stay_in_the_pooled_rate() -> None:
    stats = [
        b_wer.score(Sample(id="1", inputs={}, target=target, meta={"words": ["a"]}), Generation(text=text))
        for target, text in (("b", "b"), ("a", "a a"))
    ]
    assert b_wer.aggregate(stats[:1]) != b_wer.aggregate(stats[:1])
    assert b_wer.aggregate(stats) == 1.0
    assert b_wer.details(stats)["listed"] == {
        "substitutions": 0, "deletions": 0, "insertions": 1, "reference_length": 1,
    }  # fmt: skip
    assert b_wer.details(stats)["wer_weighted"] == 0.5


def test_the_list_and_the_profile_are_in_the_signature_and_rows_without_a_list_are_skipped() -> None:
    words = WordList((("a", ""),))
    listed = biasing_metrics(words)[0]
    assert listed.signature == f"b_wer:1.pooled.3-3-4.list-{words.digest}.basic:2"
    assert b_wer.signature == "b_wer:1.pooled.3-3-4.rows.basic:2"
    assert isinstance(listed, Profiled)
    assert listed.with_profile("none").signature.endswith(f"list-{words.digest}.none:1")
    assert isinstance(b_wer, Restricted)
    assert not b_wer.applies(Sample(id="1", inputs={}, target="a"))
    timed: dict[str, Any] = {"words": [{"text": "a", "start": 0.0, "end": 0.4}]}
    assert not b_wer.applies(Sample(id="1", inputs={}, target="a", meta=timed))
    assert b_wer.applies(Sample(id="1", inputs={}, target="a", meta={"words": []}))


def test_a_failed_sample_is_bounded_by_the_empty_and_the_right_answer() -> None:
    sample = Sample(id="1", inputs={}, target="a b", meta={"words": ["a"]})
    bounds = b_wer.bound(sample)
    assert bounds
    assert [b_wer.aggregate([stat]) for stat in bounds] == [1.0, 0.0]
