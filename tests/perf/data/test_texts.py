import numpy as np

from auricle.perf.data.texts import VOCABULARY, make_block, make_text


def test_text_has_a_word_per_token() -> None:
    words = make_text(300, np.random.default_rng(1)).split()
    assert len(words) == 300
    assert {*words} <= {*VOCABULARY}


def test_words_are_distinct_and_plain() -> None:
    assert len({*VOCABULARY}) == len(VOCABULARY) > 500
    assert all(word.isascii() and word.isalpha() and word.islower() for word in VOCABULARY)


def test_block_depends_only_on_its_key() -> None:
    make_block.cache_clear()
    first = make_block((0, 5), 64)
    make_block.cache_clear()
    assert make_block((0, 5), 64) == first
    assert make_block((0, 6), 64) != first
