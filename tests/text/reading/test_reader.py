"""The steps of reading an answer, from the firmest to the least firm."""

import pytest

from auricle.text import Reading, Strength, read_label, read_option, read_yes_no

OPTIONS = ["piano", "guitar", "drum"]


@pytest.mark.parametrize(
    ("reply", "value", "strength"),
    [
        ('I hear a piano. {"answer": "guitar"}', 1, Strength.STRUCTURE),
        ("It sounds like a piano at first. The answer is B.", 1, Strength.MARKER),
        ("Guitar.", 1, Strength.WHOLE_REPLY),
        ("The recording is of a guitar.", 1, Strength.STATEMENT),
    ],
)
def test_the_firmest_step_decides(reply: str, value: int, strength: Strength) -> None:
    assert read_option(reply, OPTIONS) == Reading(value, strength)


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": ["guitar", "drum"]}',
        "guitar\ndrum",
        "It is a guitar. It is a drum.",
        "The answer is B. No, wait, it could be C.",
        "<think>It is a guitar.",
        "",
    ],
)
def test_two_answers_or_none_are_unread(reply: str) -> None:
    assert read_option(reply, OPTIONS) == Reading()


def test_a_refusal_is_no_answer() -> None:
    assert read_yes_no("I cannot hear the audio.").refused
    assert read_label("I'm sorry, but no recording was provided, so it is not happy.", ["happy", "sad"]).refused


def test_labels_and_sides_are_returned_as_they_are() -> None:
    assert read_label("The speaker is angry.", ["生气/angry", "开心/happy"]).value == "生气/angry"
    assert read_yes_no("Yes, a dog is barking.").value is True
    assert read_yes_no('{"barking": false}').value is False
