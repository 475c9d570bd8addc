"""Results on standard output: JSON or lines."""

import pytest

from auricle.cli.output import print_json, print_result


def test_json_is_indented(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "好", "values": [1]})
    assert capsys.readouterr().out == '{\n  "text": "好",\n  "values": [\n    1\n  ]\n}\n'


def test_result_is_json_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(True, [1], ["one", "two"])
    print_result(False, [1], ["one", "two"])
    assert capsys.readouterr().out == "[\n  1\n]\none\ntwo\n"
