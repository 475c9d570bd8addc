"""Exit codes of the command line for errors and interrupts."""

import sys
from collections.abc import Callable

import click
import pytest

from auricle import cli
from auricle.core.errors import ExitStatus, SpecError
from tests.support.cli_types import WriteManifest


def raising(error: BaseException) -> Callable[..., None]:
    def command(*_: object, **__: object) -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (SpecError("a wrong model"), ExitStatus.ERROR, "auricle: a wrong model\n"),
        (OSError("a full disk"), ExitStatus.ERROR, "auricle: a full disk\n"),
        (click.ClickException("a wrong option"), ExitStatus.ERROR, "Error: a wrong option\n"),
        (
            KeyboardInterrupt(),
            ExitStatus.INTERRUPTED,
            "auricle: Interrupted. Run the same command again to resume a run.\n",
        ),
    ],
)
def test_errors_become_exit_codes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int, message: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["auricle"])
    monkeypatch.setattr(cli, "cli", raising(error))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == code
    assert capsys.readouterr().err == message


def test_commands_of_features_choose_their_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], manifest: WriteManifest
) -> None:
    data = manifest([{"id": "1", "audio": "missing.wav", "text": "x"}])
    monkeypatch.setattr(sys, "argv", ["auricle", "data", "check", "asr", "-T", f"data={data}"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == ExitStatus.FAILURES
    assert capsys.readouterr().err == ""
