"""Sentence and word counts of IFEval."""

import pytest

from auricle.metrics.ifeval.counting import count_capital_words, count_sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("no full stop", 1),
        ("One. Two! Three? Four", 4),
        ("Dr. Lane met Mr. J. Smith. They left.", 2),
        ("It costs 2.5 pounds, e.g. in the U.S. market. The rest is free.", 2),
        ("He works for Kites Inc. They pay well.", 2),
        ("Wait... what? Well... The end.", 3),
        ('She called "Stop." Then she left.', 2),
        ("1. Salt\n2. Water", 3),
        ("born in 1841. then moved away.", 1),
        ("A. Salt\nB. Water", 3),
        ("a list\nof lines\nwithout stops", 1),
        ("今天下雨。我们不出门！你呢？", 3),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert count_sentences(text) == count


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("I'm A cat", 2), ("DON'T CANNOT", 4), ("NASA's (BBC), COVID-19!", 3), ("1, 2", 0)]
)
def test_capitalised_words_are_counted(text: str, count: int) -> None:
    assert count_capital_words(text) == count
