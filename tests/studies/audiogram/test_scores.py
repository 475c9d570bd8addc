"""Statistics of a task under conditions, by sample and unit."""

import json
from pathlib import Path

import pytest

from auricle import Spec, evaluate
from auricle.metrics.base import resolve_metrics
from auricle.studies.audiogram.scores import ConditionScores, SampleUnits
from tests.support.condition_suites import run_conditions, write_task


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scores")
    write_task(folder, samples=6, speakers=2)
    return run_conditions(folder, ("noise:snr=-20",))


def test_units_are_samples_or_clusters_in_the_order_of_the_data(suite: Path) -> None:
    samples, speakers = SampleUnits.load(suite / "clean", ""), SampleUnits.load(suite / "clean", "speaker")
    assert list(samples.unit_by_id) == [f"tone-{index}" for index in range(6)]
    assert (samples.count, samples.cluster) == (6, "")
    assert (speakers.count, [*speakers.unit_by_id.values()]) == (2, [0, 1, 0, 1, 0, 1])


def test_statistics_of_two_parts_are_paired_by_sample_id(suite: Path) -> None:
    units = SampleUnits.load(suite / "clean", "speaker")
    runs = {"clean": suite / "clean", "noise": suite / "noise-snr--20"}
    scores = ConditionScores.load(runs, ["wer"], units)
    clean, noisy, clusters = scores.pair("wer", "clean", "noise")
    assert len(clean) == len(noisy) == 6
    assert clusters is not None
    assert clusters.tolist() == [0, 1, 0, 1, 0, 1]
    assert clean[:, :3].sum() == 0 < noisy[:, :3].sum()


def test_samples_can_be_restricted_to_those_of_another_run(suite: Path) -> None:
    units = SampleUnits.load(suite / "clean", "")
    some = units.restrict({"tone-4", "tone-2"})
    assert (some.unit_by_id, some.count) == ({"tone-2": 0, "tone-4": 1}, 2)
    runs = {"clean": suite / "clean"}
    few = ConditionScores.load(runs, ["wer"], units, ids={"tone-4": "tone-0", "tone-2": "tone-1"})
    assert [*few.parts["clean"]["wer"].index] == ["tone-1", "tone-0"]
    every = ConditionScores.load(runs, ["wer"], units)
    assert [*every.restrict(few).parts["clean"]["wer"].index] == ["tone-0", "tone-1"]


def test_chance_is_that_of_guessing_among_the_options(tmp_path: Path) -> None:
    rows = [{"id": f"q{index}", "question": "?", "choices": list("abcd")[: 2 + 2 * (index % 2)], "answer": "A"}
            for index in range(4)]  # fmt: skip
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    evaluate(Spec(task="mcq", task_args={"data": str(tmp_path / "questions.jsonl")}, model="echo"), tmp_path / "run")
    (accuracy,) = resolve_metrics("option_accuracy")
    units = SampleUnits.load(tmp_path / "run", "", [accuracy, *resolve_metrics("wer")])
    assert units.chance_by_metric == {"option_accuracy": 0.375}
