"""The pages of the app and links to them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import streamlit as st

from auricle.app.theme import escape_markdown
from auricle.core.errors import AuricleError

PAGES = {
    "home": ("Home", "home"),
    "inference": ("Single inference", "hearing"),
    "benchmark": ("Benchmark", "speed"),
    "samples": ("Samples", "playlist_play"),
    "compare": ("Compare", "compare_arrows"),
    "leaderboard": ("Leaderboard", "leaderboard"),
    "performance": ("Performance", "timer"),
}
"""Title and icon of each page, by URL path, which is also the name of its module in `pages`."""


def get_page(name: str) -> Any:
    """Return a page as a Streamlit object."""
    title, icon_name = PAGES[name]
    icon = f":material/{icon_name}:"
    return st.Page(page_renderer(name), title=title, icon=icon, url_path=name, default=name == next(iter(PAGES)))


def draw_page_link(name: str, label: str, **query: str) -> None:
    """Draw a link to another page; Markdown in the label is escaped."""
    st.page_link(get_page(name), label=escape_markdown(label), query_params=query)


def page_renderer(name: str) -> Callable[[], None]:
    """Return a function that draws the page and shows errors of Auricle in one line."""

    def draw() -> None:
        try:
            import_module(f"auricle.app.pages.{name}").page()
        except AuricleError as error:
            st.error(escape_markdown(error), icon=":material/error:")

    return draw
