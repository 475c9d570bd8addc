"""Alignments of words, against their definition."""

import random
from collections.abc import Sequence
from functools import cache
from unittest.mock import patch

import pytest

from auricle.tasks.asr.words import alignment
from auricle.tasks.asr.words.alignment import Counts, Pair, align, align_weighted, count_pairs


def random_words(rng: random.Random, vocabulary: str, longest: int) -> list[str]:
    return rng.choices(vocabulary, k=rng.randint(0, longest))


def minimum_cost(reference: Sequence[str], hypothesis: Sequence[str], substitution: int, other: int) -> int:
    @cache
    def cost(rows: int, columns: int) -> int:
        if not rows or not columns:
            return other * (rows + columns)
        aligned = 0 if reference[rows - 1] == hypothesis[columns - 1] else substitution
        return min(
            cost(rows - 1, columns - 1) + aligned, cost(rows - 1, columns) + other, cost(rows, columns - 1) + other
        )

    return cost(len(reference), len(hypothesis))


def price(counts: Counts, substitution: int, other: int) -> int:
    return substitution * counts.substitutions + other * (counts.deletions + counts.insertions)


@pytest.mark.parametrize("seed", range(5))
def test_alignments_cost_as_little_as_possible_and_cover_all_words_in_order(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        reference, hypothesis = (random_words(rng, "abcd", 9) for _ in range(2))
        for function, costs in ((align, (1, 1)), (align_weighted, (4, 3))):
            pairs = function(reference, hypothesis)
            assert [pair.reference for pair in pairs if pair.reference is not None] == list(range(len(reference)))
            assert [pair.hypothesis for pair in pairs if pair.hypothesis is not None] == list(range(len(hypothesis)))
            counts = count_pairs(reference, hypothesis, pairs)
            assert price(counts, *costs) == minimum_cost(reference, hypothesis, *costs)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "pairs"),
    [
        ("", "", []),
        ("a", "", [Pair(0, None)]),
        ("", "a", [Pair(None, 0)]),
        # Of equal costs: from the end, two words are aligned before one is inserted or deleted.
        ("a", "aa", [Pair(None, 0), Pair(0, 1)]),
        ("aa", "a", [Pair(0, None), Pair(1, 0)]),
        ("ab", "cd", [Pair(0, 0), Pair(1, 1)]),
        # Two substitutions would cost 8, a deletion and an insertion cost 6.
        ("ab", "bc", [Pair(0, None), Pair(1, 0), Pair(None, 1)]),
    ],
)
def test_ties_of_the_weighted_alignment_are_those_of_the_public_scorer(
    reference: str, hypothesis: str, pairs: list[Pair]
) -> None:
    assert align_weighted(reference, hypothesis) == pairs


def test_long_texts_are_cut_without_a_change_of_errors_if_they_have_long_equal_runs() -> None:
    rng = random.Random(3)
    vocabulary = [f"w{index}" for index in range(400)]
    reference = rng.choices(vocabulary, k=2000)
    hypothesis = [rng.choice(vocabulary) if rng.random() < 0.02 else word for word in reference if rng.random() > 0.02]
    whole = count_pairs(reference, hypothesis, align_weighted(reference, hypothesis))
    with patch.object(alignment, "MAX_CELLS", 10_000):
        cut = count_pairs(reference, hypothesis, align_weighted(reference, hypothesis))
    assert cut == whole


def test_long_texts_without_a_common_word_are_cut_too() -> None:
    with patch.object(alignment, "MAX_CELLS", 1000):
        pairs = align_weighted(["a"] * 300, ["b"] * 310)
    assert count_pairs(["a"] * 300, ["b"] * 310, pairs) == Counts(300, 0, 10, 300)
