"""Tests of the script that Streamlit runs."""

from streamlit.testing.v1 import AppTest

from auricle.app.server import ENTRY_SCRIPT
from auricle.app.workspace import Workspace


def test_entry_script_draws_the_home_page(workspace: Workspace) -> None:
    app = AppTest.from_file(ENTRY_SCRIPT.with_name("streamlit_app.py"), default_timeout=60).run()
    assert not app.exception
    assert [title.value for title in app.title] == ["Auricle"]


def test_folder_of_the_entry_script_has_no_module_that_shadows_others() -> None:
    names = {path.name for path in ENTRY_SCRIPT.parent.glob("*.py")}
    assert names == {"__init__.py", "asgi_app.py", "streamlit_app.py"}
