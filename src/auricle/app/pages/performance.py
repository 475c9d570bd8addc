"""The page that shows load tests."""

from __future__ import annotations

import streamlit as st

from auricle.app.theme import draw_header
from auricle.app.views import components, run_list
from auricle.app.views.load_test import draw_load_test
from auricle.app.views.run_head import draw_facts


def page() -> None:
    """Draw the selection of a load test and its results."""
    draw_header("Performance", "Throughput and latency of a model under load, and whether the measurement is valid.")
    entries = run_list.list_runs("perf")
    if not entries:
        st.info(
            "No load tests yet. Run `auricle perf TASK -m MODEL --load closed:8` to create one.",
            icon=":material/timer:",
        )
        return
    entry = run_list.pick_run("Load test", entries, "performance-run")
    if entry:
        with components.error_boundary():
            draw_facts(entry)
            draw_load_test(entry.path)
