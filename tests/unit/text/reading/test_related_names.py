"""Other names of an option."""

import pytest

from auricle.text.reading.related_names import family_words, other_writings, verb_forms


@pytest.mark.parametrize(
    ("name", "other"),
    [("three times", "3 times"), ("3 times", "three times"), ("三次", "3次"), ("2個", "两個"), ("세 번", "3 번")],
)
def test_a_number_of_things_is_also_written_otherwise(name: str, other: str) -> None:
    assert other in other_writings(name)


@pytest.mark.parametrize("name", ["three", "3", "12 times", "threesome", "tone", "3.5 seconds"])
def test_other_names_have_no_other_writing(name: str) -> None:
    assert other_writings(name) == []


def test_an_english_phrase_has_other_forms_of_its_verb() -> None:
    assert verb_forms("go hiking") == ["gos hiking", "going hiking", "goed hiking"]
    assert "taking the train" in verb_forms("To take the train")
    assert "stopped at a shop" in verb_forms("stop at a shop")
    assert verb_forms("hiking") == verb_forms("坐地铁") == []


def test_words_of_a_family_belong_to_an_option_that_has_it_alone() -> None:
    happy, angry, glad = family_words([("happy",), ("angry", "mad"), ("joyful",)])
    assert happy == glad == []
    assert "anger" in angry
    assert "angry" not in angry
