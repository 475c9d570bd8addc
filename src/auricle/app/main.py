"""The app as a whole: its pages, its look, and at the side what is loaded."""

from __future__ import annotations

import streamlit as st

from auricle.app import theme
from auricle.app.navigation import PLACES, place


def main() -> None:
    """Draw what the visitor is looking at; Streamlit calls this for every change."""
    st.set_page_config("Auricle", theme.icon(), layout="wide", menu_items={})
    theme.dress()
    st.logo(theme.icon(), size="large")
    chosen = st.navigation([place(name) for name in PLACES])
    with st.sidebar:
        from auricle.app.sidebar import aside

        aside()
    chosen.run()
