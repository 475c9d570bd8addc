"""Replies without reasoning and markup."""

import pytest

from auricle.text.reading.clean_reply import MAX_END, MAX_START, clean_reply


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
        ("B 😀", "B"),
        ("✅ B ⭐", "✅ B ⭐"),
        ('{"antwort": "nein"}', "{\nantwort: nein\n}"),
        ('{"答案": "B"}', "{\n答案: B\n}"),
        ('{"정답": "B"}', "{\n정답: B\n}"),
    ],
)
def test_reasoning_and_markup_are_removed(reply: str, text: str) -> None:
    assert clean_reply(reply) == text


def test_a_reply_full_of_quotation_marks_quotes_nothing() -> None:
    assert clean_reply('a "' * 100) == ('a "' * 100).strip()
    assert '"' not in clean_reply('a "' * 3_000)


def test_only_the_ends_of_a_very_long_reply_are_read() -> None:
    reply = "I am sorry. " + "la " * 100_000 + "The answer is B."
    text = clean_reply(reply)
    assert len(text) == MAX_START + 1 + MAX_END
    assert text.startswith("I am sorry.")
    assert text.endswith("The answer is B.")
    assert clean_reply("x" * (MAX_START + MAX_END)) == "x" * (MAX_START + MAX_END)
