"""Workers as Slurm jobs, with a fake submitit; `test_sharded_run` runs real jobs on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auricle import Settings, Spec, SpecError
from auricle.core.errors import MissingExtra
from auricle.engine.shards.launch_document import WorkerDocument, WorkerReport
from auricle.engine.shards.launch_slurm import ShardJob, SlurmLauncher
from auricle.engine.shards.worker import StopSignal, WorkerResult
from tests.support.extras import require_extra


class FakeJob:
    """A job that ends at once, or only when it is cancelled."""

    paths = SimpleNamespace(stderr="1_log.err")
    job_id = "17"

    def __init__(self, result: Any, is_done: bool = True) -> None:
        self._result, self._is_done = result, is_done

    def done(self) -> bool:
        return self._is_done

    def cancel(self) -> None:
        self._is_done = True

    def result(self) -> Any:
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


class FakeSubmitit:
    """The part of submitit that is used."""

    def __init__(self, jobs: list[FakeJob]) -> None:
        self.jobs, self.parameters, self.cluster = jobs, dict[str, Any](), ""

    def AutoExecutor(self, folder: Path, cluster: str) -> Any:  # noqa: N802 - the name of the class
        self.cluster = cluster
        return SimpleNamespace(update_parameters=self._update, map_array=lambda *_: self.jobs)

    def _update(self, **parameters: Any) -> None:
        if "slurm_colour" in parameters:
            raise NameError("Unknown parameter colour")
        self.parameters = parameters


def work(document: WorkerDocument, stop: StopSignal) -> WorkerReport:
    if document.spec["model"] == "missing":
        raise SpecError("no weights")
    return WorkerReport(result=WorkerResult(shards=2))


def make_document(**arguments: Any) -> WorkerDocument:
    spec = Spec(task="qa", model=arguments.pop("model", "echo"), model_args=arguments)
    return WorkerDocument.create(spec, Settings(), "run", name="here")


def launch(
    monkeypatch: pytest.MonkeyPatch, folder: Path, jobs: list[FakeJob], **parameters: Any
) -> tuple[list[WorkerReport], list[str], FakeSubmitit]:
    fake, messages = FakeSubmitit(jobs), list[str]()
    monkeypatch.setitem(sys.modules, "submitit", fake)
    launcher = SlurmLauncher(work, [make_document()], folder, parameters, notify=messages.append)
    return launcher.run(StopSignal()), messages, fake


def test_jobs_are_submitted_with_options_of_sbatch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    job = FakeJob(ShardJob(work)(make_document().encode()))
    reports, messages, fake = launch(monkeypatch, tmp_path, [job], partition="gpu", timeout_min=60)
    assert [report.result.shards for report in reports] == [2]
    assert (fake.cluster, fake.parameters) == (
        "slurm",
        {"name": "auricle", "slurm_partition": "gpu", "timeout_min": 60},
    )
    assert messages == [f"Submitted 1 jobs, 17 and others; their files are in {tmp_path / 'slurm'}."]


def test_jobs_without_a_report_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    jobs = [FakeJob(ShardJob(work)(make_document().encode())), FakeJob(RuntimeError("node failed"))]
    reports, messages, _ = launch(monkeypatch, tmp_path, jobs)
    assert len(reports) == 1
    assert messages[1] == "1 of 2 jobs ended without a report; see 1_log.err."


def test_an_error_of_a_worker_is_that_of_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    job = FakeJob(ShardJob(work)(make_document(model="missing").encode()))
    with pytest.raises(SpecError, match="no weights"):
        launch(monkeypatch, tmp_path, [job])


def test_a_stop_cancels_the_jobs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    job = FakeJob(RuntimeError("cancelled"), is_done=False)
    monkeypatch.setitem(sys.modules, "submitit", FakeSubmitit([job]))
    stop = StopSignal()
    stop.set()
    assert SlurmLauncher(work, [make_document()], tmp_path, {}).run(stop) == []
    assert job.done()


def test_keys_are_not_written_to_the_disk(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="would write the keys among the arguments of the model to the disk"):
        SlurmLauncher(work, [make_document(api_key="secret-key")], tmp_path, {})


def test_a_wrong_parameter_and_a_missing_package_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="--slurm: Unknown parameter colour"):
        launch(monkeypatch, tmp_path, [], colour="red")
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(MissingExtra, match=r"--backend slurm.*\[slurm\]"):
        SlurmLauncher(work, [make_document()], tmp_path, {}).run(StopSignal())


def test_a_job_that_reaches_its_time_limit_is_queued_again() -> None:
    require_extra("slurm")
    job, document = ShardJob(work), make_document().encode()
    delayed = job.checkpoint(document)
    assert delayed.function is job
    assert delayed.args == (document,)
