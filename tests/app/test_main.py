"""Tests of the frame around all pages."""

from streamlit.testing.v1 import AppTest

from auricle.app.workspace import Workspace


def test_main_draws_sidebar_and_first_page(workspace: Workspace) -> None:
    app = AppTest.from_string("from auricle.app.main import main\nmain()", default_timeout=60).run()
    assert not app.exception
    assert app.sidebar.caption[0].value == "Models in memory"
    assert app.title[0].value == "Auricle"
