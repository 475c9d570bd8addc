"""One quiet look, light and dark: what Streamlit has no setting for, and charts to match.

Blue and orange carry meaning and stay apart for every kind of colour vision; nothing is told by
colour alone.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st

from auricle.app.palette import DARK, LIGHT
from auricle.app.palette import Palette as Palette

PERSIST_STATE: Any = {"persist_state": "session"}
"""For widgets that keep their value while a visitor looks at other pages."""


def current_palette() -> Palette:
    """The colours of the mode this visitor looks at the page in."""
    return DARK if st.context.theme.type == "dark" else LIGHT


@cache
def _read_asset(name: str) -> str:
    return files("auricle.app").joinpath(name).read_text(encoding="utf-8")


def icon_svg() -> str:
    """The app's sign, as SVG; one by name would be fetched from far away."""
    return _read_asset("icon.svg")


def apply_styles() -> None:
    """Put the app's own style sheet on the page: only what Streamlit has no setting for."""
    st.html(f"<style>{_read_asset('app.css')}</style>")


def draw_header(title: str, subtitle: str = "") -> None:
    """A page's title and the sentence that says what it is for; both are ours, not a run's."""
    st.title(title, anchor=False)
    if subtitle:
        st.markdown(f":gray[{subtitle}]")


MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&\"'=@/])")


def escape_markdown(text: object) -> str:
    """Somebody else's words for a place that reads Markdown: shown to the letter, never obeyed."""
    told = " ".join(str(text).split())
    return MARKDOWN_SPECIAL.sub(r"\\\1", told)


def draw_chart(chart: Any, *, key: str | None = None, **options: Any) -> Any:
    """An Altair chart as wide as its place, in the colours of the mode."""
    return st.altair_chart(chart, width="stretch", theme="streamlit", key=key, **options)
