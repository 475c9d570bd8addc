"""Where the variance of a plan comes from: pilots, or stated numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import SpecError
from auricle.api import load_metrics
from auricle.engine.catalogue import TASKS
from auricle.studies.sample_size.basis import DataSize, PlanRequest, basis_of_assumptions, basis_of_pilots, parse_amount
from tests.support.pilot_runs import PilotRuns, make_pilot_runs


@pytest.fixture(scope="module")
def pilots(tmp_path_factory: pytest.TempPathFactory) -> PilotRuns:
    return make_pilot_runs(tmp_path_factory.mktemp("pilots"))


def request(**options: Any) -> PlanRequest:
    return PlanRequest(**{"difference": "1pp", **options})


def load(*paths: Path) -> list[Any]:
    return [(path, load_metrics(path)) for path in paths]


def test_two_pilots_show_the_variance_of_the_paired_difference(pilots: PilotRuns) -> None:
    basis = basis_of_pilots(request(cluster="none"), load(pilots.a, pilots.b))
    assert basis.design.variance == pytest.approx(np.var(pilots.right_b - pilots.right_a, ddof=1))
    assert (basis.metric, basis.cluster, basis.task) == ("exact_match", "", "qa-quiz")
    assert basis.description == f"{pilots.a} and {pilots.b}, 60 pairs"
    assert basis.data == DataSize(60, 60)
    assert basis.value == pytest.approx(pilots.right_a.mean())
    assert basis.notes == ()


def test_one_pilot_is_the_worst_case_and_is_noted(pilots: PilotRuns) -> None:
    basis = basis_of_pilots(request(cluster="none"), load(pilots.a))
    assert basis.design.variance == pytest.approx(2 * np.var(pilots.right_a, ddof=1))
    (note,) = basis.notes
    assert "assumed to err independently, the worst case" in note
    stated = basis_of_pilots(request(cluster="none", correlation=0.5), load(pilots.a))
    assert stated.design.variance == pytest.approx(basis.design.variance / 2)
    assert "correlation of 0.5" in stated.notes[0]


def test_speakers_are_the_units_if_the_pilot_was_scored_by_them(pilots: PilotRuns) -> None:
    basis = basis_of_pilots(request(), load(pilots.a))
    assert (basis.cluster, basis.data) == ("speaker", DataSize(60, 12))
    assert basis.design.per_cluster == 5
    assert basis.design.correlation > 0.05
    assert "60 samples of 12 clusters (speaker)" in basis.description


def test_unpaired_pilots_add_their_variances(pilots: PilotRuns) -> None:
    basis = basis_of_pilots(request(cluster="none", unpaired=True), load(pilots.a, pilots.b))
    assert basis.design.variance == pytest.approx(np.var(pilots.right_a, ddof=1) + np.var(pilots.right_b, ddof=1))
    assert not basis.design.is_paired


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": "10%"}, "The pilot shows the variance: leave out rate"),
        ({"metric": "wer"}, "Neither run has the metric 'wer'"),
        ({"cluster": "room"}, "has the metadata field 'room'"),
    ],
)
def test_options_that_a_pilot_does_not_allow_are_refused(
    pilots: PilotRuns, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        basis_of_pilots(request(**options), load(pilots.a))


def test_three_pilots_are_refused(pilots: PilotRuns) -> None:
    with pytest.raises(SpecError, match="at most two runs"):
        basis_of_pilots(request(), load(pilots.a, pilots.b, pilots.a))


def test_pilots_that_never_differ_show_nothing(pilots: PilotRuns) -> None:
    with pytest.raises(SpecError, match="exact_match does not vary"):
        basis_of_pilots(request(), load(pilots.a, pilots.a))


def test_a_rate_gives_the_variance_of_right_and_wrong_answers() -> None:
    basis = basis_of_assumptions(request(rate="20%"), None)
    assert basis.design.variance == pytest.approx(2 * 0.2 * 0.8)
    assert (basis.value, basis.unit, basis.description) == (0.2, "share", "stated rate of 20 %")
    assert basis_of_assumptions(request(rate=0.2), None).design == basis.design


def test_a_word_error_rate_assumes_independent_errors_and_is_noted() -> None:
    basis = basis_of_assumptions(request(rate="10%", words=12, unpaired=True), None)
    assert basis.design.variance == pytest.approx(2 * 0.1 / 12)
    assert "Errors are assumed to be independent" in basis.notes[0]
    dispersed = basis_of_assumptions(request(rate="10%", words=12, dispersion=2, unpaired=True), None)
    assert dispersed.design.variance == pytest.approx(2 * basis.design.variance)
    assert dispersed.notes == ()


def test_a_standard_deviation_gives_the_variance_of_scores(pilots: PilotRuns) -> None:
    basis = basis_of_assumptions(request(sd=0.8, correlation=0.75), None)
    assert basis.design.variance == pytest.approx(2 * 0.64 * 0.25)
    assert math.isnan(basis.value)
    task = TASKS.get("qa")(data=str(pilots.data))
    assert basis_of_assumptions(request(sd=0.8, metric="contains"), task).metric == "contains"
    with pytest.raises(SpecError, match=r"has no metric 'wer'\. Available: exact_match, contains"):
        basis_of_assumptions(request(sd=0.8, metric="wer"), task)


@pytest.mark.parametrize("options", [{}, {"rate": "10%", "sd": 1.0}])
def test_exactly_one_variance_is_needed_without_a_pilot(options: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="Give a run as --pilot, or state either"):
        basis_of_assumptions(request(**options), None)


@pytest.mark.parametrize("rate", ["0%", "100%", "150%"])
def test_a_rate_is_between_0_and_1(rate: str) -> None:
    with pytest.raises(SpecError, match="between 0 and 100 %"):
        basis_of_assumptions(request(rate=rate), None)


@pytest.mark.parametrize(
    "options",
    [{"power": 1.0}, {"level": 0.0}, {"correlation": 1.0}, {"icc": 2.0}, {"per_cluster": 0.5}, {"sd": 0.0},
     {"words": 0.0}, {"dispersion": 0.0}],
)  # fmt: skip
def test_impossible_numbers_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(SpecError, match=f"Invalid {next(iter(options))} "):
        request(**options)


def test_rows_and_speakers_of_a_task_are_counted(pilots: PilotRuns) -> None:
    task = TASKS.get("qa")(data=str(pilots.data))
    assert DataSize.of_task(task, None) == (DataSize(60, 12), "speaker")
    assert DataSize.of_task(task, "none") == (DataSize(60, 60), "")


@pytest.mark.parametrize(
    ("text", "value"), [("1pp", 0.01), ("1.5 pp", 0.015), ("10%", 0.02), ("0.05", 0.05), (0.05, 0.05)]
)
def test_differences_have_a_unit(text: str | float, value: float) -> None:
    assert parse_amount(text, "difference", "share", 0.2) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [("-1pp", "Invalid difference"), ("much", "Invalid difference"), ("1", "100 percentage points. Write 1pp"),
     ("5%", "a number that is not known")],
)  # fmt: skip
def test_differences_that_cannot_be_meant_are_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_amount(text, "difference", "share")


def test_numbers_without_a_unit_are_in_that_of_the_metric() -> None:
    assert parse_amount("1.5", "difference", "points") == 1.5
