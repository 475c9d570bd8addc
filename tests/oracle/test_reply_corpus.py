"""The corpus of labelled replies is well formed, and its replies are read as well as recorded."""

import re
import unicodedata
from string import ascii_uppercase

import pytest

from tests.support import reading_cases, reply_corpus
from tests.support.reading_cases import REFUSED
from tests.support.reply_corpus import KINDS, LANGUAGES, READERS, SETS, Row

LARGEST_WRONG = {"development": 0, "held-out": 2}
LARGEST_UNREAD = {"development": 182, "held-out": 16}
LEAST_REFUSALS = {"development": 708, "held-out": 33}
ROWS = {name: reply_corpus.load(name) for name in SETS}


def has_valid_answer(row: Row) -> bool:
    """Return whether the label of an answerable row is one of its options or on its scale."""
    answer = row.expected["answer"]
    if row.reader == "mcq":
        return answer in ascii_uppercase[: len(row.options)]
    if row.reader == "rating":
        return bool(row.options[0] <= answer <= row.options[1])
    return answer in row.options


@pytest.mark.parametrize("name", SETS)
def test_every_row_has_a_valid_label(name: str) -> None:
    for row in ROWS[name]:
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
    rows = [row for name in SETS for row in ROWS[name]]
    assert len({row.id for row in rows}) == len(rows)


def test_no_held_out_reply_is_in_the_development_set() -> None:
    development, held_out = ({simplify(row.reply) for row in ROWS[name]} for name in ("development", "held-out"))
    assert not development & held_out


def simplify(reply: str) -> str:
    """Return the letters and digits of a reply, without case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", reply).casefold()))


@pytest.mark.parametrize("name", SETS)
def test_replies_are_read_as_well_as_recorded(name: str) -> None:
    figures = reply_corpus.measure(ROWS[name])
    assert figures.wrong <= LARGEST_WRONG[name]
    assert figures.unread <= LARGEST_UNREAD[name]
    assert figures.refused_right >= LEAST_REFUSALS[name]


EMOTIONS = ("angry", "happy", "neutral", "sad")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The options are: A. angry B. happy …", None),
        ("Is it A? I can't tell.", None),
        ("选A还是选B？", None),
        ("hardly happy", None),
        ("I'd be happy to help, but there's no audio.", REFUSED),
        ("There is no audio attached.", REFUSED),
    ],
)
def test_replies_that_were_once_misread_have_no_option(reply: str, expected: str | None) -> None:
    assert reading_cases.option(EMOTIONS, reply) == expected


def test_refusals_that_were_once_misread_are_neither_a_label_nor_no() -> None:
    assert reading_cases.label(EMOTIONS, "I'd be happy to help, but there's no audio.") == REFUSED
    assert reading_cases.label(EMOTIONS, "hardly happy") is None
    assert reading_cases.yes_no("There is no audio attached.") == REFUSED
    assert reading_cases.label(("yes", "no"), "There is no audio attached.") == REFUSED


@pytest.mark.parametrize("reply", ["4,5", "3 to 4", "½"])
def test_ratings_that_were_once_misread_are_unreadable(reply: str) -> None:
    assert reading_cases.number((1.0, 5.0), reply) is None
