"""A model's own chat format."""

from pathlib import Path
from typing import Any

import pytest

from auricle import SpecError
from auricle.core.types import Turn
from auricle.prompts.meta_template import MetaTemplate

OWN = {"begin": "<s>", "roles": {"user": {"begin": "[U]", "end": "[/U]"}, "assistant": {"begin": "[A]", "end": "[/A]"}}}
ASK = [Turn("user", ("hi",))]


def words(turn: Any) -> Any:
    return "".join(turn.parts)


def test_text_ends_where_the_model_goes_on() -> None:
    assert MetaTemplate.of(OWN).render(ASK, words) == "<s>[U]hi[/U][A]"


def test_an_answer_that_was_begun_is_not_ended() -> None:
    turns = [*ASK, Turn("assistant", ("Well",))]
    assert MetaTemplate.of(OWN).render(turns, words) == "<s>[U]hi[/U][A]Well"


def test_answers_before_the_last_are_whole() -> None:
    turns = [*ASK, Turn("assistant", ("ho",)), *ASK]
    assert MetaTemplate.of(OWN).render(turns, words) == "<s>[U]hi[/U][A]ho[/A][U]hi[/U][A]"


def test_a_format_without_system_messages_has_the_user_say_them() -> None:
    turns = [Turn("system", ("be brief",)), *ASK]
    assert MetaTemplate.of(OWN).render(turns, words) == "<s>[U]be brief[/U][U]hi[/U][A]"


def test_rounds_of_other_frameworks_are_read() -> None:
    theirs = {
        "round": [
            {"role": "HUMAN", "begin": "### Human: ", "end": "\n", "api_role": "HUMAN"},
            {"role": "BOT", "begin": "### Assistant: ", "end": "\n", "generate": True},
        ],
        "reserved_roles": [{"role": "SYSTEM", "begin": "### ", "end": "\n"}],
        "eos_token_id": 2,
    }
    found = MetaTemplate.of(theirs)
    turns = [Turn("system", ("Brief.",)), *ASK]
    assert found.render(turns, words) == "### Brief.\n### Human: hi\n### Assistant: "
    assert found.api_role("user") == "user"


def test_a_server_may_call_a_role_otherwise() -> None:
    found = MetaTemplate.of({"roles": {"system": {"api_role": "developer"}, "user": {}}})
    assert (found.api_role("system"), found.api_role("user")) == ("developer", "user")


def test_a_file_is_read_and_its_line_told(tmp_path: Path) -> None:
    path = tmp_path / "format.yaml"
    path.write_text("begin: <s>\nroles:\n  user: {begin: U}\n  assistant: {begni: A}\n")
    with pytest.raises(SpecError, match=r"format\.yaml:4: The meta_template has no begni"):
        MetaTemplate.of(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "knows no role"),
        ({"roles": {"robot": {}}}, "roles are system, user, assistant"),
        ({"roles": {"user": "U"}}, "should say `begin` and `end` of user"),
        ({"begin": [1, 2], "roles": {"user": {}}}, "should have text under begin"),
        ({"rounds": []}, "has no rounds"),
        (3, "should be a file"),
    ],
)
def test_a_format_that_cannot_be_is_refused(given: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        MetaTemplate.of(given)
