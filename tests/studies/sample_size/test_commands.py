"""`auricle plan` on the command line and from Python."""

import json
from pathlib import Path

import pytest

from auricle import Spec, SpecError, plan
from tests.support.cli_types import RunAuricle
from tests.support.pilot_runs import PilotRuns, make_pilot_runs


@pytest.fixture(scope="module")
def pilots(tmp_path_factory: pytest.TempPathFactory) -> PilotRuns:
    return make_pilot_runs(tmp_path_factory.mktemp("pilots"))


def test_a_plan_is_printed(auricle: RunAuricle, pilots: PilotRuns) -> None:
    done = auricle("plan", pilots.data, "--as", "qa", "--difference", "5pp", "--pilot", pilots.a, "--pilot", pilots.b)
    assert done.returncode == 0
    assert done.stdout.startswith("qa-quiz: Exact match, paired two-sided test at the level 0.05\n")
    assert "To detect a difference of 5.00 pp with 80 % power: " in done.stdout
    assert "There are 60 samples of 12 speakers" in done.stdout


def test_the_json_is_what_python_returns(auricle: RunAuricle, pilots: PilotRuns) -> None:
    words = ("--difference", "5pp", "--pilot", pilots.a, "--power", "0.9", "--cluster", "none", "--level", "0.01")
    printed = json.loads(auricle("plan", *words, "--json").stdout)
    result = plan("5pp", pilot=pilots.a, power=0.9, cluster="none", level=0.01)
    assert printed["needed"]["samples"] == result.needed.samples
    assert printed["present"]["detectable"] == result.present.detectable if result.present else False
    assert printed["design"]["level"] == 0.01


def test_a_plan_without_data_or_pilot(auricle: RunAuricle) -> None:
    done = auricle("plan", "--difference", "1pp", "--rate", "10%", "--words", "12", "--dispersion", "2")
    assert ": 2,619 samples." in done.stdout


def test_an_unknown_variance_is_an_error_with_what_to_give(auricle: RunAuricle, pilots: PilotRuns) -> None:
    done = auricle("plan", pilots.data, "--as", "qa", "--difference", "1pp")
    assert done.returncode == 2
    assert "Give a run as --pilot, or state either a --rate such as 10%" in done.stderr


def test_a_spec_counts_the_rows_of_its_task(pilots: PilotRuns) -> None:
    spec = Spec(task="qa", task_args={"data": str(pilots.data)}, model="echo")
    result = plan("5pp", spec, rate="20%")
    assert result.present is not None
    assert result.present.samples == 60
    assert result.task == "qa-quiz"


def test_a_folder_that_is_not_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Not a run directory"):
        plan("5pp", pilot=tmp_path)
