"""Tests of the page that starts runs."""

import pytest

from auricle.app.jobs import Job, JobManager
from auricle.app.run_form import RunForm
from auricle.app.views.confirmation import confirmed_origins
from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_page, find_button


@pytest.mark.parametrize("name", ["../allowed", "missing"])
def test_url_can_only_name_a_run(workspace: Workspace, name: str) -> None:
    assert draw_page("benchmark", run=name).error


def write_job(workspace: Workspace, job: Job) -> JobManager:
    jobs = JobManager(workspace)
    jobs._folder.mkdir(exist_ok=True)
    jobs._write(job)
    return jobs


def test_failed_job_shows_its_error(workspace: Workspace) -> None:
    jobs = write_job(workspace, Job("b", None, ("b",), started_at=2.0, exit_code=2))
    jobs._log_path("b").write_text("auricle: no such thing **here**\n")
    assert [error.value for error in draw_page("benchmark").error] == ["no such thing \\*\\*here\\*\\*"]


def test_stopped_job_is_resumed_with_the_same_command(workspace: Workspace, started_commands: list[list[str]]) -> None:
    write_job(workspace, Job("a", RunForm("a", "echo", task="demo"), ("a",), exit_code=130))
    find_button(draw_page("benchmark"), "Resume").click().run()
    assert started_commands == [["run", "demo", "-m", "echo", "-o", str(workspace.root / "a")]]


def test_values_of_a_job_are_checked_again_when_it_is_resumed(
    workspace: Workspace, started_commands: list[list[str]]
) -> None:
    write_job(workspace, Job("a", RunForm("a", "/elsewhere/model.py:Mine", task="demo"), ("a",), exit_code=130))
    app = find_button(draw_page("benchmark"), "Resume").click().run()
    assert "outside the folders the app may read" in app.error[0].value
    assert not started_commands


# --- servers ----------------------------------------------------------------------------------

SERVER = "`http://localhost:9`"


def test_job_is_resumed_after_its_server_is_confirmed(workspace: Workspace, started_commands: list[list[str]]) -> None:
    form = RunForm("a", "openai", task="demo", model_arguments={"base_url": "http://localhost:9/v1"})
    write_job(workspace, Job("a", form, ("a",), exit_code=130))
    app = draw_page("benchmark")
    assert "Resume" not in [button.label for button in app.button]
    find_button(app, f"Allow requests to {SERVER}").click().run()
    find_button(app, "Resume").click().run()
    assert len(started_commands) == 1


@pytest.fixture(autouse=True)
def _no_server_is_confirmed() -> None:
    confirmed_origins().clear()
