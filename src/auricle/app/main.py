"""Draw the app: navigation, sidebar and the selected page."""

from __future__ import annotations

import streamlit as st

from auricle.app import theme
from auricle.app.navigation import PAGES, get_page


def main() -> None:
    """Draw the selected page; Streamlit calls this after every interaction."""
    st.set_page_config("Auricle", theme.icon_svg(), layout="wide", menu_items={})
    theme.apply_styles()
    st.logo(theme.icon_svg(), size="large")
    page = st.navigation([get_page(name) for name in PAGES])
    with st.sidebar:
        from auricle.app.sidebar import draw_sidebar

        draw_sidebar()
    page.run()
