"""Yes or no from free-form replies."""

import pytest

from auricle.text import Strength, read_yes_no


def show_reply(value: object) -> str | None:
    """Name a test case after its reply."""
    return ascii(value) if isinstance(value, str) else None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Yes", True),
        ("no.", False),
        ("**Yes**", True),
        ("False", False),
        ("Yes, there is no noise.", True),
        ("No, that is correct to say.", False),
        ("The answer is yes.", True),
        ("Answer: No", False),
        ("There is no speech", False),
        ("That is not correct.", False),
        ("Yes. Actually, no.", False),
        ("<think>no</think>yes", True),
        ("是", True),
        ("是的，他在说话", True),
        ("对", True),
        ("对，是同一个人", True),
        ("答案：是", True),
        ("不是", False),
        ("不对", False),
        ("否", False),
        ("答案：否", False),
        ("没有", False),
        ("I notice something", None),
        ("Nothing is known", None),
        ("yes or no", None),
        ("Yes and no", None),
        ("I'm not sure.", None),
        ("这是一段音乐", None),
        ("是不是？", None),
        ("", None),
    ],
    ids=show_reply,
)
def test_yes_or_no_is_extracted_from_a_reply(reply: str, expected: bool | None) -> None:
    assert read_yes_no(reply).value is expected


def test_a_conclusion_counts_only_shortly_before_the_word() -> None:
    assert read_yes_no("no so" + " " * 78 + "yes").strength is Strength.MARKER
    assert read_yes_no("no so" + " " * 79 + "yes").strength is Strength.WEAK


def test_a_word_within_a_long_reply_is_not_taken_for_its_first() -> None:
    assert read_yes_no(f"the model hears yes, {'and then it hears more ' * 5}no").value is None
