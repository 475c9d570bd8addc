"""Lists of labels in replies."""

import pytest

from auricle.text.reading.label_lists import read_label_list

LABELS = ["dog", "dog bark", "rain", "sea_waves", "train"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("rain, train", ["rain", "train"]),
        ("Rain; Train.", ["rain", "train"]),
        ("- rain\n- sea waves", ["rain", "sea_waves"]),
        ('["dog bark", "rain"]', ["dog bark", "rain"]),
        ("dog bark", ["dog bark"]),
        ("I hear a dog and rain in the background.", ["dog", "rain"]),
        ("There is rain, but no train.", ["rain"]),
        ("There is no dog, only rain.", ["rain"]),
        ("**rain**", ["rain"]),
        ("none", []),
        ("None of these.", []),
        ("[]", []),
        ("There is no dog here.", []),
    ],
)
def test_labels_are_read_from_lists_and_sentences(reply: str, expected: list[str]) -> None:
    assert read_label_list(reply, LABELS) == expected


def test_characters_are_simplified_in_labels_and_replies() -> None:
    assert read_label_list("興奮、驚き。", ["興奮", "驚き"]) == ["興奮", "驚き"]


@pytest.mark.parametrize("reply", ["", "a crowded street", "training", "Brainstorm"])
def test_a_reply_without_labels_has_no_reading(reply: str) -> None:
    assert read_label_list(reply, LABELS) is None


def test_without_labels_there_is_no_reading() -> None:
    assert read_label_list("rain", []) is None
