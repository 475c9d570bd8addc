"""The roles of models that metrics need."""

from auricle.core.judge_roles import JudgeRole


def test_every_role_has_a_noun_an_option_and_an_ability() -> None:
    assert {role.value: (role.noun, role.option, role.ability) for role in JudgeRole} == {
        "judge": ("judge", "--judge", "generate"),
        "unread": ("judge", "--judge-unread", "generate"),
        "recogniser": ("recogniser", "--recogniser", "generate"),
        "speaker": ("speaker model", "--speaker-model", "predict"),
        "quality": ("quality model", "--quality-model", "predict"),
    }


def test_judges_are_the_roles_that_write_verdicts_about_texts() -> None:
    assert [role for role in JudgeRole if role.is_judge] == [JudgeRole.JUDGE, JudgeRole.UNREAD]
