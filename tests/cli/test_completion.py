"""`auricle completion`: the protocol between shells and the command line, and the script of bash in bash."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner

from auricle.cli import candidates, cli, list_commands, main
from auricle.cli.completion import SCRIPTS, print_candidates

NAMES = {"whisper": "any Whisper checkpoint", "whisperx": "", "echo": "", "kimi:": "", "noise:snr=": "Add noise."}


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let every registry have a few names, and enter an empty folder."""
    monkeypatch.setattr(candidates, "load_names", lambda source: NAMES)
    monkeypatch.chdir(tmp_path)


Complete: TypeAlias = Callable[..., list[str]]


@pytest.fixture
def complete(capsys: pytest.CaptureFixture[str]) -> Complete:
    """Return the lines that a shell receives for a command line."""

    def complete(line: str, shell: str = "fish") -> list[str]:
        print_candidates({"_AURICLE_COMPLETE": shell, "COMP_LINE": line})
        output = capsys.readouterr()
        assert output.err == ""
        return output.out.splitlines()

    return complete


def test_commands_are_completed_with_their_summaries_and_without_importing_them(
    complete: Complete, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "auricle.studies.judges.commands", raising=False)
    assert complete("auricle sho") == ["show\tPrint the metrics of runs."]
    assert len(complete("auricle ")) == sum(map(len, list_commands().values()))
    assert "auricle.studies.judges.commands" not in sys.modules


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("auricle run demo -m whisp", ["whisper\tany Whisper checkpoint", "whisperx"]),
        ("auricle run demo --judge ec", ["echo"]),
        ("auricle run demo --model=ec", ["--model=echo"]),
        ("auricle run ec", ["echo"]),
        ("auricle preview ec", ["echo"]),
        ("auricle score run --metrics ec", ["echo"]),
        ("auricle gate a b --metric ec", ["echo"]),
        ("auricle run demo -m echo -M noise", ["noise:snr=\tAdd noise."]),
        ("auricle run mine.jsonl --as asr -T noise", [":files"]),
        ("auricle run echo -T noise", ["noise:snr=\tAdd noise."]),
        ("auricle run x --profile ec", ["echo"]),
        ("auricle run x --as ec", ["echo"]),
        ("auricle list metrics ec", ["echo"]),
        ("auricle list profil", ["profiles"]),
        ("auricle run x --perturb noise:", ["noise:snr=\tAdd noise."]),
        ("auricle run x --perturb noise:snr=", []),
        ("auricle leaderboard --format la", ["latex"]),
        ("auricle show --gap", ["--gaps\tPrint how much each group differs from all others, by all metadata fields"]),
        ("auricle show run", [":folders"]),
        ("auricle ask so", [":files"]),
        ("auricle run demo -m nothing", [":files"]),
        ("auricle frobnicat", []),
        ("auricle run --nothing-like-this", []),
        ("auricle run 'unclosed", [":files"]),
    ],
)
def test_last_word_is_completed(complete: Complete, line: str, expected: list[str]) -> None:
    lines = complete(line)
    assert len(lines) == len(expected)
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=True))


def test_bash_receives_what_follows_its_word_breaks_and_quoted_names(complete: Complete, tmp_path: Path) -> None:
    assert complete("auricle run x --perturb noise:s", "bash") == ["snr=\tAdd noise."]
    assert complete("auricle run x --model=ec", "bash") == ["echo"]
    (tmp_path / "my data.jsonl").write_text("")
    assert complete("auricle run my", "bash") == [r"my\ data.jsonl"]
    assert complete(r"auricle run my\ d", "bash") == [r"my\ data.jsonl"]
    assert complete("auricle run my", "zsh") == ["my data.jsonl"]


def test_error_is_never_printed(complete: Complete, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: str) -> None:
        raise RuntimeError(f"{source} is broken")

    monkeypatch.setattr(candidates, "load_names", fail)
    assert complete("auricle run demo -m whisp") == []
    assert complete("") == complete("auricle ")


def test_main_answers_a_shell_instead_of_running(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_AURICLE_COMPLETE", "zsh")
    monkeypatch.setenv("COMP_LINE", "auricle run x -m ec")
    main()
    assert capsys.readouterr().out == "echo\n"


@pytest.mark.parametrize("shell", SCRIPTS)
def test_script_is_printed(shell: str) -> None:
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert f"_AURICLE_COMPLETE={shell} auricle 2>/dev/null" in result.output


def test_unknown_shell_is_refused() -> None:
    result = CliRunner().invoke(cli, ["completion", "tcsh"])
    assert result.exit_code == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in result.output


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_script_of_bash_calls_the_program_and_reads_its_answer(tmp_path: Path) -> None:
    program = tmp_path / "auricle"
    program.write_text('#!/bin/sh\nprintf "two words\\thelp\\n%s\\n" "$_AURICLE_COMPLETE:$COMP_LINE"\necho oops >&2\n')
    program.chmod(0o755)
    script = f"""
        {SCRIPTS["bash"]}
        COMP_LINE='auricle show runs/x --json' COMP_POINT=17
        _auricle_complete
        printf '<%s>' "${{COMPREPLY[@]}}"
        complete -p auricle
    """
    variables = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, env=variables)
    assert done.stdout.startswith("<two words><bash:auricle show runs>complete ")
    assert done.stderr == ""
