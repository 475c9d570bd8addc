"""Edit errors with and without joined words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.metrics.edit_distance import count_errors, count_errors_with_joins

WORDS = st.lists(st.sampled_from(["a", "b", "ab", "c", "abc"]), max_size=8)


def test_substitutions_deletions_and_insertions_are_counted() -> None:
    assert count_errors("abcd", "abxde") == (1, 0, 1)
    assert count_errors(["a"], []) == (0, 1, 0)
    assert count_errors([], ["a"]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "errors"),
    [
        ("the white paper is here", "the whitepaper was here", 1),
        ("the whitepaper is here", "the white paper is here", 0),
        ("a b c d", "abc x", 1),
        ("ab cd", "a bc d", 3),
        ("never the less", "nevertheless nevertheless", 1),
        ("one two", "", 2),
    ],
)
def test_joined_and_split_words_match_at_no_cost(reference: str, hypothesis: str, errors: int) -> None:
    assert sum(count_errors_with_joins(reference.split(), hypothesis.split())) == errors


def test_without_compounds_joins_change_nothing() -> None:
    reference, hypothesis = ["the", "cat", "sat", "on", "the", "mat"], ["a", "cat", "sits", "on", "mat", "now"]
    assert count_errors_with_joins(reference, hypothesis) == count_errors(reference, hypothesis)


@given(WORDS, WORDS)
def test_joins_never_add_errors(reference: list[str], hypothesis: list[str]) -> None:
    assert sum(count_errors_with_joins(reference, hypothesis)) <= sum(count_errors(reference, hypothesis))
