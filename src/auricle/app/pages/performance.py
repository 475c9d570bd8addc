"""Performance: what a model served under load, and whether the measurement can be believed."""

from __future__ import annotations

import streamlit as st

from auricle.app.theme import draw_header
from auricle.app.views import components, run_picker
from auricle.app.views.error_boundary import error_boundary
from auricle.app.views.load_test import draw_load_test


def page() -> None:
    """One measurement of `auricle perf`."""
    draw_header("Performance", "How much a model serves, how fast, and whether to believe it.")
    components.apply_styles()
    known = run_picker.list_entries("perf")
    if not known:
        st.info(
            "No load test is in the runs folder. `auricle perf TASK -m MODEL --load closed:8` makes one.",
            icon=":material/timer:",
        )
        return
    entry = run_picker.pick_run("Measurement", known, "performance-run")
    if entry:
        with error_boundary():
            draw_load_test(entry.path)
