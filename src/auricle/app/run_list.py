"""A list of runs, each a link to its results."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.workspace import Entry


def listing(entries: Sequence[Entry], most: int) -> None:
    """The first of these runs, with a line on each."""
    with st.container(key="run-rows", gap=None):
        for entry in entries[:most]:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                page = "performance" if entry.kind == "perf" else "benchmark"
                navigation.link(page, entry.name, run=entry.name)
                st.markdown(f":gray[{theme.plain(about(entry))}]")
    if len(entries) > most:
        st.caption(f"{len(entries) - most:,} older ones can be chosen on the other pages.")


def about(entry: Entry) -> str:
    """An entry in a line."""
    if entry.reason:
        return entry.reason
    kind = "load test of " if entry.kind == "perf" else ""
    state = "" if entry.finished else " · not finished"
    when = f" · {entry.when[:16].replace('T', ' ')}" if entry.when else ""
    return f"{kind}{entry.task} × {entry.model}{state}{when}"
