"""The pages of the app and links to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from auricle.app.pages import FIRST_PAGE, PAGES, title_and_icon, url_path
from auricle.app.theme import escape_markdown
from auricle.core.errors import AuricleError


def get_page(name: str) -> Any:
    """Return a page as a Streamlit object."""
    title, icon = title_and_icon(name)
    return st.Page(
        page_renderer(name), title=title, icon=f":material/{icon}:", url_path=url_path(name), default=name == FIRST_PAGE
    )


def draw_page_link(name: str, label: str, **query: str) -> None:
    """Draw a link to another page; Markdown in the label is escaped."""
    st.page_link(get_page(name), label=escape_markdown(label), query_params=query)


def page_renderer(name: str) -> Callable[[], None]:
    """Return a function that draws the page and shows errors of Auricle in one line."""

    def draw() -> None:
        try:
            PAGES.get(name)()
        except AuricleError as error:
            st.error(escape_markdown(error), icon=":material/error:")

    return draw
