"""`auricle ui`: options are passed to the server of the app."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from auricle.app import server
from auricle.cli import cli


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], (Path("runs"), (), 8501, "127.0.0.1", 50, None)),
        (
            ["--runs", "r", "--allow", "a", "--allow", "b", "--port", "0", "--no-browser"],
            (Path("r"), (Path("a"), Path("b")), 0, "127.0.0.1", 50, False),
        ),
        (["--open", "--host", "0.0.0.0", "--max-upload", "5"], (Path("runs"), (), 8501, "0.0.0.0", 5, True)),
    ],
)
def test_options_are_passed_to_the_server(
    monkeypatch: pytest.MonkeyPatch, words: list[str], expected: tuple[object, ...]
) -> None:
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(server, "serve", lambda *arguments: calls.append(arguments))
    result = CliRunner().invoke(cli, ["ui", *words])
    assert result.exit_code == 0, result.output
    assert calls == [expected]
