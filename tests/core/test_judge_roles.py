"""The roles of models that metrics need."""

import copy
import pickle

import pytest

from auricle.core.judge_roles import JudgeRole


def test_every_role_has_a_noun_an_option_and_an_ability() -> None:
    assert {role.name: (role.noun, role.option, role.field, role.ability) for role in JudgeRole.all()} == {
        "judge": ("judge", "--judge", "judge", "generate"),
        "unread": ("judge", "--judge-unread", "judge_unread", "generate"),
        "recogniser": ("recogniser", "--recogniser", "recogniser", "generate"),
        "speaker": ("speaker model", "--speaker-model", "speaker_model", "predict"),
        "quality": ("quality model", "--quality-model", "quality_model", "predict"),
    }


def test_judges_are_the_roles_that_write_verdicts_about_texts_and_come_first() -> None:
    assert JudgeRole.all()[:2] == [JudgeRole.JUDGE, JudgeRole.UNREAD]
    assert [role for role in JudgeRole.all() if role.is_judge] == [JudgeRole.JUDGE, JudgeRole.UNREAD]


@pytest.mark.parametrize("role", JudgeRole.all(), ids=str)
def test_a_role_is_one_object_also_as_a_copy_and_in_other_processes(role: JudgeRole) -> None:
    assert pickle.loads(pickle.dumps(role)) is copy.deepcopy(role) is JudgeRole.of(role.name) is role


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(ValueError, match="'umpire' is not a valid JudgeRole"):
        JudgeRole.of("umpire")
