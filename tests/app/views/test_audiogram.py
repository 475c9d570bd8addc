"""The audiogram on the page of a run that is one of several conditions."""

import shutil
from pathlib import Path

import pytest

from auricle.report.suite_files import combine_and_write
from auricle.runs.metrics import read_metrics
from auricle.runs.suites import read_suite_run
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text
from tests.support.condition_suites import run_conditions, write_task

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run two models under conditions, in folders next to each other."""
    folder = tmp_path_factory.mktemp("conditions")
    write_task(folder, samples=6)
    runs = folder / "runs"
    runs.mkdir()
    for name in ("a", "b"):
        shutil.move(run_conditions(folder, ("noise:snr=10,0",), name), runs / name)
    (runs / "b/suite.json").write_text((runs / "b/suite.json").read_text().replace("listener.py:Listener", "other"))
    suite = read_suite_run(runs / "b")
    combine_and_write(runs / "b", {part.name: read_metrics(runs / "b" / part.folder) for part in suite.parts})
    return runs


def test_condition_has_the_audiogram_of_its_model(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="a/noise-snr-0")
    assert not app.error
    text = page_text(app)
    assert "This run is one of the conditions in a." in text
    assert text.count("data:image/svg+xml") == 1
    (models,) = [field for field in app.multiselect if field.label == "Other models"]
    assert models.options == ["other"]
    models.select("other").run()
    assert "<bdi>other</bdi>" in page_text(app)
    assert page_text(app).count("data:image/svg+xml") == 3


def test_damaged_suite_costs_only_the_audiogram(draw: DrawRun, runs: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(runs, tmp_path / "runs"))
    (copy / "a/suite.json").write_text("{")
    app = draw("benchmark", copy, run="a/noise-snr-0")
    assert "one of the conditions" not in page_text(app)
