"""Tests of the frame around all pages."""

from streamlit.testing.v1 import AppTest

from auricle.app.model_pool import get_model_pool
from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_view


def test_main_draws_sidebar_and_first_page(workspace: Workspace) -> None:
    app = AppTest.from_string("from auricle.app.main import main\nmain()", default_timeout=60).run()
    assert not app.exception
    assert app.sidebar.caption[0].value == "Models in memory"
    assert app.title[0].value == "Auricle"


# --- sidebar ------------------------------------------------------------


SIDEBAR = "auricle.app.main:draw_sidebar()"


def test_sidebar_lists_loaded_models_and_unloads_them() -> None:
    with get_model_pool().acquire("echo", {"reply": "sidebar"}):
        pass
    app = draw_view(SIDEBAR)
    assert app.markdown[0].value.startswith("echo ")
    while app.button:
        app.button[0].click().run()
    assert [markdown.value for markdown in app.markdown] == [":gray[None]"]


def test_sidebar_shows_memory() -> None:
    assert "Memory: " in str(draw_view(SIDEBAR).get("progress")[0].proto)
