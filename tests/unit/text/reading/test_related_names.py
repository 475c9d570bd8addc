"""Other names of an option."""

import pytest

from auricle.text.reading.related_names import (
    count_values,
    number_names,
    other_writings,
    unit_writings,
    verb_forms,
    words_for_labels,
)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("three times", "3 times"),
        ("3 times", "three times"),
        ("三次", "3次"),
        ("2個", "两個"),
        ("세 번", "3 번"),
        ("20分钟", "二十分钟"),
    ],
)
def test_a_number_of_things_is_also_written_otherwise(name: str, other: str) -> None:
    assert other in other_writings(name)


@pytest.mark.parametrize("name", ["three", "3", "120 times", "threesome", "tone", "3.5 seconds"])
def test_other_names_have_no_other_writing(name: str) -> None:
    assert other_writings(name) == []


def test_an_english_phrase_has_other_forms_of_its_verb() -> None:
    assert verb_forms("go hiking") == ["gos hiking", "going hiking", "goed hiking"]
    assert "taking the train" in verb_forms("To take the train")
    assert "stopped at a shop" in verb_forms("stop at a shop")
    assert verb_forms("hiking") == verb_forms("坐地铁") == []


def test_words_for_a_label_belong_to_an_option_that_has_it_alone() -> None:
    happy, angry, glad = words_for_labels([("happy",), ("angry", "mad"), ("joyful",)], ("en",))
    assert happy == glad == []
    assert "anger" in angry
    assert "angry" not in angry


def test_words_for_a_label_are_in_the_languages_of_the_reply_and_of_the_option() -> None:
    ((*in_german,),) = words_for_labels([("angry",)], ("de",))
    assert {"wut", "anger"} <= set(in_german)
    assert "colère" not in in_german


@pytest.mark.parametrize(
    ("names", "values"),
    [
        (("2", "3", "4"), [2, 3, 4]),
        (("two", "three"), [2, 3]),
        (("once", "twice", "three times"), [1, 2, 3]),
        (("one person", "two people", "12 people"), [1, 2, 12]),
        (("une fois", "deux fois"), [1, 2]),
        (("两个", "三个"), [2, 3]),
        (("two dogs", "three cats"), []),
        (("two", "2"), []),
        (("two", "many"), []),
    ],
)
def test_options_that_differ_by_a_number_have_its_value(names: tuple[str, ...], values: list[int]) -> None:
    assert count_values(names) == values


def test_numbers_are_written_in_digits_and_in_the_languages_of_the_reply() -> None:
    assert number_names(("twice", "three times"), ("de",)) == [["2", "zwei"], ["3", "drei"]]
    assert number_names(("20", "30"), ("es", "zh")) == [["veinte", "二十"], ["treinta", "三十"]]
    assert number_names(("dog", "cat"), ("en",)) == [[], []]


def test_a_quantity_is_also_written_with_another_form_of_its_unit() -> None:
    assert "10 min" in unit_writings("10 minutes")
    assert "30 percent" in unit_writings("30%")
    assert unit_writings("10 dogs") == unit_writings("minutes") == []
