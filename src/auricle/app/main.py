"""The app as a whole: its pages, its look, and at the side what is loaded."""

from __future__ import annotations

import streamlit as st

from auricle.app import theme
from auricle.app.navigation import PAGES, get_page


def main() -> None:
    """Draw what the visitor is looking at; Streamlit calls this for every change."""
    st.set_page_config("Auricle", theme.icon_svg(), layout="wide", menu_items={})
    theme.apply_styles()
    st.logo(theme.icon_svg(), size="large")
    chosen = st.navigation([get_page(name) for name in PAGES])
    with st.sidebar:
        from auricle.app.sidebar import draw_sidebar

        draw_sidebar()
    chosen.run()
