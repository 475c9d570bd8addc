"""Words, characters and mixed tokens."""

import jiwer
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.text import split_characters, split_mixed, split_words


def test_mixed_tokens_keep_korean_words_and_split_unspaced_scripts() -> None:
    assert split_mixed("안녕 세계 東a ไท") == ["안녕", "세계", "東", "a", "ไ", "ท"]


def test_words_split_at_any_whitespace() -> None:
    assert split_words(" a \t b\nc ") == ["a", "b", "c"]


@settings(deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=6))
def test_characters_are_counted_as_by_jiwer(words: list[str]) -> None:
    reference = " ".join(words)
    counts = jiwer.process_characters(reference, "abc")
    assert counts.hits + counts.substitutions + counts.deletions == len(split_characters(reference))
