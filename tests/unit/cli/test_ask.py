"""`auricle ask`: text output as it is, other outputs as JSON."""

import json

from tests.support.cli_types import RunAuricle, WriteTone


def test_generated_text_is_printed_unchanged(auricle: RunAuricle, tone: WriteTone) -> None:
    tone("hello_there.wav")
    assert auricle("ask", "-m", "echo", "hello_there.wav").stdout == "hello there\n"


def test_prediction_is_printed_as_json(auricle: RunAuricle, tone: WriteTone) -> None:
    tone("hello_there.wav")
    done = auricle("ask", "-m", "fake-reward", "hello_there.wav", "--text", "a waltz")
    assert json.loads(done.stdout)["scale"] == "continuous"


def test_model_is_required(auricle: RunAuricle) -> None:
    done = auricle("ask", "--text", "hello")
    assert done.returncode == 2
    assert "'-m' / '--model'" in done.stderr
