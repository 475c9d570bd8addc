"""The conditions of `auricle audiogram`."""

import pytest

from auricle.engine.conditions import Condition
from auricle.studies.audiogram.commands import QUICK_CONDITIONS, STANDARD_CONDITIONS


@pytest.mark.parametrize(("texts", "families", "levels"), [(STANDARD_CONDITIONS, 7, 5), (QUICK_CONDITIONS, 3, 3)])
def test_every_family_has_its_levels_from_the_easiest(texts: tuple[str, ...], families: int, levels: int) -> None:
    expanded = [Condition.expand(text) for text in texts]
    assert [len(conditions) for conditions in expanded] == [levels] * families
    assert len({conditions[0].family for conditions in expanded}) == families
    for conditions in expanded:
        assert len({condition.family for condition in conditions}) == 1
        values = [float(condition.level or 0) for condition in conditions]
        assert values == sorted(values, reverse=not conditions[0].is_harder_if_higher)


def test_standard_conditions_need_no_other_recordings() -> None:
    conditions = [condition for text in STANDARD_CONDITIONS for condition in Condition.expand(text)]
    assert not any(step.needed_sounds for condition in conditions for step in condition.perturbations)
