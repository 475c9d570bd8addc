"""`auricle perf`: options of the command; measurements are tested in `tests/perf`."""

from dataclasses import fields

import click
import pytest

from auricle import Spec
from auricle.core.errors import SpecError
from auricle.perf.commands import _build_perf_config, perf, run_perf
from auricle.perf.measurement import PerfConfig


def config_of(*words: str) -> PerfConfig:
    options = perf.make_context("perf", ["demo", "-m", "echo", *words]).params
    return _build_perf_config(options, Spec(task="demo", model="echo"))


def test_defaults_equal_those_of_the_measurement() -> None:
    assert config_of() == PerfConfig(loads=("closed:1",))


def test_every_setting_of_a_measurement_has_an_option() -> None:
    options = {parameter.name for parameter in perf.params}
    assert {field.name for field in fields(PerfConfig)} - {"pricing", "slice_seconds"} <= options


def test_options_reach_the_measurement() -> None:
    config = config_of("--load", "poisson:4", "--count", "9", "--senders", "2", "--stop-when-saturated", "--no-stream")
    assert (config.loads, config.count, config.senders) == (("poisson:4",), 9, 2)
    assert config.stop_saturated
    assert config.stream is False


def test_invalid_number_of_senders_is_refused() -> None:
    with pytest.raises(click.BadParameter, match="'many' is not a whole number from 1, or 'auto'"):
        config_of("--senders", "many")


def test_model_is_required() -> None:
    with pytest.raises(SpecError, match=r"No model given\. Add -m MODEL"):
        run_perf("demo", None, None, as_json=False, fresh=False)
