"""JSON on standard output."""

import pytest

from auricle.cli.output import print_json


def test_json_is_indented(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "好", "values": [1]})
    assert capsys.readouterr().out == '{\n  "text": "好",\n  "values": [\n    1\n  ]\n}\n'
