"""The normaliser of the Open ASR Leaderboard; tests/oracle compares its error rates with the leaderboard."""

import pytest

from auricle.text.open_asr_normaliser import normalise_open_asr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Uhm, all right", "alright"),
        ("John's car", "john s car"),
        ("it's here", "it is here"),
        ("the U S A", "the usa"),
        ("a b", "a b"),
        ("Katherine and Jon", "catherine and john"),
        ("an e mail about archaeology", "an email about archeology"),
    ],
)
def test_fillers_possessives_letters_and_names(text: str, expected: str) -> None:
    assert normalise_open_asr(text) == expected
