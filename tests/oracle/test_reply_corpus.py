"""The corpus of labelled replies is well formed, and hardly any of its replies is read wrongly."""

import re
from collections import Counter
from string import ascii_uppercase

from tests.support import reply_corpus
from tests.support.reply_corpus import KINDS, LANGUAGES, READERS, Outcome, Row

LARGEST_WRONG = 1
LARGEST_UNREAD = {"straightforward": 175, "hostile": 315}
LEAST_REFUSALS = 165
TAKEN_BACK = {"ninth-pt-mcq-012"}
"""Replies that announce an answer in a whole sentence, and take it back in the next."""
ROWS = reply_corpus.load()


def has_valid_answer(row: Row) -> bool:
    """Return whether the label of an answerable row is one of its options or on its scale."""
    answer = row.expected["answer"]
    if row.reader == "mcq":
        return answer in ascii_uppercase[: len(row.options)]
    if row.reader == "rating":
        return bool(row.options[0] <= answer <= row.options[1])
    return answer in row.options


def test_every_row_has_a_valid_label() -> None:
    for row in ROWS:
        assert re.fullmatch(rf"[a-z]+-{row.language}-{row.reader}-\d{{3}}", row.id)
        assert row.language in LANGUAGES
        assert row.reader in READERS
        assert row.kind in KINDS
        assert len(set(row.options)) == len(row.options) >= 2
        assert row.question.strip()
        if row.is_answerable:
            assert row.kind in {"straightforward", "hostile"}
            assert has_valid_answer(row), row.id
        else:
            assert row.expected == {row.kind: True}


def test_no_row_occurs_twice() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)


def test_hardly_any_reply_is_read_wrongly() -> None:
    wrong = [row.id for row in ROWS if reply_corpus.judge(row) is Outcome.WRONG]
    assert len(wrong) <= LARGEST_WRONG, wrong


def test_no_beginning_of_a_reply_is_read_wrongly() -> None:
    wrong = {
        row.id
        for row in ROWS
        for length in range(1, len(row.reply))
        if reply_corpus.read_cut_off(row, length) not in (None, row.expected.get("answer"))
    }
    assert wrong <= TAKEN_BACK


def test_most_answers_are_read_and_most_refusals_detected() -> None:
    unread = Counter(row.kind for row in ROWS if reply_corpus.judge(row) is Outcome.UNREAD)
    assert all(unread[kind] <= largest for kind, largest in LARGEST_UNREAD.items()), unread
    refused = [row for row in ROWS if row.kind == "refused" and reply_corpus.read(row)[1].refused]
    assert len(refused) >= LEAST_REFUSALS
