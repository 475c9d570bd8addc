"""Replies without reasoning and markup."""

import pytest

from auricle.text.reading.clean_reply import clean_reply


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>no</think>yes", "yes"),
        ("no, wait</think> yes", "yes"),
        ("<thinking>never closed", ""),
        ("**B**", "B"),
        ("`B`", "B"),
        ("- B", "B"),
        ("\\boxed{\\text{B}}", "answer: B"),
        ("<answer>B</answer>", "answer: B"),
        ("B<|im_end|>", "B"),
        ("~~A~~ B", "B"),
        ("Ｂ", "B"),
        ("“B”", '"B"'),
        ("sea_waves", "sea_waves"),
    ],
)
def test_reasoning_and_markup_are_removed(reply: str, text: str) -> None:
    assert clean_reply(reply) == text
