"""Tests of the pages and the links to them."""

from typing import Any

import pytest
import streamlit

from auricle.app.navigation import build_samples_link, page_renderer, samples_query
from auricle.app.pages import PAGES, list_pages, title_and_icon
from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError
from auricle.runs.filter_terms import Term
from tests.support.app_pages import draw_view


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_a_module(name: str) -> None:
    assert callable(PAGES.get(name))


def test_error_of_a_page_is_shown_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise SpecError("no *luck*")

    messages: list[str] = []
    monkeypatch.setitem(PAGES._registered, "home", fail)
    monkeypatch.setattr(streamlit, "error", lambda text, icon: messages.append(text))
    page_renderer("home")()
    assert messages == [r"no \*luck\*"]


def test_page_of_a_package_has_its_name_as_title_and_address(install: Any) -> None:
    install("auricle-cloud", {"app_pages": {"word/cloud": "auricle_cloud:draw"}}, "def draw(): ...")
    assert title_and_icon(list_pages()[-1]) == ("Word/cloud", "extension")
    app = draw_view("auricle.app.navigation:draw_page_link('word/cloud', 'x')")
    assert app.get("page_link")[0].proto.page == "word-cloud"


def test_label_of_a_link_is_escaped() -> None:
    app = draw_view("auricle.app.navigation:draw_page_link('home', '**x**')")
    assert app.get("page_link")[0].proto.label == r"\*\*x\*\*"


def test_parameters_of_a_page_are_sent_to_the_browser_only_when_they_change(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(
        "streamlit.runtime.state.query_params_proxy.QueryParamsProxy.from_dict", lambda _, q: sent.append(q)
    )
    app = draw_view("auricle.app.navigation:sync_url('x')")
    app.run()
    assert sent == []
    app.query_params["run"] = "a"
    app.run()
    assert sent == [{"run": "a"}]
    app.run()
    assert sent == [{"run": "a"}]


def test_link_to_samples_names_the_filter(workspace: Workspace) -> None:
    query = samples_query(workspace.root / "group" / "a", Term("label", "=", "very sad"), metric="uar")
    assert query == {"run": "group/a", "filter": 'label="very sad"', "metric": "uar"}
    link = build_samples_link(workspace.root / "a", "3 & more")
    assert link == '<a href="samples?run=a" target="_self">3 &amp; more</a>'
