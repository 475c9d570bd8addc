"""Numbers, and yes or no, from free-form replies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.text import extract_number, extract_yes_no


def show_reply(value: object) -> str | None:
    """Name a test case after its reply."""
    return ascii(value) if isinstance(value, str) else None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("[[4]]", 4),
        ("Score: 4/5", 4),
        ("4 out of 5", 4),
        ("**Rating:** 4.5", 4.5),
        ('{"score": 4}', 4),
        ("\\boxed{42}", 42),
        ("I give 3, no, 4.", 4),
        ("The score is 2. Wait, the score is 3.", 3),
        ("Score: 4. There are 3 issues.", 4),
        ("On a scale of 1 to 10, I rate it 7.", 7),
        ("评分：8分（满分10分）", 8),
        ("满分10分，我给8分", 8),
        ("-3.5", -3.5),
        ("−3", -3),
        ("1,234", 1234),
        ("50%", 50),
        (".5", 0.5),
        ("1e3", 1000),
        ("3-5", 5),
        ("<think>5</think>4", 4),
        ("1e999", None),
        ("3rd place", None),
        ("MP3", None),
        ("none", None),
        ("", None),
    ],
    ids=show_reply,
)
def test_a_number_is_extracted_from_a_reply(reply: str, expected: float | None) -> None:
    assert extract_number(reply) == expected


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
    assert extract_yes_no(reply) is expected


def test_a_conclusion_counts_only_shortly_before_the_word() -> None:
    assert extract_yes_no("no so" + " " * 78 + "yes") is True
    assert extract_yes_no("no so" + " " * 79 + "yes") is None


def test_a_word_within_a_long_reply_is_not_taken_for_its_first() -> None:
    assert extract_yes_no(f"the model hears yes, {'and then it hears more ' * 5}no") is None


@settings(deadline=None)
@given(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)))
def test_any_number_is_extracted_unchanged(value: float) -> None:
    assert extract_number(f"Score: {value}") == value
    assert extract_number(f"I would give {value}.") == value
