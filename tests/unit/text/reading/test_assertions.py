"""What a reply asserts."""

import pytest

from auricle.text.reading.assertions import drop_non_assertions, is_refusal
from auricle.text.reading.rules import rules_for_languages

ENGLISH = rules_for_languages(("en",))


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("It is A.", "It is A."),
        ("Is it A? It is B.", "\n It is B."),
        ("If it howled, it would be C. It is B.", "\n It is B."),
        ("It is B because if it were A, it would howl.", "It is B \n"),
        ("If I had to choose, it is B.", " , it is B."),
        ("Although A comes close, it is B.", " , it is B."),
        ("I'd be happy to help. It is B.", "  help. It is B."),
        ("It is louder than A.", "It is  ."),
        ("A. violin or B. guitar?", "\n"),
    ],
)
def test_questions_conditions_concessions_comparisons_and_courtesies_are_dropped(reply: str, rest: str) -> None:
    assert drop_non_assertions(reply, ENGLISH) == rest


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        ("I cannot hear the audio.", True),
        ("There is no audio attached.", True),
        ("I cannot hear a dog.", False),
        ("There is no dog in the recording.", False),
        ("There are no audio artifacts.", False),
        ("I can't help but notice the guitar.", False),
    ],
)
def test_a_refusal_concerns_the_audio_and_not_its_content(reply: str, refused: bool) -> None:
    assert is_refusal(reply, ENGLISH) is refused
