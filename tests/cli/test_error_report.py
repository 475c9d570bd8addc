"""Errors that no command expects: one line, a log and exit code 2, whatever the command."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from auricle import cli
from auricle.cli.error_report import CLOSED_PIPE_STATUS, format_command, log_errors_in, report_error
from auricle.core.errors import AudioError, ExitStatus, SpecError
from tests.support.cli_types import RunAuricle


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of logs, which is a temporary one."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("AURICLE_DEBUG", raising=False)
    monkeypatch.setattr(sys, "argv", ["auricle", "run", "demo", "-M", "api_key=sk-123456"])
    return tmp_path / "state" / "auricle"


def raised(error: Exception) -> Exception:
    """Return an error with a traceback."""
    try:
        raise error
    except type(error) as caught:
        return caught


def recurse() -> None:
    recurse()


def deep_recursion() -> Exception:
    try:
        recurse()
    except RecursionError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("crop"), "Unexpected KeyError: 'crop' (test_error_report.py:"),
        (AssertionError(), "Unexpected AssertionError: no message (test_error_report.py:"),
        (ValueError("two\nlines \x1b[31mred"), "Unexpected ValueError: two lines [31mred (test_error_report.py:"),
        (MemoryError(), "Out of memory. Try a smaller --batch-size, --concurrency or --replicas."),
        (ExceptionGroup("both", [ValueError("x")]), "Unexpected ExceptionGroup: both (1 sub-exception) ("),
    ],
)
def test_unexpected_error_is_one_line_with_the_path_of_a_log(
    state: Path, capsys: pytest.CaptureFixture[str], error: Exception, message: str
) -> None:
    assert report_error(raised(error)) == ExitStatus.ERROR
    (log,) = state.iterdir()
    output = capsys.readouterr().err
    assert output.startswith(f"auricle: {message}")
    assert output.endswith(f"The traceback is in {log}; add it if you report the error. Use --traceback to print it.\n")
    assert output.count("\n") == 1


def test_deep_recursion_is_reported(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report_error(deep_recursion())
    assert "Unexpected RecursionError: maximum recursion depth exceeded" in capsys.readouterr().err
    assert "[Previous line repeated" in next(state.iterdir()).read_text()


def test_log_has_traceback_versions_and_command_without_secrets(state: Path) -> None:
    report_error(raised(KeyError("sk-123456 at http://user:pass@host/?api_key=hidden")))
    (log,) = state.iterdir()
    text = log.read_text()
    for part in ("Traceback (most recent call last)", "KeyError", "numpy ", f"Python {sys.version_info.major}."):
        assert part in text
    assert "command: auricle run demo -M 'api_key=…'\n" in text
    for secret in ("sk-123456", "user:pass", "hidden"):
        assert secret not in text
    assert log.stat().st_mode & 0o077 == 0


def test_message_has_no_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(raised(ValueError("the key sk-123456 is wrong")))
    assert "the key … is wrong" in capsys.readouterr().err


def test_error_that_cannot_describe_itself_is_reported(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert report_error(raised(Silent())) == ExitStatus.ERROR
    assert capsys.readouterr().err.startswith(
        "auricle: Unexpected Silent: its message cannot be shown: __str__ raised RuntimeError"
    )
    assert "Silent" in next(state.iterdir()).read_text()


def test_long_message_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(raised(ValueError("x" * 10_000)))
    assert len(capsys.readouterr().err) < 1000


def test_log_of_a_run_is_in_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    run.mkdir()
    with pytest.raises(KeyError) as caught, log_errors_in(run):
        raise KeyError("x")
    report_error(caught.value)
    (log,) = (run / "logs").iterdir()
    assert f"The traceback is in {log};" in (output := capsys.readouterr().err)
    assert "No completed sample is lost: run the same command again to resume." in output


def test_log_of_a_deleted_run_is_elsewhere(tmp_path: Path, state: Path) -> None:
    with pytest.raises(KeyError) as caught, log_errors_in(tmp_path / "deleted"):
        raise KeyError("x")
    report_error(caught.value)
    assert len(list(state.iterdir())) == 1
    assert not (tmp_path / "deleted").exists()


def test_log_that_cannot_be_written_is_mentioned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert report_error(raised(KeyError("x"))) == ExitStatus.ERROR
    assert "The log could not be written. Use --traceback to print it." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SpecError("a wrong model"), "auricle: a wrong model\n"),
        (AudioError("a broken file"), "auricle: a broken file\n"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "auricle: Permission denied: x\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "runs/x/outputs.jsonl"),
            "auricle: The disk is full: runs/x/outputs.jsonl. Free some space and run the same command again; no "
            "completed sample is lost.\n",
        ),
        (click.ClickException("a wrong option"), "Error: a wrong option\n"),
    ],
)
def test_expected_error_has_no_log(
    state: Path, capsys: pytest.CaptureFixture[str], error: Exception, message: str
) -> None:
    assert report_error(raised(error)) == ExitStatus.ERROR
    assert capsys.readouterr().err == message
    assert not state.exists()


@pytest.mark.parametrize("error", [KeyError("x"), SpecError("a wrong model")])
def test_debug_variable_prints_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    monkeypatch.setenv("AURICLE_DEBUG", "1")
    report_error(raised(error))
    output = capsys.readouterr().err
    assert "Traceback (most recent call last)" in output
    assert "sk-123456" not in output


def test_command_is_quoted_and_redacted() -> None:
    words = ["run", "a b.jsonl", "-Mapi_key=sk-1", "-J", 'headers={"X": "y"}', "--as=qa"]
    assert format_command(words) == "auricle run 'a b.jsonl' '-Mapi_key=…' -J 'headers={\"X\":\"…\"}' --as=qa"


# --- through the command line -----------------------------------------------------------------


@pytest.mark.parametrize("words", [["--traceback", "show", "run"], ["show", "run", "--traceback"]])
def test_traceback_option_may_stand_anywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.setenv("AURICLE_DEBUG", "0")
    monkeypatch.setattr(sys, "argv", ["auricle", *words])
    received: list[list[str]] = []

    def command(arguments: list[str], **_: object) -> None:
        received.append(arguments)
        raise KeyError("x")

    monkeypatch.setattr(cli, "cli", command)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert received == [["show", "run"]]
    assert ended.value.code == ExitStatus.ERROR
    assert "Traceback (most recent call last)" in capsys.readouterr().err


BROKEN_MODULE = """
import auricle.{module} as module

