"""`auricle init`: questions, answers by options, refusals, and a project that runs."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from auricle.cli import cli
from auricle.tasks.demo import commands
from tests.support.cli_types import RunAuricle


@pytest.fixture(autouse=True)
def enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the input of commands be a terminal."""
    monkeypatch.setattr(commands, "is_interactive", lambda: True)


def invoke(*words: str, answers: str = "") -> Result:
    return CliRunner().invoke(cli, ["init", *words], input=answers)


def test_project_runs_with_the_commands_of_its_readme(auricle: RunAuricle, tmp_path: Path) -> None:
    done = auricle("init", ".", "--kind", "classify", "--data", "example", "--model", "echo", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {"README.md", "run.yaml", "data/rows.jsonl"} <= {*document["files"]}
    commands = re.findall(r"^auricle (.+)$", (tmp_path / "README.md").read_text(), re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        ran = auricle(*command.split(), *(["--print"] if command.startswith("open") else []))
        assert ran.returncode == 0, f"{command}: {ran.stderr}"


@pytest.mark.usefixtures("terminal")
def test_answers_are_checked_at_once_and_asked_again(tmp_path: Path) -> None:
    answers = ["asrr", "emotion", "example", "nothing.jsonl", "rows.csv", "ecko", "echo"]
    (tmp_path / "rows.csv").write_text("audio,label\nx.wav,happy\n")
    result = invoke("mine", answers="\n".join([*answers, ""]))
    for message in (
        "Unknown task kind 'asrr'. Did you mean asr",
        "There is no example data for emotion. Name a data file, or choose one of: asr, mcq, qa, classify, tts.",
        "There is no file nothing.jsonl.",
        "Unknown model 'ecko'. Did you mean echo",
    ):
        assert message in result.output
    assert "an emotion classifier" in result.output


@pytest.mark.usefixtures("terminal")
def test_empty_answers_choose_the_defaults() -> None:
    result = invoke("mine", "--model", "echo", answers="\n\n")
    assert result.exit_code == 0, result.output
    assert "What do you evaluate?" in result.output
    assert "[example]" in result.output
    assert Path("mine/data/rows.jsonl").is_file()
    assert "cd mine\n  auricle run run.yaml\n" in result.output


@pytest.mark.usefixtures("terminal")
def test_interrupted_questions_write_nothing() -> None:
    result = invoke("mine", "--kind", "asr")  # the end of the input is like Ctrl-C
    assert result.exit_code == 130
    assert result.output.endswith("\nauricle: Interrupted. Nothing was written.\n")
    assert not Path("mine").exists()


@pytest.mark.usefixtures("terminal")
def test_required_argument_of_a_model_is_asked_for() -> None:
    result = invoke("mine", "--kind", "qa", "--data", "example", answers="openai\nmy-model\n")
    assert "Argument model of the model openai" in result.output
    assert "model: my-model" in Path("mine/run.yaml").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Missing --kind, and there is no terminal to ask on. Add it, or --yes for defaults."),
        (["--kind", "asr"], "Missing --data"),
        (["--yes", "--kind", "emotion"], "There is no default for --data. Add --data."),
        (["--yes", "--kind", "qa", "-m", "openai"], "There is no default for -M model=VALUE."),
        (["--yes", "--data", "nothing.jsonl"], "There is no file nothing.jsonl."),
        (["--yes", "--model", "ecko"], "Unknown model 'ecko'"),
    ],
)
def test_what_cannot_be_answered_is_refused_and_nothing_is_written(words: list[str], message: str) -> None:
    result = invoke("mine", *words)
    assert result.exit_code != 0
    assert message in str(result.exception)
    assert not Path("mine").exists()


def test_folder_with_files_is_refused_before_any_question(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    result = invoke("mine")
    assert "mine already exists and is not an empty folder" in str(result.exception)


def test_paths_are_independent_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "question": "x", "answer": "x"}\n')
    (tmp_path / "my_model.py").write_text("def answer(request):\n    return 'x'\n")
    result = invoke("mine", "--kind", "qa", "--data", "rows.jsonl", "-m", "my_model.py:answer")
    assert result.exit_code == 0, result.output
    text = Path("mine/run.yaml").read_text()
    assert f"task: {tmp_path}/rows.jsonl" in text
    assert f"{tmp_path}/my_model.py:answer" in text
