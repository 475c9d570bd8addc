"""Tests of the menu of models."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from auricle.app.views.model_menu import describe_model, filter_entries, load_model_entries
from auricle.app.workspace import Workspace
from auricle.models.availability import ModelEntry
from tests.support.app_pages import draw_view, find_button, page_text

CHOOSE = "lambda name: st.session_state.update(chosen=name)"
ENTRIES = [
    ModelEntry("whisper", "any Whisper checkpoint", "Speech recognition", is_ready=False, status="installed"),
    ModelEntry("echo", "repeats its input", "Fake", is_ready=True, status="installed"),
]


@pytest.fixture(autouse=True)
def _fresh_list() -> Iterator[None]:
    load_model_entries.clear()
    yield
    load_model_entries.clear()


def draw_menu() -> AppTest:
    return draw_view(f"auricle.app.views.model_menu:draw_model_menu('menu', {CHOOSE})")


def test_models_are_grouped_and_described(workspace: Workspace) -> None:
    app = draw_menu()
    headings = [text.value for text in app.markdown]
    assert headings[:2] == ["**Speech recognition**", "**Chat and language**"]
    assert "**Fake**" not in headings
    assert "English speech to text" in page_text(app).replace("\\", "")


def test_fake_models_are_shown_if_asked_for(workspace: Workspace) -> None:
    app = draw_menu()
    app.toggle(key="menu-fakes").set_value(True).run()
    find_button(app, "echo").click().run()
    assert app.session_state["chosen"] == "echo"


def test_search_finds_words_of_names_summaries_and_groups() -> None:
    assert [entry.name for entry in filter_entries(ENTRIES, "SPEECH check", shows_fakes=False)] == ["whisper"]
    assert filter_entries(ENTRIES, "speech other", shows_fakes=True) == []
    assert [entry.name for entry in filter_entries(ENTRIES, "", shows_fakes=True)] == ["whisper", "echo"]


def test_class_of_a_file_is_chosen_with_the_prefix_of_its_framework(workspace: Workspace) -> None:
    file = workspace.allowed_folders[0] / "mine.py"
    file.write_text("raise SystemExit\nclass Mine: ...\n")
    app = draw_menu()
    app.segmented_control(key="menu-from").set_value("Class in a file").run()
    app.button(key=f"menu-file-enter-{file.parent}").click().run()
    app.button(key=f"menu-file-pick-{file}").click().run()
    framework = app.selectbox(key="menu-framework")
    assert {"AISBench", "Kimi-Audio-Evalkit", "lmms-eval"} <= {*framework.options}
    assert not [name for name in framework.options if name.endswith(":")]
    framework.set_value("ser:").run()
    find_button(app, "Mine").click().run()
    assert app.session_state["chosen"] == f"ser:{file}:Mine"


def test_file_that_is_not_python_is_reported(workspace: Workspace) -> None:
    file = workspace.allowed_folders[0] / "bad.py"
    file.write_text("(")
    view = f"auricle.app.views.model_menu:st.session_state['k-file'] = {str(file)!r}; draw_class_menu('k', [], print)"
    assert "cannot be read as Python" in draw_view(view).error[0].value.replace("\\", "")


def test_model_outside_the_catalogue_is_a_class_in_a_file() -> None:
    assert describe_model("x.py:Model") == "Class in a file"
    assert describe_model("echo").endswith("installed")
