"""Tests of measuring recordings in the background."""

from pathlib import Path

import pytest

from auricle.app.measure_jobs import MeasureJobs
from auricle.app.workspace import Workspace
from auricle.core.errors import DataError
from auricle.runs.sound_measures import SIGNALS_FILE, read_signals
from tests.support.app_runs import make_run, write_speech_data


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jobs")
    path = make_run(folder / "run", "asr", write_speech_data(folder, 2), "Recogniser", {"metrics": "wer"})
    (path / SIGNALS_FILE).unlink(missing_ok=True)  # what was measured while the run went on
    return path


def test_job_measures_what_the_app_may_read(run: Path) -> None:
    jobs = MeasureJobs()
    assert jobs.get(run) is None
    jobs.start(run, Workspace(run.parent)).join(30)
    job = jobs.get(run)
    assert job
    assert (job.count, job.is_running, job.error) == (2, False, "")
    assert all(measures.level < 0 for measures in read_signals(run).values())


def test_recordings_outside_the_workspace_are_not_read(run: Path, tmp_path: Path) -> None:
    (run / SIGNALS_FILE).unlink(missing_ok=True)
    MeasureJobs().start(run, Workspace(tmp_path)).join(30)
    assert all(measures.level != measures.level for measures in read_signals(run).values())


def test_file_that_leads_out_of_the_run_is_refused(run: Path, tmp_path: Path) -> None:
    (run / SIGNALS_FILE).unlink(missing_ok=True)
    (tmp_path / "elsewhere").touch()
    (run / SIGNALS_FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="not a file inside the run"):
        MeasureJobs().start(run, Workspace(run.parent))
    (run / SIGNALS_FILE).unlink()


def test_job_that_cannot_use_its_file_reports_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    job = MeasureJobs().start(tmp_path / "file", Workspace(tmp_path))
    job.join(30)
    assert job.error.startswith("Recordings could not be measured")
