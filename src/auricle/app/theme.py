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

from auricle.app.colours import DARK, LIGHT
from auricle.app.colours import Palette as Palette

KEPT: Any = {"persist_state": "session"}
"""For widgets that keep their value while a visitor looks at other pages."""


def palette() -> Palette:
    """The colours of the mode this visitor looks at the page in."""
    return DARK if st.context.theme.type == "dark" else LIGHT


@cache
def _file(name: str) -> str:
    return files("auricle.app").joinpath(name).read_text(encoding="utf-8")


def icon() -> str:
    """The app's sign, as SVG; one by name would be fetched from far away."""
    return _file("icon.svg")


def dress() -> None:
    """Put the app's own style sheet on the page: only what Streamlit has no setting for."""
    st.html(f"<style>{_file('app.css')}</style>")


def head(title: str, lead: str = "") -> None:
    """A page's title and the sentence that says what it is for; both are ours, not a run's."""
    st.title(title, anchor=False)
    if lead:
        st.markdown(f":gray[{lead}]")


SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&\"'=@/])")


def plain(text: object) -> str:
    """Somebody else's words for a place that reads Markdown: shown to the letter, never obeyed."""
    told = " ".join(str(text).split())
    return SPECIAL.sub(r"\\\1", told)


def chart(drawn: Any, *, key: str | None = None, **more: Any) -> Any:
    """An Altair chart as wide as its place, in the colours of the mode."""
    return st.altair_chart(drawn, width="stretch", theme="streamlit", key=key, **more)
