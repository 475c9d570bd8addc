"""`auricle fake-server`: options and the script they make."""

from dataclasses import fields

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.fake_server import fake_server
from auricle.core.errors import SpecError
from auricle.testing.fake_server.script import Script


def test_every_option_is_a_field_of_the_script() -> None:
    names = {parameter.name for parameter in fake_server.params} - {"port"}
    assert names == {field.name for field in fields(Script) if field.init}


def test_defaults_equal_those_of_the_script() -> None:
    context = fake_server.make_context("fake-server", [])
    options = {name: value for name, value in context.params.items() if name not in ("port", "faults")}
    assert Script(**options) == Script()


def test_fault_without_fraction_is_refused() -> None:
    result = CliRunner().invoke(cli, ["fake-server", "--port", "0", "--fault", "429"])
    assert isinstance(result.exception, SpecError)
    assert str(result.exception) == "--fault: '429' is not of the form KIND=FRACTION, such as 429=0.1."


@pytest.mark.parametrize("words", [["--keep-alive", "0"], ["--slots", "0"], ["--stall-at", "-1"]])
def test_values_out_of_range_are_refused(words: list[str]) -> None:
    assert CliRunner().invoke(cli, ["fake-server", *words]).exit_code == 2
