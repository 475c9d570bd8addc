"""Home."""

import streamlit as st

from auricle.ui import theme


def page() -> None:
    theme.head("Auricle", "Evaluate anything that listens.")
    st.button("Run the demo", type="primary")
