"""The pages of the app and links to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from auricle.app.pages import FIRST_PAGE, PAGES, title_and_icon, url_path
from auricle.app.theme import escape_markdown
from auricle.app.workspace import current_workspace
from auricle.core.errors import AuricleError
from auricle.runs.filter_terms import Term, format_filter


def get_page(name: str) -> Any:
    """Return a page as a Streamlit object."""
    title, icon = title_and_icon(name)
    return st.Page(
        page_renderer(name), title=title, icon=f":material/{icon}:", url_path=url_path(name), default=name == FIRST_PAGE
    )


def draw_page_link(name: str, label: str, **query: str) -> None:
    """Draw a link to another page; Markdown in the label is escaped."""
    st.page_link(get_page(name), label=escape_markdown(label), query_params=query)


def sync_url(page: str) -> None:
    """Make the URL in the browser agree with the query parameters of a page that links to itself.

    Streamlit leaves the URL as it is when a link leads to the page that contains it, with other parameters. The next
    click would then return to what the URL names.
    """
    query, key = st.query_params.to_dict(), f"url-{page}"
    if st.session_state.get(key, query) != query:
        st.query_params.from_dict(query)
    st.session_state[key] = query


def build_samples_link(path: Path, label: str, *terms: Term, **query: str) -> Markup:
    """Build a link to the samples of a run that match these terms, for use in a table."""
    address = f"{url_path('samples')}?{urlencode(samples_query(path, *terms, **query))}"
    return Markup('<a href="{}" target="_self">{}</a>').format(address, label)


def samples_query(path: Path, *terms: Term, **query: str) -> dict[str, str]:
    """Return the query parameters that open the samples of a run which match these terms."""
    filters = {"filter": format_filter(*terms)} if terms else {}
    return {"run": current_workspace().run_name(path), **filters, **query}


def page_renderer(name: str) -> Callable[[], None]:
    """Return a function that draws the page and shows errors of Auricle in one line."""

    def draw() -> None:
        try:
            PAGES.get(name)()
        except AuricleError as error:
            st.error(escape_markdown(error), icon=":material/error:")

    return draw
