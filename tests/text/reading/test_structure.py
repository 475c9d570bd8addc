"""Thoughts, markup and fields of replies."""

import pytest

from auricle.text import Strength, read_label, read_option, read_yes_no
from auricle.text.reading.structure import MAX_END, MAX_START, clean_reply

EMOTIONS = ("happy", "sad", "angry", "neutral")
SOUNDS = ("dog", "cat", "rain")


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>no</think>yes", "yes"),
        ("no, wait</think> yes", "yes"),
        ("<|thinking|>no<|/thinking|>yes", "yes"),
        ("<thinking>never closed", ""),
        ("**B**", "B"),
        ("`B`", "B"),
        ("- B", "B"),
        ("```\nB\n```", "B"),
        ("\\boxed{\\text{B}}", "B"),
        ("<answer>B</answer>", "B"),
        ("B<|im_end|>", "B"),
        ("~~A~~ B", "B"),
        ("Ｂ", "B"),
        ("“B”", "B"),
        ("B 😀", "B"),
        ("B\nmodel", "B"),
        ("<<Title>>\nB", "B"),
        ("I can't hear it", "I can't hear it"),
    ],
)
def test_thought_and_markup_are_removed(reply: str, text: str) -> None:
    assert clean_reply(reply) == text


def test_only_the_ends_of_a_very_long_reply_are_read() -> None:
    text = clean_reply("I am sorry. " + "la " * 100_000 + "The answer is B.")
    assert len(text) == MAX_START + 1 + MAX_END
    assert text.startswith("I am sorry.")
    assert text.endswith("The answer is B.")


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "sad", "explanation": "not happy at all"}',
        '{"reasoning": "It might be happy.", "answer": "sad"}',
        '{"emotion": "sad", "second_choice": "happy", "alternatives": ["angry"], "confidence": 0.9}',
        '{"transcription": "I am so happy", "emotion": "Sad"}',
        'Here it is:\n```json\n{"result": {"label": "sad"}}\n```\nThe voice is not happy.',
        '[{"label": "sad"}]',
        "{'emotion': 'sad'}",
        "transcription: I am happy\nemotion: sad\nconfidence: 0.9",
        '{"happy": 0.1, "sad": 0.8}',
        "happy: 10 %\nsad: 80 %\nangry: 10 %",
        'The answer is sad. {"confidence": 0.9}',
        '{"response": "The speaker sounds sad."}',
        "\\boxed{sad} is my answer, not happy",
        "<<The speaker is sad.>>",
        "It sounds happy at first. [[sad]]",
    ],
)
def test_structured_replies_are_read_by_key(reply: str) -> None:
    assert read_label(reply, EMOTIONS).value == "sad"


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "sad or happy"}',
        '{"emotion": "sad", "mood": "happy"}',
        '{"answer": "afraid", "mood": "happy"}',
        '{"confidence": 0.9, "transcription": "sad"}',
        '[{"label": "happy"}, {"label": "sad"}]',
        '{"transcription": "sad"}',
        '```json\n{"second_choice": "sad"}\n```',
        '{"happy": 0.5, "sad": 0.5}',
        "\\boxed{sad} \\boxed{happy}",
        "<think>The answer is sad.",
    ],
)
def test_fields_without_one_answer_are_not_read(reply: str) -> None:
    assert read_label(reply, EMOTIONS).value is None


def test_booleans_answer_questions_for_yes_or_no_only() -> None:
    assert read_yes_no('{"dog_barks": true, "confidence": 0.4}').value is True
    assert read_option('{"answer": true}', SOUNDS).value is None


def test_an_answer_in_markup_is_read_from_structure() -> None:
    assert read_option('{"answer": "B"}', SOUNDS).strength is Strength.STRUCTURE
    assert read_option("<answer>B</answer>", SOUNDS).strength is Strength.STRUCTURE
