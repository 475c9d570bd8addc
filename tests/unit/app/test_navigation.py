"""Tests of the pages and the links to them."""

from importlib import import_module

import pytest
import streamlit

from auricle.app import navigation
from auricle.app.navigation import PAGES, page_renderer
from auricle.core.errors import SpecError
from tests.support.app_pages import draw_view


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_a_module(name: str) -> None:
    assert callable(import_module(f"auricle.app.pages.{name}").page)


def test_error_of_a_page_is_shown_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        @staticmethod
        def page() -> None:
            raise SpecError("no *luck*")

    messages: list[str] = []
    monkeypatch.setattr(navigation, "import_module", lambda name: Failing)
    monkeypatch.setattr(streamlit, "error", lambda text, icon: messages.append(text))
    page_renderer("home")()
    assert messages == [r"no \*luck\*"]


def test_label_of_a_link_is_escaped() -> None:
    app = draw_view("auricle.app.navigation:draw_page_link('home', '**x**')")
    assert app.get("page_link")[0].proto.label == r"\*\*x\*\*"
