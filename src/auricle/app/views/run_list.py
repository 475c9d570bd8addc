"""A list of runs with links to their results."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.app import navigation, theme
from auricle.app.workspace import RunEntry


def draw_run_list(entries: Sequence[RunEntry], max_runs: int) -> None:
    """Draw one line for each of the first `max_runs` runs."""
    with st.container(key="run-rows", gap=None):
        for entry in entries[:max_runs]:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                page = "performance" if entry.kind == "perf" else "benchmark"
                navigation.draw_page_link(page, entry.name, run=entry.name)
                st.markdown(f":gray[{theme.escape_markdown(describe_run(entry))}]")
    if len(entries) > max_runs:
        st.caption(
            f"{len(entries) - max_runs:,} older runs are available on the Samples, Compare and Performance pages."
        )


def describe_run(entry: RunEntry) -> str:
    """Describe a run on one line: task, model, state and start time."""
    if entry.error:
        return entry.error
    kind = "Load test: " if entry.kind == "perf" else ""
    state = "" if entry.is_finished else " · unfinished"
    created_at = f" · {entry.created_at[:16].replace('T', ' ')}" if entry.created_at else ""
    return f"{kind}{entry.task} × {entry.model}{state}{created_at}"
