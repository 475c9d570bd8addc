"""The description of a listening test: validated, versioned and readable."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError
from auricle.studies.people.description import RatingScale, read_test
from tests.support.listening_tests import make_test


def edit(folder: Path, change: Callable[[Any], None]) -> None:
    path = folder / "test.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


CHANGES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda test: test.update(kind="stars"), "kind: 'stars' is not one of mos, cmos"),
    (lambda test: test.update(format=2), "has format 2, which a newer version"),
    (lambda test: test["scale"].update(high=0), "scale: 1 to 0 in steps of 1 has no answers"),
    (lambda test: test["systems"][1].update(name="oslo"), "systems: 'oslo' occurs twice"),
    (lambda test: test["sounds"][0].update(system="lima"), "is of the unknown system 'lima'"),
    (lambda test: test["sounds"][0].update(item="nothing"), "is of the unknown item 'nothing'"),
    (lambda test: test["sounds"][0].update(file="../x.wav"), "is not the name of a file in sounds/"),
    (lambda test: test["listeners"][0]["trials"][0].update(sounds=["none.wav"]), "there is no sound 'none.wav'"),
    (lambda test: test["listeners"][0]["trials"][1].update(id="t001"), "the trial t001 occurs twice"),
    (lambda test: test["listeners"][0]["trials"][0].update(repeats="t009"), "repeats 't009', which does not precede"),
    (lambda test: test.pop("question"), "question: the field is missing"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_description_that_contradicts_itself_is_refused(
    tmp_path: Path, change: Callable[[Any], None], message: str
) -> None:
    make_test(tmp_path, "mos", items=3, listeners=3)
    edit(tmp_path / "mos", change)
    with pytest.raises(DataError, match=message):
        read_test(tmp_path / "mos")


def test_a_folder_without_a_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Not a listening test"):
        read_test(tmp_path)


def test_a_pair_needs_two_sounds(tmp_path: Path) -> None:
    make_test(tmp_path, "ab", items=3, listeners=3)
    edit(tmp_path / "ab", lambda test: test["listeners"][0]["trials"][0]["sounds"].pop())
    with pytest.raises(DataError, match="a pair has two sounds, not 1"):
        read_test(tmp_path / "ab")


def test_a_scale_accepts_its_steps_only() -> None:
    scale = RatingScale(low=1, high=5, step=0.5)
    assert all(map(scale.accepts, (1.0, 1.5, 5.0)))
    assert not any(map(scale.accepts, (0.5, 1.25, 5.5)))
