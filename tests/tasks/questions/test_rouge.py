"""ROUGE from tokens, by hand and against its definition."""

from __future__ import annotations

import itertools
import random

import pytest

from auricle.tasks.questions.rouge import score_ngrams, score_sequence, score_summary, split_rouge_tokens

THE_CAT, A_CAT = ["the", "cat", "sat", "on", "the", "mat"], ["the", "cat", "on", "a", "mat", "mat"]


def test_texts_are_split_into_lower_case_latin_words_and_numbers() -> None:
    assert split_rouge_tokens("Über 3 Don't-STOP") == ["ber", "3", "don", "t", "stop"]


def test_ngrams_count_as_often_as_they_occur_in_both() -> None:
    assert score_ngrams(THE_CAT, A_CAT, 1) == pytest.approx(4 / 6)  # the, cat, on, mat
    assert score_ngrams(THE_CAT, A_CAT, 2) == pytest.approx(1 / 5)  # the cat


def test_the_sequence_keeps_the_order() -> None:
    assert score_sequence(THE_CAT, A_CAT) == pytest.approx(4 / 6)  # the cat on mat
    assert score_sequence(["a", "b", "c"], ["c", "b", "a"]) == pytest.approx(1 / 3)


def test_a_summary_is_compared_with_each_sentence_of_the_reference() -> None:
    reference = [["a", "b", "c", "d", "e"]]
    summary = [["a", "b", "f", "g", "h"], ["a", "c", "h", "i", "e"]]
    assert score_summary(reference, summary) == pytest.approx(2 * (4 / 5) * (4 / 10) / (4 / 5 + 4 / 10))  # a b c e


def test_no_token_of_a_summary_is_counted_twice() -> None:
    assert score_summary([["a"], ["a"]], [["a"]]) == pytest.approx(2 / 3)
    assert score_summary([["a", "a"], ["a"]], [["a", "a"]]) == pytest.approx(4 / 5)


def test_of_equally_long_sequences_the_one_with_the_earlier_words_is_chosen() -> None:
    reference, summary = [["a", "b"]], [["b", "a"], ["b"]]
    assert score_summary(reference, summary) == pytest.approx(4 / 5)  # a and b


def test_one_sentence_has_the_same_score_as_a_text() -> None:
    generator = random.Random(4)
    for _ in range(100):
        reference, summary = (generator.choices("abcd", k=generator.randint(1, 8)) for _ in range(2))
        assert score_summary([reference], [summary]) == pytest.approx(score_sequence(reference, summary))


@pytest.mark.parametrize("score", [score_sequence, lambda a, b: score_ngrams(a, b, 1)])
def test_nothing_in_common_scores_zero(score: object) -> None:
    assert callable(score)
    assert score([], []) == score(["a"], []) == score(["a"], ["b"]) == 0


def test_the_sequence_is_the_longest_that_both_have() -> None:
    generator = random.Random(3)
    for _ in range(50):
        reference, summary = (generator.sample("abcdefgh", k=5) for _ in range(2))
        longest = max(
            size
            for size in range(6)
            for chosen in itertools.combinations(reference, size)
            if all(token in iterator for iterator in [iter(summary)] for token in chosen)
        )
        assert score_sequence(reference, summary) == pytest.approx(longest / 5)
