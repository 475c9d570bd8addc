"""Folder names and resume commands of runs."""

import sys

import pytest

from auricle import Spec
from auricle.cli.evaluation import resume_command
from auricle.engine.factory import Evaluation


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "demo", "-m", "echo", "--fresh"], "auricle run demo -m echo"),
        (["run", "a b.jsonl"], "auricle run 'a b.jsonl'"),
    ],
)
def test_resume_command_repeats_the_command_line(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["auricle", *arguments])
    assert resume_command() == expected


@pytest.mark.parametrize("arguments", [["-M", "api_key=sk-123"], ["-Mapi_key=sk-123"], ["-J", "api_key=sk-123"]])
def test_resume_command_hides_secrets(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["auricle", "run", "demo", *arguments])
    assert "sk-123" not in resume_command()
    assert "api_key=" in resume_command()


def test_folder_name_has_no_characters_that_paths_cannot_have() -> None:
    assert Evaluation.prepare(Spec(task="demo", model="json:loads")).folder_name == "demo-json-loads"
