"""Plans of comparisons: what is needed, what the data at hand shows, and how it is printed."""

from __future__ import annotations

from typing import Any

import pytest

from auricle import SpecError
from auricle.api import load_metrics
from auricle.engine.catalogue import TASKS
from auricle.studies.sample_size.basis import PlanRequest
from auricle.studies.sample_size.report import SampleSizePlan, format_plan, plan_sample_size
from tests.support.pilot_runs import PilotRuns, make_pilot_runs


@pytest.fixture(scope="module")
def pilots(tmp_path_factory: pytest.TempPathFactory) -> PilotRuns:
    return make_pilot_runs(tmp_path_factory.mktemp("pilots"))


def plan(*, pilots: Any = (), task: Any = None, **options: Any) -> SampleSizePlan:
    request = PlanRequest(**{"difference": "5pp", **options})
    return plan_sample_size(request, [(path, load_metrics(path)) for path in pilots], task)


def text_of(result: SampleSizePlan) -> str:
    return "\n".join(format_plan(result))


def test_a_stated_rate_gives_the_number_of_samples() -> None:
    result = plan(rate="20%", correlation=0.5)
    assert (result.needed.units, result.needed.samples) == (505, 505)
    assert (result.range, result.present, result.cluster) == (None, None, "")
    text = text_of(result)
    assert "To detect a difference of 5.00 pp with 80 % power: 505 samples." in text
    assert "samples to detect  with 50 % power  with 80 % power" in text


def test_the_table_has_half_and_twice_the_difference() -> None:
    result = plan(rate="20%", power=0.7)
    sizes = {(round(size.difference, 3), size.power): size.units for size in result.table}
    assert {difference for difference, _ in sizes} == {0.025, 0.05, 0.1}
    assert {power for _, power in sizes} == {0.5, 0.7, 0.8, 0.9, 0.95}
    assert sizes[0.05, 0.7] == result.needed.units
    assert sizes[0.025, 0.8] == pytest.approx(4 * (sizes[0.05, 0.8] or 0), rel=0.01)


def test_pilots_give_a_range_and_what_their_rows_show(pilots: PilotRuns) -> None:
    result = plan(pilots=(pilots.a, pilots.b), cluster="none")
    assert result.range is not None
    assert result.present is not None
    assert result.needed.units is not None
    low, high = result.range
    assert (low or 0) < result.needed.units < (high or 0)
    assert (result.present.samples, result.present.units) == (60, 60)
    assert 0.05 < result.present.power < 0.8
    design = result.design
    assert design.compute_power(result.present.detectable, 60) == pytest.approx(0.8, abs=1e-6)
    assert "There are 60 samples: " in text_of(result)
    assert f"{low:,} to {high:,} samples." in text_of(result)


def test_speakers_are_counted_with_their_samples(pilots: PilotRuns) -> None:
    result = plan(pilots=(pilots.a,), task=TASKS.get("qa")(data=str(pilots.data)))
    assert (result.cluster, result.design.per_cluster, result.needed.per_cluster) == ("speaker", 5, 5)
    assert result.needed.samples == 5 * (result.needed.units or 0)
    assert result.present is not None
    assert (result.present.samples, result.present.units) == (60, 12)
    speakers = {size.per_cluster: size.units or 0 for size in result.cluster_sizes}
    assert speakers[5] == result.needed.units
    assert speakers[5] > speakers[20] > speakers[100]
    text = text_of(result)
    assert "5 of each; design effect" in text
    assert "samples per speaker  speakers needed  samples needed" in text
    assert "There are 60 samples of 12 speakers" in text


def test_more_samples_of_each_speaker_can_be_planned(pilots: PilotRuns) -> None:
    usual, many = (plan(pilots=(pilots.a,), per_cluster=size) for size in (None, 50))
    assert (many.needed.units or 0) < (usual.needed.units or 0)
    assert many.present == usual.present


def test_a_stated_correlation_within_speakers_needs_no_pilot(pilots: PilotRuns) -> None:
    task = TASKS.get("qa")(data=str(pilots.data))
    result = plan(task=task, rate="20%", icc=0.1)
    assert (result.cluster, result.design.per_cluster) == ("speaker", 5)
    assert result.design.design_effect == pytest.approx(1.4)
    assert plan(rate="20%", icc=0.1, per_cluster=20).cluster == "cluster"


def test_speakers_of_unknown_correlation_are_noted(pilots: PilotRuns) -> None:
    task = TASKS.get("qa")(data=str(pilots.data))
    result = plan(task=task, rate="20%")
    assert (result.cluster, result.design.design_effect) == ("", 1.0)
    assert any("Samples of the same speaker are treated as independent" in note for note in result.notes)
    assert not any("speaker" in note for note in plan(task=task, rate="20%", cluster="none").notes)


def test_unpaired_plans_count_the_samples_of_each_model() -> None:
    result = plan(rate="20%", unpaired=True)
    assert "samples for each model." in text_of(result)
    assert (result.needed.units or 0) > (plan(rate="20%", correlation=0.5).needed.units or 0)


def test_few_units_are_warned_about() -> None:
    result = plan(difference="2", sd=1.0, correlation=0.5)
    assert (result.needed.units or 0) < 10
    assert "A test with fewer than 10 samples is not reliable: use at least 10." in result.notes


def test_what_no_amount_of_data_shows_is_printed_as_such() -> None:
    result = plan(difference="0.00000001", sd=1.0)
    assert result.needed.units is None
    assert "more than 1,000,000,000 samples" in text_of(result)


def test_relative_differences_refer_to_the_number_of_the_pilot(pilots: PilotRuns) -> None:
    result = plan(difference="10%", pilots=(pilots.a,))
    assert result.needed.difference == pytest.approx(0.1 * pilots.right_a.mean())


def test_a_difference_of_zero_is_refused() -> None:
    with pytest.raises(SpecError, match="expected one above 0"):
        plan(difference="0pp", rate="20%")
