"""What commands print: JSON or lines, without secrets and control sequences."""

import io
import json
import sys

import click
import pytest

from auricle.cli.output import echo, foreign_output, print_json, print_json_array, print_note, print_result, write_utf8
from auricle.core.redaction import SECRETS


def test_json_is_indented(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "好", "values": [1]})
    assert capsys.readouterr().out == '{\n  "text": "好",\n  "values": [\n    1\n  ]\n}\n'


def test_result_is_json_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(True, [1], ["one", "two"])
    print_result(False, [1], ["one", "two"])
    assert capsys.readouterr().out == "[\n  1\n]\none\ntwo\n"


@pytest.mark.parametrize("values", [[], [1], [{"a": [1, 2]}, "b"]])
def test_array_has_a_line_for_each_element(values: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    print_json_array(json.dumps(value).encode() + b"\n" for value in values)
    output = capsys.readouterr().out
    assert json.loads(output) == values
    assert [line.rstrip(",") for line in output.splitlines() if line not in "[],"] == list(map(json.dumps, values))


def test_numbers_that_are_not_finite_become_null(capsys: pytest.CaptureFixture[str]) -> None:
    print_json([float("nan"), float("inf"), 0.5])
    assert json.loads(capsys.readouterr().out) == [None, None, 0.5]


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


def test_a_command_prints_each_note_once(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # commands
        with click.Context(click.Command("audiogram")):
            for note in ("Data was scored as English.", "Changed: noise.", "Data was scored as English."):
                print_note(note)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Note: Data was scored as English.", "Note: Changed: noise."] * 2


def test_redirected_output_on_windows_is_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="cp1252"))
    monkeypatch.setattr(sys, "platform", "win32")
    write_utf8()
    sys.stdout.write("wer ↓ ≈")
    sys.stdout.flush()
    assert written.getvalue().decode("utf-8") == "wer ↓ ≈"
