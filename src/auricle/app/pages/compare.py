"""Compare: any two runs beside each other; what cannot be compared is explained."""

from __future__ import annotations

import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_header, escape_markdown
from auricle.app.views import components, run_picker
from auricle.app.views.comparison import draw_comparison, draw_load_test_comparison
from auricle.app.views.error_boundary import error_boundary
from auricle.app.workspace import RunEntry
from auricle.core.errors import DataError, SpecError


def page() -> None:
    """B against A, pair by pair."""
    draw_header("Compare", "How a run differs from another, how surely, and in which samples.")
    components.apply_styles()
    known = run_picker.list_entries()
    if len(known) < 2:
        st.info("Two runs are needed to compare; make another one.", icon=":material/inbox:")
        return
    left, right = st.columns(2)
    with left:
        candidate = st.query_params.get("b", "")
        first = run_picker.default_baseline_index(known, candidate)
        if "a" not in st.query_params and candidate != st.session_state.get("compare-b-asked", ""):
            run_picker.clear_choice("compare-a")  # a link names B alone: what suits it is found anew
        a = run_picker.pick_run("A, the baseline", known, "compare-a", query_key="a", default_index=first)
    with right:
        b = run_picker.pick_run("B, the candidate", known, "compare-b", query_key="b")
    if a and b:
        with error_boundary():
            _draw_pair(a, b)


def _draw_pair(baseline: RunEntry, candidate: RunEntry) -> None:
    if baseline.path == candidate.path:
        st.info("Both are the same run: choose another one.", icon=":material/compare_arrows:")
        return
    if baseline.kind != candidate.kind:
        measured = baseline if baseline.kind == "perf" else candidate
        st.info(
            escape_markdown(
                f"{measured.name} is a load test and the other is not. Its load points are "
                "ordinary runs, but they cannot stand for the whole."
            ),
            icon=":material/compare_arrows:",
        )
        return
    if baseline.kind == "perf":
        draw_load_test_comparison(baseline.path, candidate.path)
        return
    for side in (baseline, candidate):
        run_data.load_metrics(side.path)  # says what is wrong with it, if anything is
        if run_data.is_stale(side.path):  # to score reads sounds, wherever the run says they are
            raise DataError(
                f"More was answered in {side.name} since its numbers were made. Once it is done, "
                f"or after `auricle score {side.name}`, it can be compared."
            )
        if code := run_data.find_foreign_code(side.path):
            raise DataError(
                f"{side.name} was made by code of its own ({code}), and this app runs no code that "
                f"a run names. On the command line: auricle compare {baseline.name} {candidate.name}"
            )
    try:
        draw_comparison(baseline.path, candidate.path)
    except SpecError as error:
        st.info(escape_markdown(f"These two cannot be compared: {error}"), icon=":material/compare_arrows:")
