"""A list of runs, each a link to its results."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.workspace import RunEntry


def draw_run_list(entries: Sequence[RunEntry], max_runs: int) -> None:
    """The first of these runs, with a line on each."""
    with st.container(key="run-rows", gap=None):
        for entry in entries[:max_runs]:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                page = "performance" if entry.kind == "perf" else "benchmark"
                navigation.draw_page_link(page, entry.name, run=entry.name)
                st.markdown(f":gray[{theme.escape_markdown(describe_run(entry))}]")
    if len(entries) > max_runs:
        st.caption(f"{len(entries) - max_runs:,} older ones can be chosen on the other pages.")


def describe_run(entry: RunEntry) -> str:
    """An entry in a line."""
    if entry.error:
        return entry.error
    kind = "load test of " if entry.kind == "perf" else ""
    state = "" if entry.is_finished else " · not finished"
    when = f" · {entry.created_at[:16].replace('T', ' ')}" if entry.created_at else ""
    return f"{kind}{entry.task} × {entry.model}{state}{when}"
