"""Tests of the page that starts runs."""

import shutil
from pathlib import Path

import pytest

from auricle.app.jobs import Job, JobManager
from auricle.app.pages.benchmark import list_data_files, suggest_run_name
from auricle.app.run_form import RunForm
from auricle.app.views.confirmation import confirmed_origins
from auricle.app.workspace import Workspace
from auricle.runs.run_notes import RunNotes, write_run_notes
from tests.support.app_pages import draw_page, find_button


def test_form_starts_a_run_of_a_task(workspace: Workspace, started_commands: list[list[str]]) -> None:
    app = draw_page("benchmark", {"bench-model": "echo", "bench-limit": 3})
    find_button(app, "Start").click().run()
    run = str(workspace.root / "demo-echo")
    assert started_commands == [["run", "demo", "-m", "echo", "--limit", "3", "-o", run]]


def test_form_starts_a_run_of_data_in_an_allowed_folder(
    workspace: Workspace, started_commands: list[list[str]]
) -> None:
    data = workspace.allowed_folders[0] / "mine.jsonl"
    data.write_text("{}")
    app = draw_page("benchmark", {"bench-source": "My data", "bench-data": str(data), "bench-kind": "qa"})
    find_button(app, "Start").click().run()
    assert started_commands[0][1] == str(data)


def test_data_elsewhere_is_rejected(workspace: Workspace, started_commands: list[list[str]]) -> None:
    data = workspace.allowed_folders[0] / "link.jsonl"
    data.symlink_to("/etc/passwd")
    app = draw_page("benchmark", {"bench-source": "My data", "bench-data": str(data)})
    find_button(app, "Start").click().run()
    assert "in a folder the app may read" in app.error[0].value
    assert not started_commands


def test_run_without_data_cannot_be_started(workspace: Workspace) -> None:
    assert find_button(draw_page("benchmark", {"bench-source": "My data"}), "Start").disabled


def test_run_name_outside_the_runs_folder_is_rejected(workspace: Workspace, started_commands: list[list[str]]) -> None:
    app = draw_page("benchmark", {"bench-name": "../../x"})
    find_button(app, "Start").click().run()
    assert "Invalid run name" in app.error[0].value
    assert not started_commands


@pytest.mark.parametrize("name", ["../allowed", "missing"])
def test_url_can_only_name_a_run(workspace: Workspace, name: str) -> None:
    assert draw_page("benchmark", run=name).error


def test_results_begin_with_the_title_task_model_and_note_of_the_run(workspace: Workspace, runs: Path) -> None:
    path = shutil.copytree(runs / "quiz-good", workspace.root / "quiz")
    write_run_notes(path, RunNotes(title="The *good* one", tags=("paper",), note="Check it."))
    app = draw_page("benchmark", run="quiz")
    assert app.title[0].value == r"The \*good\* one"
    line = app.markdown[0].value.replace("\\", "")
    assert line.startswith(":gray[mcq-quiz × MultipleChoice · 20")
    assert line.endswith(" · paper · quiz]")
    assert app.markdown[1].value == r"Check it\."


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


def test_run_starts_after_its_server_is_confirmed_once(workspace: Workspace, started_commands: list[list[str]]) -> None:
    state = {"bench-model": "openai", "bench-model_options": "base_url=http://localhost:9/v1 model=m"}
    app = draw_page("benchmark", state)
    assert f"will be sent to {SERVER}" in app.warning[0].value
    assert find_button(app, "Start").disabled
    find_button(app, f"Allow requests to {SERVER}").click().run()
    assert not app.warning
    find_button(app, "Start").click().run()
    assert "base_url=http://localhost:9/v1" in started_commands[0]
    assert not draw_page("benchmark", state).warning


def test_click_on_the_disabled_button_starts_nothing(workspace: Workspace, started_commands: list[list[str]]) -> None:
    state = {"bench-model": "openai", "bench-model_options": "base_url=http://localhost:9/v1"}
    button = find_button(draw_page("benchmark", state), "Start")
    button.proto.disabled = False  # as a client that does not respect it
    button.click().run()
    assert not started_commands


def test_job_is_resumed_after_its_server_is_confirmed(workspace: Workspace, started_commands: list[list[str]]) -> None:
    form = RunForm("a", "openai", task="demo", model_options="base_url=http://localhost:9/v1")
    write_job(workspace, Job("a", form, ("a",), exit_code=130))
    app = draw_page("benchmark")
    assert "Resume" not in [button.label for button in app.button]
    find_button(app, f"Allow requests to {SERVER}").click().run()
    find_button(app, "Resume").click().run()
    assert len(started_commands) == 1


@pytest.fixture(autouse=True)
def _no_server_is_confirmed() -> None:
    confirmed_origins().clear()


# --- names and files --------------------------------------------------------------------------


def test_suggested_name_gets_a_number_if_it_is_taken(workspace: Workspace) -> None:
    (workspace.root / "demo-echo").mkdir()
    assert suggest_run_name(workspace, "demo", "echo") == "demo-echo-2"
    assert suggest_run_name(workspace, "/x/mine.test.jsonl", "/y/m.py:A") == "mine-m.py-A"


def test_data_files_are_listed_from_allowed_folders_and_their_subfolders(workspace: Workspace) -> None:
    folder = workspace.allowed_folders[0]
    (folder / "a" / "b").mkdir(parents=True)
    for name in ("x.csv", "notes.txt", "a/y.jsonl", "a/b/z.jsonl"):
        (folder / name).write_text("")
    assert list_data_files(workspace) == [str(folder / "x.csv"), str(folder / "a" / "y.jsonl")]
