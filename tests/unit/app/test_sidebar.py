"""Tests of the sidebar."""

import pytest

from auricle.app.model_pool import get_model_pool
from tests.support.app_pages import draw_view

pytestmark = pytest.mark.slow

SIDEBAR = "auricle.app.sidebar:draw_sidebar()"


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
