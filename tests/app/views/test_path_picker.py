"""Tests of the picker of folders and files."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_view, page_text


def draw_browser(suffixes: tuple[str, ...] = (), start: str = "") -> AppTest:
    return draw_view(f"auricle.app.views.path_picker:draw_browser('k', {suffixes!r}, {start!r})")


def labels(app: AppTest) -> list[str]:
    return [button.label.replace("\\", "") for button in app.button]


def test_allowed_folders_are_entered_and_left(workspace: Workspace) -> None:
    folder = workspace.allowed_folders[0]
    (folder / "RAVDESS" / "Actor_01").mkdir(parents=True)
    app = draw_browser()
    assert labels(app) == [str(folder), str(workspace.root)]
    app.button(key=f"k-enter-{folder}").click().run()
    app.button(key=f"k-enter-{folder}/RAVDESS").click().run()
    assert labels(app) == ["Up", "Choose this folder", "Actor_01"]
    app.button(key="k-up").click().run()
    assert labels(app)[0] == "All folders"
    app.button(key="k-up").click().run()
    assert str(folder) in labels(app)


def test_choosing_sets_the_value_of_the_field(workspace: Workspace) -> None:
    folder = workspace.allowed_folders[0]
    app = draw_browser(start=str(folder))
    app.button(key="k-pick").click().run()
    assert app.session_state["k"] == str(folder)


def test_files_of_the_requested_kinds_are_offered_instead_of_folders(workspace: Workspace) -> None:
    folder = workspace.allowed_folders[0]
    for name in ("a.jsonl", "b.txt", "c.wav"):
        (folder / name).write_text("")
    app = draw_browser((".jsonl",), str(folder / "a.jsonl"))
    assert labels(app) == ["All folders", "a.jsonl"]
    assert "0 folders, 1 files, 1 audio files" in page_text(app)


def test_state_of_the_session_cannot_lead_elsewhere(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    view = "auricle.app.views.path_picker:st.session_state['k-folder'] = {!r}; draw_browser('k')"
    for path in ("/", str(tmp_path), str(tmp_path / "private")):
        assert labels(draw_view(view.format(path))) == [str(workspace.allowed_folders[0]), str(workspace.root)]
