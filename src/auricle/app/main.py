"""Draw the app: navigation, sidebar and the selected page."""

from __future__ import annotations

import streamlit as st

from auricle.app import theme
from auricle.app.model_pool import get_model_pool, gpu_memory, system_memory
from auricle.app.navigation import get_page
from auricle.app.pages import list_pages

GIGABYTE = 1e9


def main() -> None:
    """Draw the selected page; Streamlit calls this after every interaction."""
    st.set_page_config("Auricle", theme.icon_svg(), layout="wide", menu_items={})
    theme.apply_styles()
    st.logo(theme.icon_svg(), size="large")
    page = st.navigation([get_page(name) for name in list_pages()])
    with st.sidebar:
        draw_sidebar()
    page.run()


def draw_sidebar() -> None:
    """Draw the loaded models, with buttons to unload them, and the memory in use."""
    slots = get_model_pool().loaded_slots()
    st.caption("Models in memory")
    if not slots:
        st.markdown(":gray[None]")
    for slot in slots:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{theme.escape_markdown(slot.name)} :gray[{slot.memory_bytes / 1e6:.0f} MB]")
            key, icon = f"unload-{id(slot)}", ":material/close:"
            if st.button("", key=key, icon=icon, type="tertiary", help="Unload this model"):
                get_model_pool().unload(slot)
                st.rerun()
    for name, used, total in (("Memory", *system_memory()), *gpu_memory()):
        usage = f"{theme.escape_markdown(name)}: {used / GIGABYTE:.1f} of {total / GIGABYTE:.1f} GB"
        st.progress(min(1.0, used / total), text=f":gray[{usage}]")
