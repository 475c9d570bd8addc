"""Tests of the form for a new run."""

import shlex

import pytest

from auricle.app import jobs
from auricle.app.views.confirmation import confirmed_origins
from auricle.app.views.new_run import list_class_prefixes, list_data_files, suggest_run_name
from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_page, find_button, page_text

SERVER = "`http://localhost:9`"


@pytest.fixture(autouse=True)
def _no_server_is_confirmed() -> None:
    confirmed_origins().clear()


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


def test_dataset_classes_of_other_frameworks_can_be_chosen() -> None:
    assert {"kimi", "ser"} <= set(list_class_prefixes())
    assert "lmms" not in list_class_prefixes()


def test_data_elsewhere_is_rejected(workspace: Workspace) -> None:
    data = workspace.allowed_folders[0] / "link.jsonl"
    data.symlink_to("/etc/passwd")
    app = draw_page("benchmark", {"bench-source": "My data", "bench-data": str(data)})
    assert "in a folder the app may read" in app.warning[0].value
    assert find_button(app, "Start").disabled


def test_run_without_data_cannot_be_started(workspace: Workspace) -> None:
    assert find_button(draw_page("benchmark", {"bench-source": "My data"}), "Start").disabled


def test_run_name_outside_the_runs_folder_is_rejected(workspace: Workspace) -> None:
    app = draw_page("benchmark", {"bench-name": "../../x"})
    assert "Invalid run name" in app.warning[0].value
    assert find_button(app, "Start").disabled


def test_run_starts_after_its_server_is_confirmed_once(workspace: Workspace, started_commands: list[list[str]]) -> None:
    state = {"bench-model": "openai", "bench-model-openai-base_url": "http://localhost:9/v1",
             "bench-model-openai-model": "m"}  # fmt: skip
    app = draw_page("benchmark", state)
    assert f"will be sent to {SERVER}" in app.warning[0].value
    assert find_button(app, "Start").disabled
    find_button(app, f"Allow requests to {SERVER}").click().run()
    assert not app.warning
    find_button(app, "Start").click().run()
    assert "base_url=http://localhost:9/v1" in started_commands[0]
    assert not draw_page("benchmark", state).warning


def test_click_on_the_disabled_button_starts_nothing(workspace: Workspace, started_commands: list[list[str]]) -> None:
    state = {"bench-model": "openai", "bench-model-openai-options": "base_url=http://localhost:9/v1 model=m"}
    button = find_button(draw_page("benchmark", state), "Start")
    button.proto.disabled = False  # as a client that does not respect it
    button.click().run()
    assert not started_commands


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


# --- arguments ----------------------------------------------------------------------------------


def test_fields_of_a_task_become_its_arguments(workspace: Workspace, started_commands: list[list[str]]) -> None:
    folder = str(workspace.allowed_folders[0])
    state = {
        "bench-model": "fake-labels",
        "bench-task": "esd",
        "bench-task-esd-root": folder,
        "bench-task-esd-language": "zh",
        "bench-task-esd-split": "test",
        "bench-task-esd-speakers": ["0001", "0002"],
        "bench-task-esd-synonyms": False,
        "bench-task-esd-max_tokens": 7,
    }
    app = draw_page("benchmark", state)
    words = shlex.split(app.code[0].value)
    options = {words[index + 1] for index, word in enumerate(words) if word == "-T"}
    assert options == {f"root={folder}", "language=zh", "speakers=0001,0002", "synonyms=false", "max_tokens=7"}
    find_button(app, "Start").click().run()
    assert started_commands == [words[1:]]


def test_run_that_needs_a_folder_cannot_be_started_without_one(workspace: Workspace) -> None:
    app = draw_page("benchmark", {"bench-task": "ravdess"})
    assert "ravdess: Root folder is missing" in app.warning[0].value.replace("\\", "")
    assert find_button(app, "Start").disabled
    assert not app.code
    assert any(field.label == "Root folder (required)" for field in app.text_input)


def test_failed_check_is_shown_and_nothing_is_started(
    workspace: Workspace, started_commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = '{"checks": [{"passed": false, "text": "no *recordings*"}, {"passed": null, "text": "a note"}]}'
    monkeypatch.setattr(jobs, "_run_dry_run", lambda _arguments: (2, output, ""))
    app = draw_page("benchmark", {"bench-model": "echo"})
    find_button(app, "Start").click().run()
    assert "no \\*recordings\\*" in page_text(app)
    assert not started_commands
    app.number_input(key="bench-limit").set_value(3).run()
    assert "recordings" not in page_text(app)


def test_check_alone_starts_nothing(workspace: Workspace, started_commands: list[list[str]]) -> None:
    find_button(draw_page("benchmark", {"bench-model": "echo"}), "Check").click().run()
    assert not started_commands


def test_dataset_class_of_a_file_is_a_task(workspace: Workspace, started_commands: list[list[str]]) -> None:
    file = workspace.allowed_folders[0] / "mine.py"
    file.write_text("class Mine:\n    def __init__(self, strict: bool = True): ...\n")
    state = {
        "bench-model": "fake-labels",
        "bench-source": "Class in a file",
        "bench-class": f"ser:{file}:Mine",
        f"bench-task-ser:{file}:Mine-strict": False,
    }
    app = draw_page("benchmark", state)
    find_button(app, "Start").click().run()
    assert started_commands[0][1:6] == [f"ser:{file}:Mine", "-m", "fake-labels", "-T", "strict=false"]
    empty = draw_page("benchmark", {"bench-source": "Class in a file"})
    assert find_button(empty, "Start").disabled


def test_secrets_have_no_field_and_variables_show_only_whether_they_are_set(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-shown")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    app = draw_page("benchmark", {"bench-model": "openai"})
    (menu,) = [box for box in app.selectbox if box.label == "Environment variable with the API key"]
    assert {"OPENAI_API_KEY (set)", "GEMINI_API_KEY (not set)"} <= set(menu.options)
    assert not any("api_key" in str(field.key) for field in app.text_input)
    assert "sk-never-shown" not in str([field.value for field in (*app.text_input, *app.selectbox)])


# --- choosing with the mouse --------------------------------------------------------------------


def test_model_is_a_button_that_opens_the_menu(workspace: Workspace) -> None:
    app = draw_page("benchmark")
    find_button(app, "Model: moonshine").click().run()
    find_button(app, "pocketsphinx").click().run()
    assert find_button(app, "Model: pocketsphinx")


def test_folder_is_picked_with_the_mouse(workspace: Workspace) -> None:
    folder = workspace.allowed_folders[0]
    app = draw_page("benchmark", {"bench-task": "ravdess", "bench-task-ravdess-root": str(folder)})
    app.button(key="bench-task-ravdess-root-browse").click().run()
    app.button(key="bench-task-ravdess-root-pick").click().run()
    assert app.text_input(key="bench-task-ravdess-root").value == str(folder)
