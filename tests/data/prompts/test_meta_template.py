"""Chat formats."""

from pathlib import Path
from typing import Any

import pytest

from auricle import SpecError
from auricle.core.types import Turn
from auricle.data.prompts.meta_template import MetaTemplate

OWN = {"begin": "<s>", "roles": {"user": {"begin": "[U]", "end": "[/U]"}, "assistant": {"begin": "[A]", "end": "[/A]"}}}
ASK = [Turn("user", ("hi",))]


def words(turn: Any) -> Any:
    return "".join(turn.parts)


def test_rendered_text_ends_where_the_model_continues() -> None:
    assert MetaTemplate.of(OWN).render(ASK, words) == "<s>[U]hi[/U][A]"


def test_prefilled_answer_is_left_open() -> None:
    turns = [*ASK, Turn("assistant", ("Well",))]
    assert MetaTemplate.of(OWN).render(turns, words) == "<s>[U]hi[/U][A]Well"


def test_earlier_answers_are_closed() -> None:
    turns = [*ASK, Turn("assistant", ("ho",)), *ASK]
    assert MetaTemplate.of(OWN).render(turns, words) == "<s>[U]hi[/U][A]ho[/A][U]hi[/U][A]"


def test_system_message_uses_the_user_format_if_none_is_defined() -> None:
    turns = [Turn("system", ("be brief",)), *ASK]
    assert MetaTemplate.of(OWN).render(turns, words) == "<s>[U]be brief[/U][U]hi[/U][A]"


def test_format_of_other_frameworks_is_read() -> None:
    theirs = {
        "round": [
            {"role": "HUMAN", "begin": "### Human: ", "end": "\n", "api_role": "HUMAN"},
            {"role": "BOT", "begin": "### Assistant: ", "end": "\n", "generate": True},
        ],
        "reserved_roles": [{"role": "SYSTEM", "begin": "### ", "end": "\n"}],
        "eos_token_id": 2,
    }
    result = MetaTemplate.of(theirs)
    turns = [Turn("system", ("Brief.",)), *ASK]
    assert result.render(turns, words) == "### Brief.\n### Human: hi\n### Assistant: "
    assert result.api_role("user") == "user"


def test_api_role_renames_a_role() -> None:
    result = MetaTemplate.of({"roles": {"system": {"api_role": "developer"}, "user": {}}})
    assert (result.api_role("system"), result.api_role("user")) == ("developer", "user")


def test_error_in_a_file_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "format.yaml"
    path.write_text("begin: <s>\nroles:\n  user: {begin: U}\n  assistant: {begni: A}\n")
    with pytest.raises(SpecError, match=r"format\.yaml:4: The meta_template has the unknown key begni"):
        MetaTemplate.of(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "has no roles"),
        ({"roles": {"robot": {}}}, "expected system, user, assistant"),
        ({"roles": {"user": "U"}}, "must have `begin` and `end` for the role user"),
        ({"begin": [1, 2], "roles": {"user": {}}}, "must have text under begin"),
        ({"rounds": []}, "has the unknown key rounds"),
        (3, "must be a file"),
    ],
)
def test_invalid_format_is_refused(given: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        MetaTemplate.of(given)
