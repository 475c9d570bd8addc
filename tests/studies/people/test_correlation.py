"""Correlation of metrics with people: the right pairs, at the level of systems and of items."""

from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Generation, Record, Sample
from auricle.engine.inferencers import Respond
from auricle.engine.task import Task
from auricle.metrics.base import metric
from auricle.report.run_files import score_and_write
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.studies.people.correlation import correlate_test, match_runs
from auricle.studies.people.text import format_correlations
from auricle.testing import SimulatedListeners
from tests.support.listening_tests import QUALITIES, SYSTEMS, make_test

pytestmark = pytest.mark.slow


@metric(name="length")
def length(sample: Sample, output: Generation) -> float:
    return float(len(output.text))


def write_scored_run(folder: Path, system: str, items: int = 6) -> Path:
    """Write a run whose only metric is nearly proportional to the quality of the system."""
    spec = RunSpec(spec={"task": "open", "model": system}, identity={"inferencer": "Respond()"}, model_name=system)
    with Run.open(folder, spec) as run:
        for item in range(items):
            text = "x" * round(10 * QUALITIES[system] + item % 3)
            record = Record(sample=Sample(id=f"text {item}", inputs={}), row=item, outputs=(Generation(text=text),))
            run.append(record)
    task = Task(samples=[], inferencer=Respond("{text}"), metrics=[length], name="t")
    score_and_write(Run.load(folder), task, system)
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    return [str(write_scored_run(tmp_path / "runs" / system, system)) for system in SYSTEMS]


def answer(folder: Path, kind: str) -> Path:
    make_test(folder, kind, listeners=6)
    SimulatedListeners(qualities=QUALITIES, noise_sd=0.4).answer(folder / kind)
    return folder / kind


@pytest.mark.parametrize(("kind", "pairs"), [("mos", 18), ("cmos", 18)])
def test_a_metric_that_follows_quality_correlates_with_people(
    tmp_path: Path, runs: list[str], kind: str, pairs: int
) -> None:
    result = correlate_test(answer(tmp_path, kind), runs)
    values = {(row.level, row.coefficient): row for row in result.rows}
    assert len(values) == 6
    system, item = values["system", "pearson"], values["item", "spearman"]
    assert system.value is not None
    assert item.value is not None
    assert (system.n, item.n) == (3, pairs)
    assert system.value > 0.9
    assert 0.5 < item.value < 1
    assert item.low is not None
    assert item.low < item.value
    page = (tmp_path / kind / "run" / "report.html").read_text()
    assert "Correlation with people" in page
    assert "length ↑" in "\n".join(format_correlations(result))


def test_two_systems_are_too_few_for_a_correlation_between_systems(tmp_path: Path, runs: list[str]) -> None:
    result = correlate_test(answer(tmp_path, "mos"), runs[:2])
    assert all(row.value is None for row in result.rows if row.level == "system")
    assert "2 systems are too few" in result.notes[0]


def test_an_abx_test_has_nothing_to_correlate(tmp_path: Path, runs: list[str]) -> None:
    with pytest.raises(SpecError, match="not which is better"):
        correlate_test(answer(tmp_path, "abx"), runs)


def test_runs_are_matched_by_name_source_or_folder(tmp_path: Path, runs: list[str]) -> None:
    test = make_test(tmp_path, "mos", items=3, listeners=3)
    assert match_runs(test, runs) == {name: Path(run) for name, run in zip(SYSTEMS, runs, strict=True)}
    assert match_runs(test, [f"cairo={runs[0]}"]) == {"cairo": Path(runs[0])}
    other = write_scored_run(tmp_path / "other", "oslo")
    with pytest.raises(SpecError, match="both belong to 'oslo'"):
        match_runs(test, [runs[0], str(other)])
    with pytest.raises(SpecError, match="belongs to none of the systems oslo, quito, cairo"):
        match_runs(test, [f"lima={runs[0]}"])
