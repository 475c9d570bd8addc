"""Performance: what a model served under load, and whether the measurement can be believed."""

from __future__ import annotations

import streamlit as st

from auricle.ui.theme import head
from auricle.ui.views import choosing, pieces
from auricle.ui.views.guarded import guarded
from auricle.ui.views.serving import serving


def page() -> None:
    """One measurement of `auricle perf`."""
    head("Performance", "How much a model serves, how fast, and whether to believe it.")
    pieces.dress()
    known = choosing.entries("perf")
    if not known:
        st.info(
            "No load test is in the runs folder. `auricle perf TASK -m MODEL --load closed:8` "
            "makes one.",
            icon=":material/timer:",
        )
        return
    entry = choosing.chosen("Measurement", known, "performance-run")
    if entry:
        with guarded():
            serving(entry.path)
