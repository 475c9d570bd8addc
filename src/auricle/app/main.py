"""Draw the app: navigation, sidebar and the selected page."""

from __future__ import annotations

import streamlit as st

from auricle.app import theme
from auricle.app.navigation import get_page
from auricle.app.pages import list_pages
from auricle.app.views.machine import draw_machine


def main() -> None:
    """Draw the selected page; Streamlit calls this after every interaction."""
    st.set_page_config("Auricle", theme.icon_svg(), layout="wide", menu_items={})
    theme.apply_styles()
    st.logo(theme.icon_svg(), size="large")
    page = st.navigation([get_page(name) for name in list_pages()])
    with st.sidebar:
        draw_machine()
    page.run()
