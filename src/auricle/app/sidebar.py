"""The sidebar: models in memory, and how much memory there is."""

from __future__ import annotations

import streamlit as st

from auricle.app.models import graphics, memory, models
from auricle.app.theme import plain

GIGABYTE = 1e9


def aside() -> None:
    """What is loaded and what it takes, below the pages' names."""
    loaded = models().loaded()
    st.caption("Models in memory")
    if not loaded:
        st.markdown(":gray[none yet]")
    for slot in loaded:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{plain(slot.name)} :gray[{slot.size / 1e6:.0f} MB]")
            if st.button(
                "", key=f"unload-{id(slot)}", icon=":material/close:", type="tertiary",
                help="Unload it",
            ):  # fmt: skip
                models().unload(slot)
                st.rerun()
    for name, used, total in (("Memory", *memory()), *graphics()):
        told = f"{plain(name)} {used / GIGABYTE:.1f} of {total / GIGABYTE:.1f} GB"
        st.progress(min(1.0, used / total), text=f":gray[{told}]")
