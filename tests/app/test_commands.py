"""`auricle ui`: options are passed to the server of the app."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from auricle.app import server
from auricle.app.server import ServerOptions
from auricle.cli import cli


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ServerOptions(Path("runs"))),
        (["mine"], ServerOptions(Path("mine"))),
        (
            ["--runs", "r", "--allow", "a", "--allow", "b", "--port", "0", "--no-browser"],
            ServerOptions(Path("r"), (Path("a"), Path("b")), port=0, open_browser=False),
        ),
        (
            ["--open", "--host", "0.0.0.0", "--max-upload", "5"],
            ServerOptions(Path("runs"), host="0.0.0.0", max_upload=5, open_browser=True),
        ),
        (
            ["--no-token", "--allow-env", "MY_KEY"],
            ServerOptions(Path("runs"), allowed_variables=("MY_KEY",), with_token=False),
        ),
    ],
)
def test_options_are_passed_to_the_server(
    monkeypatch: pytest.MonkeyPatch, words: list[str], expected: ServerOptions
) -> None:
    calls: list[ServerOptions] = []
    monkeypatch.setattr(server, "serve", calls.append)
    result = CliRunner().invoke(cli, ["ui", *words])
    assert result.exit_code == 0, result.output
    assert calls == [expected]


def test_two_folders_of_runs_are_refused() -> None:
    result = CliRunner().invoke(cli, ["ui", "a", "--runs", "b"])
    assert "Two folders of runs are given: a and b" in str(result.exception)


def test_help_explains_what_an_app_without_a_token_allows() -> None:
    output = " ".join(CliRunner().invoke(cli, ["ui", "--help"]).output.split())
    assert "--token / --no-token" in output
    assert "users of this machine, can start runs with your API keys and read the allowed folders." in output
