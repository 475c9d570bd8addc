"""Answers of listeners: on disk line by line, checked, and readable after a crash."""

import math
import os
from pathlib import Path
from typing import Any

import pytest

from auricle.studies.people.description import ListeningTest
from auricle.studies.people.ratings import (
    InvalidAnswer,
    Links,
    Rating,
    RatingJournal,
    check_answer,
    list_answered,
    read_ratings,
)
from tests.support.listening_tests import make_test


@pytest.fixture
def mos(tmp_path: Path) -> ListeningTest:
    return make_test(tmp_path, "mos", items=3, listeners=3)


def test_answers_are_read_as_they_were_written_and_the_last_one_counts(tmp_path: Path) -> None:
    journal = RatingJournal(tmp_path)
    for value in (4.0, 2.0):
        journal.append(Rating(listener="L01", trial="t001", answers={"A": value}, seconds=1.5))
    (rating,), damaged = read_ratings(tmp_path)
    assert (rating.answers, rating.seconds, damaged) == ({"A": 2.0}, 1.5, 0)
    assert rating.time


def test_a_partial_line_of_a_crash_is_removed_and_a_damaged_one_counted(tmp_path: Path) -> None:
    RatingJournal(tmp_path).append(Rating(listener="L01", trial="t001", answers={"A": 4.0}))
    path = tmp_path / "ratings.jsonl"
    line = path.read_bytes()
    path.write_bytes(line + line.replace(b'"A":4.0', b'"A":5.0') + line[:20])
    RatingJournal(tmp_path).append(Rating(listener="L01", trial="t002", answers={"A": 3.0}))
    ratings, damaged = read_ratings(tmp_path)
    assert [rating.answers["A"] for rating in ratings] == [4.0, 3.0]
    assert damaged == 1


def test_a_line_that_a_full_disk_cut_off_does_not_damage_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(file: int) -> None:
        os.truncate(file, 20)
        raise OSError("disk full")

    journal, rating = RatingJournal(tmp_path), Rating(listener="L01", trial="t001", answers={"A": 4.0})
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", cut_off)
        with pytest.raises(OSError, match="disk full"):
            journal.append(rating)
    journal.append(rating)
    ratings, damaged = read_ratings(tmp_path)
    assert (len(ratings), damaged) == (1, 0)


def test_without_answers_there_are_none(tmp_path: Path) -> None:
    assert read_ratings(tmp_path) == ([], 0)


@pytest.mark.parametrize(
    "answers", [{}, {"A": 6}, {"A": 2.5}, {"A": "4"}, {"A": True}, {"A": math.nan}, {"A": 4, "B": 4}, {"choice": 1}]
)
def test_answers_that_are_not_on_the_scale_are_refused(mos: ListeningTest, answers: Any) -> None:
    with pytest.raises(InvalidAnswer):
        check_answer(mos, mos.listeners[0].trials[0], answers)


def test_an_answer_on_the_scale_is_a_number(mos: ListeningTest) -> None:
    assert check_answer(mos, mos.listeners[0].trials[0], {"A": 4}) == {"A": 4.0}


def test_answers_to_unknown_trials_are_left_out(mos: ListeningTest) -> None:
    ratings = [Rating(listener=name, trial="t001", answers={"A": 1.0}) for name in ("L01", "L99")]
    assert [rating.listener for rating, _ in list_answered(mos, ratings)] == ["L01"]


def test_links_are_kept_readable_by_their_owner_only_and_differ(mos: ListeningTest, tmp_path: Path) -> None:
    links = Links.open(tmp_path, mos)
    assert Links.open(tmp_path, mos) == links
    assert len({*links.tokens.values(), links.enrolment}) == 4
    assert (tmp_path / "links.json").stat().st_mode & 0o077 == 0
    assert links.find_listener(links.tokens["L02"]) == "L02"
    assert links.find_listener("guess") == ""
