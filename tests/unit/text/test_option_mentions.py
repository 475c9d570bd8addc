from typing import Any

import pytest

from auricle.text import extract_label

EMOTIONS = ["angry", "happy", "sad", "neutral"]
BILINGUAL = ["生气/angry", "开心/happy", "sad (悲伤)"]


def by_reply(case: Any) -> Any:
    """Show a case by what the model said."""
    return ascii(case) if isinstance(case, str) else None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The speaker sounds angry, not happy.", "angry"),
        ("happy rather than sad", "happy"),
        ("Angry.", "angry"),
        ("ANGRY", "angry"),
        ("Emotion: happy", "happy"),
        ("The emotion is neutral", "neutral"),
        ("I don't think the speaker is happy; sounds sad", "sad"),
        ("The speaker is not happy but sad", "sad"),
        ("Not so happy, quite sad", "sad"),
        ("The speaker sounds so happy!", "happy"),
        ("I first thought happy, but the answer is sad.", "sad"),
        ("The speaker isn't angry.", None),
        ("unhappy", None),
        ("angry and sad", None),
        ("A", None),
        ("B. something", None),
        ("", None),
    ],
    ids=by_reply,
)
def test_a_label_is_read_from_a_reply(reply: str, expected: str | None) -> None:
    assert extract_label(reply, EMOTIONS) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("他听起来很生气", BILINGUAL[0]),
        ("She is happy", BILINGUAL[1]),
        ("不开心，很悲伤", BILINGUAL[2]),
        ("生气/angry", BILINGUAL[0]),
        ("悲伤 (sad)", BILINGUAL[2]),
        ("开心或生气", None),
    ],
    ids=by_reply,
)
def test_either_half_of_a_bilingual_label_will_do(reply: str, expected: Any) -> None:
    assert extract_label(reply, BILINGUAL) == expected