def explode(*_, **__):
    raise {error}

module.{name} = explode
"""


@pytest.mark.parametrize(
    ("words", "module", "name"),
    [
        (("list", "models"), "cli.list_", "print_result"),
        (("cache",), "cli.cache", "list_entries_by_model"),
        (("data", "list"), "benchmarks.commands", "load_published"),
        (("doctor",), "cli.doctor", "check_installation"),
    ],
)
def test_every_command_reports_what_it_does_not_expect(
    tmp_path: Path, words: tuple[str, ...], module: str, name: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BROKEN_MODULE.format(module=module, name=name, error="KeyError('boom')"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "auricle", *words], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("auricle: Unexpected KeyError: 'boom' (")
    assert done.stderr.count("\n") == 1


def test_closed_pipe_ends_a_command_quietly(tmp_path: Path) -> None:
    command = f"sleep 0.5; {sys.executable} -m auricle list models; echo $? >status"
    done = subprocess.run(["bash", "-c", f"({command}) | true"], capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""
    assert int((tmp_path / "status").read_text()) == CLOSED_PIPE_STATUS


def test_broken_pipe_to_another_process_is_reported(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report_error(raised(BrokenPipeError(errno.EPIPE, "Broken pipe"))) == ExitStatus.ERROR
    assert "Unexpected BrokenPipeError: [Errno 32] Broken pipe" in capsys.readouterr().err
    assert len(list(state.iterdir())) == 1


def test_error_in_a_run_is_logged_in_its_folder(auricle: RunAuricle, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import Sample, Task\nfrom auricle.engine.inferencers import Respond\n"
        "class Rows:\n"
        "    def __len__(self): return 2\n"
        "    def __iter__(self):\n"
        "        yield Sample(id='a', inputs={'question': 'x'})\n"
        "        raise ArithmeticError('boom')\n"
        "def task():\n"
        "    return Task(samples=Rows(), inferencer=Respond('{question}'), metrics=[], name='once')\n"
    )
    done = auricle("run", "mine.py:task", "-m", "echo", "-o", "r")
    assert done.returncode == 2
    (log,) = (tmp_path / "r" / "logs").glob("error-*.log")
    assert done.stderr.splitlines()[-1].startswith("auricle: Unexpected ArithmeticError: boom (mine.py:7).")
    assert f"The traceback is in r/logs/{log.name}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["show", "nowhere"], "BadParameter", "Directory 'nowhere' does not exist."),
        (["run", "demo", "-m", "ecko"], "UnknownName", "Unknown model 'ecko'. Did you mean echo?"),
    ],
)
def test_with_json_an_error_is_a_document_too(words: list[str], kind: str, message: str, auricle: RunAuricle) -> None:
    done = auricle(*words, "--json")
    error = json.loads(done.stdout)["error"]
    assert (error["type"], error["exit_code"], done.returncode) == (kind, ExitStatus.ERROR, ExitStatus.ERROR)
    assert message in error["message"]
    assert message in done.stderr


def test_without_json_nothing_is_printed_on_standard_output(auricle: RunAuricle) -> None:
    assert auricle("show", "nowhere").stdout == ""
