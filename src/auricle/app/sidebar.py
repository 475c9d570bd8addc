"""The sidebar: loaded models and memory use."""

from __future__ import annotations

import streamlit as st

from auricle.app.model_pool import get_model_pool, gpu_memory, system_memory
from auricle.app.theme import escape_markdown

GIGABYTE = 1e9


def draw_sidebar() -> None:
    """Draw the loaded models, with buttons to unload them, and the memory in use."""
    slots = get_model_pool().loaded_slots()
    st.caption("Models in memory")
    if not slots:
        st.markdown(":gray[None]")
    for slot in slots:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{escape_markdown(slot.name)} :gray[{slot.memory_bytes / 1e6:.0f} MB]")
            if st.button(
                "", key=f"unload-{id(slot)}", icon=":material/close:", type="tertiary",
                help="Unload this model",
            ):  # fmt: skip
                get_model_pool().unload(slot)
                st.rerun()
    for name, used, total in (("Memory", *system_memory()), *gpu_memory()):
        usage = f"{escape_markdown(name)}: {used / GIGABYTE:.1f} of {total / GIGABYTE:.1f} GB"
        st.progress(min(1.0, used / total), text=f":gray[{usage}]")
