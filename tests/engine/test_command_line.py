"""Tests of the command line that repeats a run."""

import shlex
from itertools import pairwise
from typing import Any

import pytest

from auricle.cli.options import resolve_judges
from auricle.core.judge_roles import JudgeRole
from auricle.engine.command_line import format_repeat_command, format_run_command
from auricle.engine.spec import JudgeSpec, Spec, parse_arguments
from auricle.runs.run_spec import RunSpec
from auricle.tasks.speech.roles import RECOGNISER, SPEAKER


def collect_options(command: str, option: str) -> list[str]:
    words = shlex.split(command)
    return [value for name, value in pairwise(words) if name == option]


@pytest.mark.parametrize(
    "value", ["a b", "it's", "", "3", "null", "[1]", 3, 0.5, True, None, ["a", "b c"], {"temperature": 0.2}, "x=y"]
)
def test_arguments_are_read_back_as_they_were(value: Any) -> None:
    spec = Spec(task="qa", model="echo", task_args={"data": "my rows.jsonl", "x": value}, model_args={"y": value})
    command = format_run_command(spec, "runs/a b")
    assert shlex.split(command)[:5] == ["auricle", "run", "qa", "-m", "echo"]
    assert parse_arguments(collect_options(command, "-T")) == {"data": "my rows.jsonl", "x": value}
    assert parse_arguments(collect_options(command, "-M")) == {"y": value}
    assert collect_options(command, "-o") == ["runs/a b"]


def test_options_with_their_defaults_are_left_out() -> None:
    assert format_run_command(Spec(task="demo", model="echo"), "r") == "auricle run demo -m echo -o r"


def test_what_decides_the_numbers_is_in_the_command() -> None:
    spec = Spec(task="demo", model="echo", label="mine", seed=3, limit=9, profile=("basic", "none"))
    command = format_run_command(spec, "r")
    for part in ("--label mine", "--seed 3", "--limit 9", "--profile basic --profile none"):
        assert part in command


def test_judges_are_read_back_with_their_own_arguments() -> None:
    unread = JudgeSpec(model="reader", args={"model": "r"}, role=JudgeRole.UNREAD)
    judges = (unread, JudgeSpec(model="openai", args={"model": "a"}), JudgeSpec(model="gemini"))
    command = format_run_command(Spec(task="demo", model="echo", judge=judges), "r")
    names, arguments, (reader,) = (collect_options(command, option) for option in ("--judge", "-J", "--judge-unread"))
    entries = resolve_judges(None, {"judge": names, "judge_args": arguments, "judge_unread": reader})
    assert [JudgeSpec.parse(entry) for entry in entries] == [judges[1], judges[2], unread]


def test_models_of_other_roles_are_read_back_with_their_own_arguments() -> None:
    recogniser, speaker = RECOGNISER, SPEAKER
    judges = (
        JudgeSpec(model="openai", args={"model": "a"}),
        JudgeSpec(model="faster-whisper", args={"model": "tiny"}, role=recogniser),
        JudgeSpec(model="moonshine", role=recogniser),
        JudgeSpec(model="resemblyzer", args={"crop": 3}, role=speaker),
    )
    command = format_run_command(Spec(task="demo", model="echo", judge=judges), "r")
    assert "--judge openai -J model=a --recogniser faster-whisper -J recogniser.1.model=tiny" in command
    options = {option: collect_options(command, option) for option in ("--judge", "--recogniser", "--speaker-model")}
    named = {option.removeprefix("--").replace("-", "_"): names for option, names in options.items()}
    entries = resolve_judges(None, {**named, "judge_args": collect_options(command, "-J")})
    assert tuple(JudgeSpec.parse(entry) for entry in entries) == judges


def test_arguments_of_one_judge_have_no_number() -> None:
    judge = JudgeSpec(model="openai", args={"model": "a"})
    assert "--judge openai -J model=a" in format_run_command(Spec(task="demo", model="echo", judge=judge), "r")


def test_run_that_no_command_made_has_none() -> None:
    spec = {"task": "demo", "model": "echo"}
    assert format_repeat_command(RunSpec(spec=spec, identity={}), "r") == "auricle run demo -m echo -o r"
    assert not format_repeat_command(RunSpec(spec=spec, identity={}, imported={"from": "kimi", "files": []}), "r")
    assert not format_repeat_command(RunSpec(spec={**spec, "other": 1}, identity={}), "r")
