"""`auricle conformance`."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.core.errors import SpecError
from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.realtime.script import RealtimeScript, TurnScript
from auricle.testing.protocol_conformance.report import ConformanceReport


def run(*words: str) -> Any:
    return CliRunner().invoke(cli, ["conformance", *words])


def vllm_server(**script: Any) -> FakeServer:
    turn = TurnScript(transcript="good day", **script)
    return FakeServer(Script(realtime=RealtimeScript(turns=(turn,), dialect="vllm")))


@pytest.mark.slow
def test_the_table_and_the_exit_code_of_a_server_that_conforms() -> None:
    with vllm_server() as server:
        result = run(server.url, "--dialect", "vllm")
    assert result.exit_code == 0, result.output
    assert "transcription.done" in result.output
    assert result.output.splitlines()[-1].startswith("8 supported")


def test_the_exit_code_of_a_server_that_does_not_conform(monkeypatch: pytest.MonkeyPatch) -> None:
    report = ConformanceReport({"connect": False, "usage": False})
    report.add("connect", "supported")
    report.add("usage", "missing", "no usage in response.done")
    monkeypatch.setattr("auricle.testing.protocol_conformance.run.check_server", lambda *_, **__: report)
    result = run("http://127.0.0.1:1/v1", "--json")
    assert result.exit_code == 3
    assert json.loads(result.output) == report.to_document()
    assert "1 supported, 1 missing" in run("http://127.0.0.1:1/v1").output


def test_a_server_that_cannot_be_reached_is_one_line() -> None:
    result = run("http://127.0.0.1:1/v1")
    assert isinstance(result.exception, SpecError)
    assert "The server cannot be checked: no connection to 127.0.0.1:1" in str(result.exception)


@pytest.mark.parametrize("word", ["--dialect", "--audio", "--timeout", "--json"])
def test_options_are_documented(word: str) -> None:
    assert word in run("--help").output
