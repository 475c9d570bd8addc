"""Words and phrases."""

import time

from auricle.text import read_number, read_option
from auricle.text.reading.words import Phrasebook, split_words

BOOK = Phrasebook([("is", 1), ("is not", 2), ("不是", 3), ("isn't it", 4)])


def test_words_numbers_characters_and_marks_are_words() -> None:
    assert [word.text for word in split_words("It isn't “3.5” 不是!")] == [
        *("it", "is", "not", '"', "3.5", '"', "不", "是", "!")
    ]


def test_the_longest_phrase_counts_and_phrases_do_not_overlap() -> None:
    hits = list(BOOK.find(split_words("It is not; isn't it? 不是")))
    assert [each.payload for each in hits] == [2, 4, 3]


def test_a_phrase_has_to_end_before_the_end() -> None:
    words = split_words("It is not")
    assert [each.payload for each in BOOK.find(words, end=2)] == []
    assert BOOK.match(words, len(words)) is None


def test_hostile_repetition_is_read_in_linear_time() -> None:
    start = time.process_time()
    for unit in ('{"a": ', "the answer is ", "<think>", "(A) ", "not if ", '"', "A. ", "\\boxed{", "3 to "):
        read_option(unit * 20_000, ["dog", "cat"])
        read_number(unit * 20_000)
    assert time.process_time() - start < 20
