"""Numbers from free-form replies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.text import read_number


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
        ("3-5", None),
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
    assert read_number(reply).value == expected


@settings(deadline=None)
@given(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)))
def test_any_number_is_extracted_unchanged(value: float) -> None:
    assert read_number(f"Score: {value}").value == value
    assert read_number(f"I would give {value}.").value == value
