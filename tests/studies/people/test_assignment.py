"""What listeners hear: balance, attention checks, and ids that reveal nothing."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from auricle.studies.people.description import TRAP
from tests.support.listening_tests import SYSTEMS, make_test


@pytest.mark.parametrize("kind", ["mos", "cmos", "ab", "abx"])
def test_listeners_hear_systems_and_items_equally_often(tmp_path: Path, kind: Any) -> None:
    test = make_test(tmp_path, kind, items=6, listeners=6)
    per_item: Counter[tuple[str, str]] = Counter()
    for listener in test.listeners:
        trials = [trial for trial in listener.trials if not trial.check]
        assert sorted(trial.item for trial in trials) == sorted(test.items)
        heard = Counter(test.system_of(file) for trial in trials for file in trial.sounds)
        assert len(set(heard.values())) == 1
        per_item.update((trial.item, test.system_of(file)) for trial in trials for file in trial.sounds)
    assert len(per_item) == 6 * len(SYSTEMS)
    assert len(set(per_item.values())) == 1


def test_either_system_of_a_pair_is_played_first_in_half_of_the_trials(tmp_path: Path) -> None:
    test = make_test(tmp_path, "ab", items=6, listeners=6, repeat_checks=0, traps=0)
    firsts = Counter(
        (test.system_of(trial.sounds[0]), test.system_of(trial.sounds[1]))
        for listener in test.listeners
        for trial in listener.trials
    )
    assert len(firsts) == 6
    assert set(firsts.values()) == {6}


def test_x_is_the_first_sound_in_half_of_the_trials(tmp_path: Path) -> None:
    test = make_test(tmp_path, "abx", items=12, listeners=4, repeat_checks=0, traps=0)
    for listener in test.listeners:
        assert sum(trial.x == trial.sounds[0] for trial in listener.trials) == 6


def test_a_mushra_page_has_all_systems_in_an_order_of_its_own_and_the_open_reference(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mushra", items=4, repeat_checks=0)
    names = {system.name for system in test.systems}
    orders = set()
    for listener in test.listeners:
        for trial in listener.trials:
            assert {test.system_of(file) for file in trial.sounds} == names
            assert test.system_of(trial.reference) == "oslo"
            orders.add(tuple(test.system_of(file) for file in trial.sounds))
    assert len(orders) > 10


def test_repeated_trials_come_later_and_ids_do_not_reveal_checks(tmp_path: Path) -> None:
    test = make_test(tmp_path, "mos", items=12, repeat_checks=3, traps=2)
    for listener in test.listeners:
        assert [trial.id for trial in listener.trials] == [f"t{place:03d}" for place in range(1, 18)]
        places = {trial.id: place for place, trial in enumerate(listener.trials)}
        repeats = [trial for trial in listener.trials if trial.check == "repeat"]
        assert len(repeats) == 3
        for trial in repeats:
            original = listener.trials[places[trial.repeats]]
            assert original.sounds == trial.sounds
            assert places[trial.id] >= places[trial.repeats] + 2
        traps = [trial for trial in listener.trials if trial.check == "trap"]
        assert [test.system_of(trial.sounds[0]) for trial in traps] == [TRAP, TRAP]


def test_the_same_seed_gives_the_same_assignment_and_another_one_another(tmp_path: Path) -> None:
    first, again = (make_test(tmp_path / name, "mos", seed=4) for name in ("a", "b"))
    other = make_test(tmp_path / "c", "mos", seed=5)
    assert first.listeners == again.listeners
    assert first.listeners != other.listeners
