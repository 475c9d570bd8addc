"""Answers that a phrase announces."""

import pytest

from auricle.text import Strength, read_option

SOUNDS = ("dog", "cat", "rain")
ASSISTANTS = ("Assistant A is better", "Assistant B is better", "Tie")


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is B.",
        "The correct answer to 'Which animal is heard?' is: the cat",
        "Dogs bark, and rain falls. So the final answer is (b).",
        "Answer: B\n\nA is wrong, as there is no dog.",
        "The answer is A. No, wait, there is a mistake.\nAnswer: B",
        "I would choose option B because it meows.",
        "Option B is correct.",
        "B is better than A.",
        "I call this sound:\n\n**Cat**",
        "Sound: cat",
        "The sound must be (B) cat, by its pitch.",
        "[答案] B",
        "正确答案是B。",
        "答えはBです。",
        "정답은 B입니다.",
        "Die Antwort ist B.",
        "La bonne réponse est B.",
        "La respuesta correcta es B.",
        "Ответ: B",
        "Đáp án: B",
        "I first thought of a dog, however the answer is B.",
        "B选项正确。",
    ],
)
def test_an_announced_answer_is_read(reply: str) -> None:
    reading = read_option(reply, SOUNDS)
    assert (reading.value, reading.strength) == (1, Strength.MARKER)


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is not B.",
        "Is the answer B?",
        "If there were fur, the answer would be B.",
        "Answer: B or C",
        "Answer: A, B",
        "Answer: a fox. The cat is a decoy.",
        "The answer is B. No, wait, it is a dog.",
        "Option B is incorrect.",
        "B is not correct.",
        "The answer cannot be B.",
        "The answer would never be B.",
        "La respuesta no es la B.",
        "Đáp án không phải là B.",
        "正确答案不是B。",
        "答えはBではありません。",
        "정답은 B가 아닙니다.",
        "The answer is B, or possibly C.",
        "The answer is B... no, C.",
    ],
)
def test_a_denied_conditional_or_double_answer_is_not_read(reply: str) -> None:
    assert read_option(reply, SOUNDS).value is None


def test_a_marker_decides_after_a_refusal() -> None:
    assert read_option("Sorry, I cannot hear the audio. Answer: B", SOUNDS).value == 1


def test_an_option_may_be_called_by_its_noun_and_letter() -> None:
    assert read_option("Overall, I would choose Assistant A as the better one.", ASSISTANTS).value == 0
    assert read_option("This is the end of Assistant B's answer.", ASSISTANTS).value is None
