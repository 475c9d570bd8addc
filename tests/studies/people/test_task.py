"""The run of a listening test: one record for each rating."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Prediction
from auricle.engine.catalogue import TASKS
from auricle.studies.people.ratings import Rating
from auricle.studies.people.screening import CheckOutcome, Screening
from auricle.studies.people.task import build_records, listening_test, task_arguments
from tests.support.listening_tests import make_test


def test_a_mushra_page_becomes_a_record_for_each_sound(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mushra", items=2, repeat_checks=0)
    trial = test.listeners[0].trials[0]
    answers = {label: 10.0 * place for place, label in enumerate("ABCDE")}
    rating = Rating(listener="L01", trial=trial.id, answers=answers, seconds=9.0)
    records = build_records(test, [rating], Screening(excluded={"L01": "failed"}), str(tmp_path))
    assert [record.sample.id for record in records] == [f"L01/t001/{label}" for label in "ABCDE"]
    assert [record.sample.meta["system"] for record in records] == [test.system_of(file) for file in trial.sounds]
    assert records[2].outputs == (Prediction(values={"rating": 20.0}, scale="continuous"),)
    assert records[0].sample.meta["excluded"] == "failed"
    assert records[0].seconds == 9.0


def test_a_pair_becomes_one_record_in_the_order_in_which_it_was_played(tmp_path: Path) -> None:
    test = make_test(tmp_path, "abx", traps=0, repeat_checks=1)
    trial = next(trial for trial in test.listeners[0].trials if trial.check)
    rating = Rating(listener="L01", trial=trial.id, answers={"choice": 1.0})
    screening = Screening(checks=(CheckOutcome("L01", trial.id, "repeat", False),))
    (record,) = build_records(test, [rating], screening, str(tmp_path))
    meta: Any = record.sample.meta
    assert (meta["system"], meta["other"]) == tuple(map(test.system_of, trial.sounds))
    assert meta["x"] == ("first" if trial.x == trial.sounds[0] else "second")
    assert (meta["check"], meta["passed"]) == ("repeat", False)


def test_the_task_is_made_from_the_arguments_of_a_spec(tmp_path: Path) -> None:
    test = make_test(tmp_path, "ab", items=3)
    task = listening_test(**task_arguments(test, "abc"))
    assert (task.name, task.revision, task.cluster) == ("Listening test", "abc", "listener")
    assert task.metrics[-1].name == "alpha"


def test_the_task_has_no_samples_for_models() -> None:
    with pytest.raises(SpecError, match="answered by people"):
        list(listening_test("mos", ["a"], [1, 5]).samples)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(SpecError, match="Unknown kind of listening test 'stars'"):
        listening_test("stars", ["a"], [1, 5])


def test_runs_that_name_the_task_by_its_former_place_have_it() -> None:
    assert TASKS.get("auricle.tasks.listening_tests.task:listening_test") is listening_test
