"""Names of options, and the whole reply or a line of it as the answer."""

from collections.abc import Sequence

import pytest

from auricle.text import Strength, read_label, read_option, strip_labels

SOUNDS = ("a dog", "a cat", "rain", "heavy rain")


@pytest.mark.parametrize(
    ("reply", "index"),
    [
        *(("B", 1), ("b", 1), ("(B)", 1), ("B.", 1), ("**B**", 1), ("B) a cat", 1), ("Option B", 1), ("2", 1)),
        *(("cat", 1), ("A cat.", 1), ('"a cat"', 1), ("RAIN", 2), ("heavy rain", 3)),
        ("B\n\nThe sound has the pitch of an animal.", 1),
        ("It has fur and meows.\n\nB", 1),
        ("(B) It meows twice.", 1),
        ("A cat (it meows).", 1),
        ("cat cat", 1),
    ],
)
def test_a_reply_or_a_line_of_it_may_be_the_answer(reply: str, index: int) -> None:
    reading = read_option(reply, SOUNDS)
    assert (reading.value, reading.strength) == (index, Strength.WHOLE_REPLY)


@pytest.mark.parametrize(
    "reply",
    [
        *("", "E", "B?", "A, B", "A\nB", "a dog\na cat", "I would say it is a", "The answer is a"),
        "First, I listen to the recording.",
        "1. I listen.\n2. I decide.",
        "A. a dog\nB. a cat\nC. rain\nD. heavy rain",
        "写真(a)と像(b)",
    ],
)
def test_letters_that_stand_for_no_answer_are_not_read(reply: str) -> None:
    assert read_option(reply, SOUNDS).value is None


@pytest.mark.parametrize(
    ("labels", "reply", "label"),
    [
        (("生气/angry", "高兴/happy"), "angry", "生气/angry"),
        (("sea_waves", "rain"), "Sea waves", "sea_waves"),
        (("He's a trainer.", "He's a guide."), "He is a guide", "He's a guide."),
        (("anger", "joy"), "The speaker sounds angry.", "anger"),
        (("seven", "seven fifty"), "It begins at seven fifty.", "seven fifty"),
        (("seven", "eight"), "It begins at seven fifty.", None),
        (("十", "二"), "二十", None),
        (("happy", "sad"), "The speaker sounds non-happy.", None),
        (("yes", "no"), "Nein.", "no"),
        (("true", "false"), "Yes.", "true"),
        (("是", "否"), "否。", "否"),
        (("one two three", "four"), "one, the two three", "one two three"),
    ],
)
def test_options_may_be_written_in_other_ways(labels: Sequence[str], reply: str, label: str | None) -> None:
    assert read_label(reply, labels).value == label


def test_letters_are_read_without_options() -> None:
    assert read_option("The answer is Z.", ()).value == 25


def test_the_first_of_two_equal_options_is_read() -> None:
    assert read_option("cat", ["dog", "cat", "cat"]).value == 1


def test_letters_of_options_are_removed_if_all_have_one() -> None:
    assert strip_labels(["(A) dog", "(B) cat"]) == ["dog", "cat"]
    assert strip_labels(["A. Smith", "Jones"]) == ["A. Smith", "Jones"]
