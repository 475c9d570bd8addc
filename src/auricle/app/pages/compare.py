"""The page that compares two runs, or explains why they cannot be compared."""

from __future__ import annotations

import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_header, escape_markdown
from auricle.app.views import run_picker
from auricle.app.views.comparison import draw_comparison, draw_load_test_comparison
from auricle.app.views.error_boundary import error_boundary
from auricle.app.workspace import RunEntry
from auricle.core.errors import DataError, SpecError


def page() -> None:
    """Draw the selection of the two runs and their comparison."""
    draw_header(
        "Compare", "Differences between two runs, with confidence intervals and the samples whose outcome changed."
    )
    entries = run_picker.list_entries()
    if len(entries) < 2:
        st.info("At least two runs are needed. Start another one on the Benchmark page.", icon=":material/inbox:")
        return
    left, right = st.columns(2)
    with left:
        candidate_name = st.query_params.get("b", "")
        default_index = run_picker.default_baseline_index(entries, candidate_name)
        if "a" not in st.query_params and candidate_name != run_picker.previous_choice("compare-b"):
            run_picker.clear_choice("compare-a")  # the link names only B: choose a suitable baseline for it
        a = run_picker.pick_run("A (baseline)", entries, "compare-a", query_key="a", default_index=default_index)
    with right:
        b = run_picker.pick_run("B (candidate)", entries, "compare-b", query_key="b")
    if a and b:
        with error_boundary():
            _draw_pair(a, b)


def _draw_pair(baseline: RunEntry, candidate: RunEntry) -> None:
    if baseline.path == candidate.path:
        st.info("A and B are the same run. Choose another one.", icon=":material/compare_arrows:")
        return
    if baseline.kind != candidate.kind:
        load_test = baseline if baseline.kind == "perf" else candidate
        st.info(
            escape_markdown(f"{load_test.name} is a load test and the other run is not; they cannot be compared."),
            icon=":material/compare_arrows:",
        )
        return
    if baseline.kind == "perf":
        draw_load_test_comparison(baseline.path, candidate.path)
        return
    for entry in (baseline, candidate):
        run_data.load_metrics(entry.path)  # raises an error that describes what is wrong with the run
        if run_data.is_stale(entry.path):  # scoring would read audio from any path the run names
            raise DataError(
                f"The metrics of {entry.name} are out of date. Wait until the run finishes, or run "
                f"`auricle score {entry.name}`."
            )
        if code := run_data.find_foreign_code(entry.path):
            raise DataError(
                f"{entry.name} uses custom code ({code}), which the app does not execute. Use the command line: "
                f"auricle compare {baseline.name} {candidate.name}"
            )
    try:
        draw_comparison(baseline.path, candidate.path)
    except SpecError as error:
        st.info(escape_markdown(f"These runs cannot be compared: {error}"), icon=":material/compare_arrows:")
