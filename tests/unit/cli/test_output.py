"""What commands print: JSON or lines, without secrets and control sequences."""

import sys

import pytest

from auricle.cli.output import echo, foreign_output, print_json, print_result
from auricle.core.redaction import SECRETS


def test_json_is_indented(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "好", "values": [1]})
    assert capsys.readouterr().out == '{\n  "text": "好",\n  "values": [\n    1\n  ]\n}\n'


def test_result_is_json_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(True, [1], ["one", "two"])
    print_result(False, [1], ["one", "two"])
    assert capsys.readouterr().out == "[\n  1\n]\none\ntwo\n"


def test_control_sequences_and_secrets_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    SECRETS.add(["sk-Sesame1234"])
    echo("\x1b[31mred \x1b]0;title\x07sk-Sesame1234", bold=True)
    echo(b'{"text": "\xc2\x9b31m"}', err=True)
    captured = capsys.readouterr()
    assert captured.out == "red …\n"
    assert captured.err == '{"text": "\\u009b31m"}\n'


def test_what_a_model_prints_goes_to_standard_error_without_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    SECRETS.add(["sk-Sesame1234"])
    with foreign_output():
        sys.stdout.write("using sk-Sesame1234\n")
        sys.stderr.write("using SK-SESAME1234\n")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "using …\nusing …\n"
