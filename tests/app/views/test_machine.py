"""Tests of the sidebar: models in memory and memory in use."""

import os
import shutil
from pathlib import Path

import psutil
import pytest

from auricle.app.jobs import Job, JobManager
from auricle.app.machine import GpuMonitor, GpuUsage, Memory
from auricle.app.model_pool import get_model_pool
from auricle.app.views import machine as machine_view
from auricle.app.views.machine import find_run_processes, stop_run
from auricle.app.workspace import Workspace
from auricle.runs.progress import Progress, write_progress
from auricle.runs.run_directory import lock_run
from tests.support.app_pages import draw_view

SIDEBAR = "auricle.app.views.machine:draw_machine()"


@pytest.fixture(autouse=True)
def _one_gpu(monkeypatch: pytest.MonkeyPatch, workspace: Workspace) -> None:
    """Let the machine have a GPU of which this process uses 6 GB."""
    usage = GpuUsage((Memory("NVIDIA A100", 10**10, 4 * 10**10),), {os.getpid(): 6 * 10**9})
    monkeypatch.setattr(machine_view, "get_gpu_monitor", lambda: GpuMonitor(lambda: usage))


@pytest.fixture
def run(workspace: Workspace, runs: Path) -> Path:
    path = Path(shutil.copytree(runs / "quiz-good", workspace.root / "quiz"))
    write_progress(path, Progress(total=9))
    return path


def test_models_of_the_app_are_listed_and_unloaded() -> None:
    with get_model_pool().acquire("echo", {"reply": "sidebar"}):
        pass
    app = draw_view(SIDEBAR)
    assert app.markdown[0].value.startswith("echo :gray[")
    while app.button:
        app.button[0].click().run()
    assert [markdown.value for markdown in app.markdown] == [":gray[None]"]


def test_memory_of_machine_gpus_and_app_is_shown_before_any_model_is_loaded() -> None:
    app = draw_view(SIDEBAR)
    memory, gpu = (bar.proto for bar in app.get("progress"))
    assert memory.text.startswith(r":gray[Memory\: ")
    assert (gpu.value, gpu.text) == (25, r":gray[NVIDIA A100\: 10\.0 of 40\.0 GB]")
    assert app.caption[-1].value.endswith(", GPU 6.0 GB.")


def test_run_of_any_process_is_listed_with_its_memory_and_can_be_stopped(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[Path] = []
    monkeypatch.setattr(machine_view, "stop_writer", stopped.append)
    with lock_run(run):
        app = draw_view(SIDEBAR)
        assert app.markdown[0].value.startswith("MultipleChoice in quiz :gray[")
        assert ", GPU 6.0 GB" in app.markdown[0].value
        app.button[0].click().run()
        write_progress(run, Progress(total=9, stopping=True))
        app.run()
        assert ":gray[stopping, " in app.markdown[0].value
        assert not app.button
    assert stopped == [run]
    assert find_run_processes(Workspace(run.parent)) == []


def test_run_that_the_app_started_is_stopped_through_its_job(
    run: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled: list[str] = []
    job = Job("quiz", None, ("quiz",), pid=os.getpid(), started_at=psutil.Process().create_time())
    monkeypatch.setattr(JobManager, "list_jobs", lambda _: [job])
    monkeypatch.setattr(JobManager, "cancel", lambda _, job: cancelled.append(job.name))
    stop_run(workspace, "quiz", run)
    assert cancelled == ["quiz"]
