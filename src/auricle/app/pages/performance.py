"""Performance: what a model served under load, and whether the measurement can be believed."""

from __future__ import annotations

import streamlit as st

from auricle.app.theme import head
from auricle.app.views import components, run_picker
from auricle.app.views.error_boundary import guarded
from auricle.app.views.performance import serving


def page() -> None:
    """One measurement of `auricle perf`."""
    head("Performance", "How much a model serves, how fast, and whether to believe it.")
    components.dress()
    known = run_picker.entries("perf")
    if not known:
        st.info(
            "No load test is in the runs folder. `auricle perf TASK -m MODEL --load closed:8` "
            "makes one.",
            icon=":material/timer:",
        )
        return
    entry = run_picker.chosen("Measurement", known, "performance-run")
    if entry:
        with guarded():
            serving(entry.path)
