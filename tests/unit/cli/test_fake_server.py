"""`auricle fake-server`: options and the script they make."""

from dataclasses import fields
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.fake_server import build_script, fake_server
from auricle.core.errors import SpecError
from auricle.core.types import Sample
from auricle.testing.fake_server.script import Script


def test_every_option_is_a_field_of_the_script() -> None:
    names = {parameter.name for parameter in fake_server.params} - {"port", "kind", "task_args"}
    assert names == {field.name for field in fields(Script) if field.init}


def test_defaults_equal_those_of_the_script() -> None:
    context = fake_server.make_context("fake-server", [])
    options = {name: value for name, value in context.params.items() if name != "port"}
    assert build_script(**options) == Script()


def test_answers_are_the_samples_of_a_data_file(manifest: Any, tone: Any) -> None:
    rows = manifest([{"Recording": str(tone("a.wav")), "Spoken": "good morning"}])
    words = ["--answers", str(rows), "--as", "asr", "-T", "audio=Recording", "-T", "target=Spoken"]
    options = fake_server.make_context("fake-server", words).params
    script = build_script(**{name: value for name, value in options.items() if name != "port"})
    assert script.answers is not None
    assert [sample.target for sample in script.answers if isinstance(sample, Sample)] == ["good morning"]


def test_data_without_the_column_is_refused_before_the_server_starts(manifest: Any, tone: Any) -> None:
    rows = manifest([{"audio": str(tone("a.wav")), "spoken": "good morning"}])
    result = CliRunner().invoke(cli, ["fake-server", "--answers", str(rows), "--as", "asr"])
    assert isinstance(result.exception, SpecError)
    assert "Columns: audio, spoken." in str(result.exception)


def test_fault_without_fraction_is_refused() -> None:
    result = CliRunner().invoke(cli, ["fake-server", "--port", "0", "--fault", "429"])
    assert isinstance(result.exception, SpecError)
    assert str(result.exception) == "--fault: '429' is not of the form KIND=FRACTION, such as 429=0.1."


@pytest.mark.parametrize("words", [["--keep-alive", "0"], ["--slots", "0"], ["--stall-at", "-1"]])
def test_values_out_of_range_are_refused(words: list[str]) -> None:
    assert CliRunner().invoke(cli, ["fake-server", *words]).exit_code == 2
