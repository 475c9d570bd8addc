"""Tests of the home page."""

from auricle.app.jobs import JobManager
from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_page, find_button


def test_new_user_can_start_the_demo(workspace: Workspace, started_commands: list[list[str]]) -> None:
    app = draw_page("home")
    find_button(app, "Run the demo").click().run()
    (command,) = started_commands
    assert command[:3] == ["demo", "-o", str(workspace.root / "demo")]
    (job,) = JobManager(workspace).list_jobs()
    assert job.runs == ("demo/moonshine", "demo/pocketsphinx")


def test_runs_replace_the_offer_of_the_demo(workspace: Workspace) -> None:
    (workspace.root / "broken").mkdir()
    (workspace.root / "broken" / "spec.json").write_text("{")
    app = draw_page("home")
    assert not [button for button in app.button if button.label == "Run the demo"]
    assert list(app.dataframe[0].value["Status"]) == ["✕ unreadable"]
