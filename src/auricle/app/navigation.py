"""The app's pages, and ways to them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import streamlit as st

from auricle.app.theme import escape_markdown
from auricle.core.errors import AuricleError

PAGES = {
    "home": ("Home", "home"),
    "listen": ("Single inference", "hearing"),
    "benchmark": ("Benchmark", "speed"),
    "samples": ("Samples", "playlist_play"),
    "compare": ("Compare", "compare_arrows"),
    "leaderboard": ("Leaderboard", "leaderboard"),
    "performance": ("Performance", "timer"),
}
"""By address: what a page is called, and its sign."""


def get_page(name: str) -> Any:
    """A page as Streamlit knows it."""
    title, sign = PAGES[name]
    icon = f":material/{sign}:"
    return st.Page(_page_renderer(name), title=title, icon=icon, url_path=name, default=name == next(iter(PAGES)))


def switch_page(name: str, **query: str) -> None:
    """Turn to another page, such as `go("samples", run="demo/moonshine")`."""
    st.switch_page(get_page(name), query_params=query)


def draw_page_link(name: str, label: str, **query: str) -> None:
    """A link to another page; its label is shown to the letter."""
    st.page_link(get_page(name), label=escape_markdown(label), query_params=query)


def _page_renderer(name: str) -> Callable[[], None]:
    """Draws the page; what is the visitor's move is told in one line."""

    def draw() -> None:
        try:
            import_module(f"auricle.app.pages.{name}").page()
        except AuricleError as error:
            st.error(escape_markdown(error), icon=":material/error:")

    return draw
