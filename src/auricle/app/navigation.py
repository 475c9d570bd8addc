"""The app's pages, and ways to them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import streamlit as st

from auricle.app.theme import plain
from auricle.core.errors import AuricleError

PLACES = {
    "home": ("Home", "home"),
    "listen": ("Single inference", "hearing"),
    "benchmark": ("Benchmark", "speed"),
    "samples": ("Samples", "playlist_play"),
    "compare": ("Compare", "compare_arrows"),
    "leaderboard": ("Leaderboard", "leaderboard"),
    "performance": ("Performance", "timer"),
}
"""By address: what a page is called, and its sign."""


def place(name: str) -> Any:
    """A page as Streamlit knows it."""
    title, sign = PLACES[name]
    icon = f":material/{sign}:"
    return st.Page(
        _drawing(name), title=title, icon=icon, url_path=name, default=name == next(iter(PLACES))
    )


def go(name: str, **query: str) -> None:
    """Turn to another page, such as `go("samples", run="demo/moonshine")`."""
    st.switch_page(place(name), query_params=query)


def link(name: str, label: str, **query: str) -> None:
    """A link to another page; its label is shown to the letter."""
    st.page_link(place(name), label=plain(label), query_params=query)


def _drawing(name: str) -> Callable[[], None]:
    """Draws the page; what is the visitor's move is told in one line."""

    def draw() -> None:
        try:
            import_module(f"auricle.app.pages.{name}").page()
        except AuricleError as error:
            st.error(plain(error), icon=":material/error:")

    return draw
