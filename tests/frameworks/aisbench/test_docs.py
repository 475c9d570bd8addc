"""The commands on the pages about AISBench work."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.core.errors import ExitStatus
from auricle.runs.run_directory import Run
from auricle.testing.fake_server import FakeServer
from tests.support import paths

PAGES = [paths.DOCS / "coming-from" / name for name in ("aisbench.md", "aisbench-reference.md")]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
MODES = ("all", "infer", "eval", "viz", "judge", "infer_judge", "perf", "perf_viz")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
SERVER = "http://127.0.0.1:8000/v1"
REUSED_RUNS = ("first", "later", "loaded", "mine")


def blocks(language: str) -> list[str]:
    return [body for block_language, body in BLOCK.findall(TEXT) if block_language == language]


def rows() -> list[list[str]]:
    """Return the cells of every table row."""
    lines = [line for line in TEXT.splitlines() if line.startswith("| ") and line.endswith(" |")]
    return [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines]


def files() -> dict[str, str]:
    """Return the files on the pages, named above a block or in its first line."""
    named = re.findall(r"`([\w.]+)`:?\n\n```\w+\n(.*?)^```$", TEXT, re.S | re.M)
    headed = [(match[1], body) for body in blocks("python") if (match := re.match(r"# (\w+\.py)", body))]
    return dict(named + headed)


def commands() -> list[str]:
    """Return every command on the pages, in order."""
    lines = []
    for line in BLOCK.sub(lambda block: block[2] if block[1] == "sh" else "", TEXT).splitlines():
        if line.startswith("auricle "):
            lines.append(line)
        elif line.startswith("| "):
            lines += re.findall(r"`(auricle [^`]+)`", line)
    return lines


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    for name, body in files().items():
        (folder / name).write_text(body, encoding="utf-8")
    return folder


def test_the_pages_show_every_file_they_use() -> None:
    assert {"questions.jsonl", "talk.jsonl", "quiz.jsonl", "few.yaml", "my_custom.py"} <= {*files()}


@pytest.mark.slow
def test_every_command_of_the_pages_runs(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    assert len(commands()) > 25
    with FakeServer() as server:
        for command in commands():
            for folder in (workspace / "runs").glob("*"):
                if folder.name not in REUSED_RUNS:
                    shutil.rmtree(folder)
            arguments = shlex.split(command.replace(SERVER, server.url))[1:]
            result = CliRunner().invoke(cli, arguments)
            is_invalid = result.exit_code == ExitStatus.FAILURES and "is not valid" in result.output  # a busy machine
            assert result.exit_code == 0 or is_invalid, f"{command}\n{result.output}\n{result.exception!r}"


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_has_a_command(mode: str) -> None:
    (row,) = [cells for cells in rows() if cells[0] == f"`{mode}`"]
    assert row[1].startswith("`auricle ")


def test_examples_are_short() -> None:
    examples = [body for body in blocks("python") if re.match(r"# my_\w+\.py: ", body)]
    assert len(examples) == 4
    assert all(len(body.splitlines()) <= 20 for body in examples)


def test_the_limit_of_a_row_applies_to_local_models(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    result = CliRunner().invoke(
        cli, ["preview", "questions.jsonl", "--as", "qa", "-m", "echo", "-n", "2", "-T", "max_tokens=9"]
    )
    assert "max_tokens=9," in result.output
    assert "max_tokens=64," in result.output


def test_the_prompt_is_stored_in_the_run(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    arguments = ["run", "questions.jsonl", "--as", "qa", "-m", "echo", "-T", "prompt=Say: {question}"]
    CliRunner().invoke(cli, [*arguments, "-o", "runs/kept"])
    assert "Say: {question}" in str(Run.load(workspace / "runs" / "kept").spec.identity)
