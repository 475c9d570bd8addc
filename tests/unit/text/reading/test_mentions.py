"""Mentions of options in a reply."""

import pytest

from auricle.text.reading.mentions import (
    build_label_table,
    find_label_mentions,
    find_text_mentions,
    single_letter_options,
    strip_own_label,
)
from auricle.text.reading.rules import rules_for_languages

ENGLISH = rules_for_languages(("en",))
OPTIONS = (("car",), ("racing car", "racer"))


def test_the_longest_option_text_is_matched() -> None:
    mentions = find_text_mentions("a racing car, then a car", OPTIONS)
    assert [(mention.start, mention.index) for mention in mentions] == [(2, 1), (21, 0)]


def test_an_option_may_have_several_names() -> None:
    assert [mention.index for mention in find_text_mentions("the racer", OPTIONS)] == [1]


@pytest.mark.parametrize(
    ("reply", "indices"),
    [("B is right", [1]), ("A guitar", []), ("I think so", []), ("option b", [1]), ("2", [1]), ("2 cars", [])],
)
def test_labels_are_distinguished_from_words_and_numbers(reply: str, indices: list[int]) -> None:
    table = build_label_table(["car", "racing car"])
    assert [mention.index for mention in find_label_mentions(reply, table, [], ENGLISH)] == indices


def test_labels_inside_an_option_text_are_ignored() -> None:
    texts = find_text_mentions("vitamin B", (("vitamin A",), ("vitamin B",)))
    assert list(find_label_mentions("vitamin B", build_label_table(["vitamin A", "vitamin B"]), texts, ENGLISH)) == []


def test_numbers_are_labels_only_if_no_option_has_digits() -> None:
    assert build_label_table(["waltz", "march"])["2"] == 1
    assert build_label_table(["two", "three"])["2"] == 0
    assert "2" not in build_label_table(["2", "3"])
    assert "2" not in build_label_table(["waltz", "3/4 time"])


def test_options_of_one_letter_keep_it_as_their_label() -> None:
    assert single_letter_options(["C", "d", "E minor"]) == {"C": 0, "D": 1}


def test_only_the_own_letter_of_an_option_is_stripped() -> None:
    assert strip_own_label("(B) guitar", 1) == "guitar"
    assert strip_own_label("(B) guitar", 0) == "(B) guitar"


@pytest.mark.parametrize(
    ("text", "count"),
    [("well\nb. hm", 1), ("well, b. hm", 0), (f"option{' ' * 34}b hm", 1), (f"option{' ' * 35}b hm", 0)],
)
def test_a_small_letter_is_a_label_at_the_start_of_a_line_or_shortly_after_such_a_word(text: str, count: int) -> None:
    assert len(list(find_label_mentions(text, {"B": 1}, [], ENGLISH))) == count
