"""Claims about options, and which claim decides."""

import pytest

from auricle.text.option_claims import Mention, decide_option


def mentions(reply: str) -> list[Mention]:
    """Find the labels A, B and C in a reply."""
    return [
        Mention(position, position + 1, "ABC".index(character), is_label=True)
        for position, character in enumerate(reply)
        if character in "ABC"
    ]


@pytest.mark.parametrize(
    ("reply", "index"),
    [
        ("it might be A", 0),
        ("it might be A. it is B", 1),
        ("the answer is A. the answer is B", 1),
        ("it is A. it is B", None),
        ("not A", None),
        ("A is wrong, it is C", 2),
        ("the answer is A or B", None),
    ],
)
def test_the_highest_level_of_claims_decides(reply: str, index: int | None) -> None:
    assert decide_option(reply, mentions(reply)) == index


def test_a_label_and_its_text_are_one_mention() -> None:
    reply = "B) guitar"
    both = [Mention(0, 1, 1, is_label=True), Mention(3, 9, 1, is_label=False)]
    assert decide_option(reply, both) == 1


def test_a_label_on_the_text_of_another_option_is_not_an_answer() -> None:
    reply = "A) guitar"
    both = [Mention(0, 1, 0, is_label=True), Mention(3, 9, 1, is_label=False)]
    assert decide_option(reply, both) is None


def test_a_reply_without_mentions_has_no_option() -> None:
    assert decide_option("nothing here", []) is None
