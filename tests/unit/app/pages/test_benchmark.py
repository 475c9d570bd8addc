"""Tests of the page that starts runs."""

import pytest

from auricle.app.jobs import Job, JobManager
from auricle.app.pages.benchmark import list_data_files, suggest_run_name
from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_page, find_button


def test_form_starts_a_run_of_a_task(workspace: Workspace, started_jobs: list[Job]) -> None:
    app = draw_page("benchmark", {"bench-model": "echo", "bench-limit": 3})
    find_button(app, "Start").click().run()
    (job,) = started_jobs
    assert job.arguments == ("run", "demo", "-m", "echo", "--limit", "3", "-o", str(workspace.root / "demo-echo"))


def test_form_starts_a_run_of_data_in_an_allowed_folder(workspace: Workspace, started_jobs: list[Job]) -> None:
    data = workspace.allowed_folders[0] / "mine.jsonl"
    data.write_text("{}")
    app = draw_page("benchmark", {"bench-source": "My data", "bench-data": str(data), "bench-kind": "qa"})
    find_button(app, "Start").click().run()
    assert started_jobs[0].arguments[1] == str(data)


def test_data_elsewhere_is_rejected(workspace: Workspace, started_jobs: list[Job]) -> None:
    data = workspace.allowed_folders[0] / "link.jsonl"
    data.symlink_to("/etc/passwd")
    app = draw_page("benchmark", {"bench-source": "My data", "bench-data": str(data)})
    find_button(app, "Start").click().run()
    assert "in a folder the app may read" in app.error[0].value
    assert not started_jobs


def test_run_without_data_cannot_be_started(workspace: Workspace) -> None:
    assert find_button(draw_page("benchmark", {"bench-source": "My data"}), "Start").disabled


def test_run_name_outside_the_runs_folder_is_rejected(workspace: Workspace, started_jobs: list[Job]) -> None:
    app = draw_page("benchmark", {"bench-name": "../../x"})
    find_button(app, "Start").click().run()
    assert "Invalid run name" in app.error[0].value
    assert not started_jobs


@pytest.mark.parametrize("name", ["../allowed", "missing"])
def test_url_can_only_name_a_run(workspace: Workspace, name: str) -> None:
    assert draw_page("benchmark", run=name).error


def test_stopped_job_can_be_resumed_and_failed_job_shows_its_error(
    workspace: Workspace, started_jobs: list[Job]
) -> None:
    jobs = JobManager(workspace)
    jobs._folder.mkdir()
    jobs._write(Job("a", ("run",), ("a",), started_at=1.0, exit_code=130))
    jobs._write(Job("b", ("run",), ("b",), started_at=2.0, exit_code=2))
    jobs._log_path("b").write_text("auricle: no such thing **here**\n")
    app = draw_page("benchmark")
    assert [error.value for error in app.error] == ["no such thing \\*\\*here\\*\\*"]
    find_button(app, "Resume").click().run()
    assert [job.name for job in started_jobs] == ["a"]


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
