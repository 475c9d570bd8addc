"""Simulated listeners recover the qualities that they were made with."""

from pathlib import Path
from typing import Any

import pytest

from auricle.studies.people.ratings import read_ratings
from auricle.studies.people.screening import screen
from auricle.testing import SimulatedListeners
from tests.support.listening_tests import MUSHRA_QUALITIES, QUALITIES, make_test


@pytest.mark.parametrize("kind", ["mos", "cmos", "mushra", "abx", "ab"])
def test_listeners_answer_every_trial_on_the_scale_and_pass_the_checks(tmp_path: Path, kind: Any) -> None:
    test = make_test(tmp_path, kind, items=6)
    qualities = MUSHRA_QUALITIES if kind == "mushra" else QUALITIES
    count = SimulatedListeners(qualities=qualities, noise_sd=0.3).answer(tmp_path / kind)
    assert count == sum(len(listener.trials) for listener in test.listeners)
    ratings, _ = read_ratings(tmp_path / kind)
    assert all(test.scale.accepts(value) for rating in ratings for value in rating.answers.values())
    assert screen(test, ratings).excluded == {}


def test_inattentive_listeners_are_caught(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos", items=6, traps=4)
    SimulatedListeners(qualities=QUALITIES, inattentive=("L02",)).answer(tmp_path / "mos")
    assert set(screen(test, read_ratings(tmp_path / "mos")[0]).excluded) == {"L02"}


def test_some_listeners_may_not_answer_and_answers_repeat_with_the_seed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_test(tmp_path / name, "mos", items=3)
        SimulatedListeners(qualities=QUALITIES, seed=2).answer(tmp_path / name / "mos", listeners=2)
    first, second = (read_ratings(tmp_path / name / "mos")[0] for name in ("a", "b"))
    assert {rating.listener for rating in first} == {"L01", "L02"}
    assert [rating.answers for rating in first] == [rating.answers for rating in second]
