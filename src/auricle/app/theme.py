"""Theme of the app: style sheet, page headers, charts and escaping.

Blue and orange are distinguishable with any colour vision, and no information is given by colour alone.
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
"""Arguments of widgets that keep their value while the user visits other pages."""


def current_palette() -> Palette:
    """Return the palette of the theme the user has selected, light or dark."""
    return DARK if st.context.theme.type == "dark" else LIGHT


@cache
def _read_asset(name: str) -> str:
    return files("auricle.app").joinpath(name).read_text(encoding="utf-8")


def icon_svg() -> str:
    """Return the app's icon as SVG; Streamlit would load a named icon from the internet."""
    return _read_asset("icon.svg")


def apply_styles() -> None:
    """Add the style sheet for what Streamlit has no setting for, in the colours of both themes.

    The browser chooses between them, so that a page that is open follows when the system changes to dark.
    """
    names = ("background", "text", "muted", "border", "accent", "contrast", "surface")
    colours = (f"--{name}: light-dark({getattr(LIGHT, name)}, {getattr(DARK, name)}); " for name in names)
    st.html(f"<style>.stApp {{ {''.join(colours)}}}\n{_read_asset('app.css')}</style>")


def apply_player_script() -> None:
    """Add the script that plays the open sample with the space bar and follows it in its waveform."""
    st.html(f"<script id='auricle-player'>{_read_asset('player.js')}</script>", unsafe_allow_javascript=True)


def draw_header(title: str, subtitle: str = "") -> None:
    """Draw the title of a page and one sentence about it; neither is escaped."""
    st.title(title, anchor=False)
    if subtitle:
        st.markdown(f":gray[{subtitle}]")


MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&\"'=@/])")


def escape_markdown(text: object) -> str:
    """Escape untrusted text so that Markdown shows it unchanged, on one line."""
    return MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def draw_chart(chart: Any, *, key: str | None = None, **options: Any) -> Any:
    """Draw an Altair chart in the current theme, as wide as its container."""
    return st.altair_chart(chart, width="stretch", theme="streamlit", key=key, **options)
