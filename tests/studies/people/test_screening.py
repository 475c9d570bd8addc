"""Attention checks and post-screening on answers that are made up."""

from collections.abc import Callable
from pathlib import Path

import pytest

from auricle.studies.people.description import ListeningTest, Trial
from auricle.studies.people.ratings import Rating
from auricle.studies.people.screening import find_mid_anchor, passes_trap, screen
from tests.support.listening_tests import make_test

Rate = Callable[[str, str, str], float]
"""Returns the rating of a listener, an item and a system."""


def answer(test: ListeningTest, rate: Rate) -> list[Rating]:
    return [
        Rating(
            listener=listener.id,
            trial=trial.id,
            answers={
                label: rate(listener.id, trial.item, test.system_of(file))
                for label, file in zip("ABCDEFGH", trial.sounds, strict=False)
            },
        )
        for listener in test.listeners
        for trial in listener.trials
    ]


def test_a_listener_who_rates_a_trap_high_is_excluded(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos", traps=2)
    screening = screen(
        test, answer(test, lambda listener, _, system: 5.0 if listener == "L02" or system != "trap" else 1.0)
    )
    assert screening.excluded == {"L02": "failed 2 of 2 traps"}
    assert sum(not check.passed for check in screening.checks) == 2


def test_a_listener_who_contradicts_every_repeat_is_excluded(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos", traps=0, repeat_checks=2)
    ratings = answer(test, lambda *_: 3.0)
    repeats = {(listener.id, trial.id) for listener in test.listeners for trial in listener.trials if trial.check}
    flipped = [
        Rating(listener=rating.listener, trial=rating.trial, answers={"A": 5.0})
        if rating.listener == "L01" and (rating.listener, rating.trial) in repeats
        else rating
        for rating in ratings
    ]
    assert screen(test, flipped).excluded == {"L01": "failed 2 of 2 repeats"}


def test_no_one_is_excluded_for_a_single_repeat(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos", traps=0, repeat_checks=1)
    ratings = [
        Rating(listener=listener.id, trial=trial.id, answers={"A": 5.0 if trial.check else 1.0})
        for listener in test.listeners
        for trial in listener.trials
    ]
    screening = screen(test, ratings)
    assert not any(check.passed for check in screening.checks)
    assert screening.excluded == {}


@pytest.mark.parametrize("kind", ["ab", "abx", "cmos"])
def test_no_one_is_excluded_for_another_choice_in_a_repeated_pair(tmp_path: Path, kind: str) -> None:
    assert make_test(tmp_path, kind).screening.max_failed_repeats == 1.0


@pytest.mark.parametrize(
    ("kind", "bad_first", "value", "passed"),
    [
        ("ab", True, {"choice": 1.0}, True),
        ("ab", True, {"choice": 0.0}, False),
        ("ab", False, {"choice": 0.5}, False),
        ("cmos", False, {"comparison": -1.0}, True),
        ("cmos", False, {"comparison": 0.0}, False),
        ("cmos", True, {"comparison": 2.0}, True),
    ],
)
def test_a_trap_in_a_pair_is_passed_by_preferring_the_other_sound(
    tmp_path: Path, kind: str, bad_first: bool, value: dict[str, float], passed: bool
) -> None:
    test = make_test(tmp_path, kind)
    files = {sound.system: sound.file for sound in test.sounds if sound.item == "text 0"}
    sounds = (files["trap"], files["oslo"]) if bad_first else (files["oslo"], files["trap"])
    assert passes_trap(test, Trial(id="t", item="text 0", sounds=sounds, check="trap"), value) is passed


def test_an_abx_trap_is_passed_by_recognising_x(tmp_path: Path) -> None:
    test = make_test(tmp_path, "abx")
    sounds = tuple(sound.file for sound in test.sounds if sound.system in ("trap", "oslo"))[:2]
    trial = Trial(id="t", item="text 0", sounds=sounds, x=sounds[1], check="trap")
    assert passes_trap(test, trial, {"choice": 1.0})
    assert not passes_trap(test, trial, {"choice": 0.0})


def rate_mushra(reference: Callable[[str, str], float], anchor: Callable[[str, str], float]) -> Rate:
    def rate(listener: str, item: str, system: str) -> float:
        if system == "oslo":
            return reference(listener, item)
        return anchor(listener, item) if system == "anchor-7000" else 50.0

    return rate


def is_one_of(item: str, count: int) -> bool:
    return int(item.split()[1]) < count


def test_bs_1534_excludes_who_rates_the_hidden_reference_low_in_more_than_15_per_cent(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mushra", items=20, repeat_checks=0, listeners=4)
    limits = {"L01": 3, "L02": 4}
    ratings = answer(
        test, rate_mushra(lambda who, item: 89.0 if is_one_of(item, limits.get(who, 0)) else 90.0, lambda *_: 40.0)
    )
    assert screen(test, ratings).excluded == {"L02": "rated the hidden reference below 90 in 4 of 20 items"}


def test_bs_1534_excludes_who_rates_the_mid_anchor_high_unless_many_do(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mushra", items=20, repeat_checks=0, listeners=4)
    alone = answer(test, rate_mushra(lambda *_: 100.0, lambda who, item: 91.0 if who == "L03" else 40.0))
    assert screen(test, alone).excluded == {"L03": "rated the mid anchor above 90 in 20 of 20 items"}
    many = answer(test, rate_mushra(lambda *_: 100.0, lambda who, item: 91.0 if who in ("L03", "L04") else 40.0))
    assert screen(test, many).excluded == {}


def test_the_mid_anchor_is_the_one_at_7_khz_or_the_highest(tmp_path: Path) -> None:
    assert find_mid_anchor(make_test(tmp_path / "a", "mushra", items=1)) == "anchor-7000"
    assert find_mid_anchor(make_test(tmp_path / "b", "mushra", items=1, anchors=(2000.0, 4000.0))) == "anchor-4000"
    assert find_mid_anchor(make_test(tmp_path / "c", "mos", items=3)) == ""
