"""MMAU's word match."""

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Generation, Sample
from auricle.metrics.word_match import word_match

OPTIONS = ["An adult man", "A woman", "A child"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A woman", 1.0),
        ("It is a woman who speaks.", 1.0),
        ("A man", 0.0),
        ("a woman and a man", 0.0),
        ("B", 0.0),
        ("", 0.0),
    ],
)
def test_an_answer_needs_the_words_of_the_right_option_only(answer: str, expected: float) -> None:
    sample = Sample(id="1", inputs={"choices": OPTIONS}, target="A woman")
    assert word_match.score(sample, Generation(text=answer)) == expected


def test_a_target_that_is_not_an_option_fails_the_sample() -> None:
    with pytest.raises(SampleError, match="'A robot' is not one of the options"):
        word_match.score(Sample(id="1", inputs={"choices": OPTIONS}, target="A robot"), Generation(text="A robot"))
