"""Compare: any two runs beside each other; what cannot be compared is explained."""

from __future__ import annotations

import streamlit as st

from auricle.app import run_data
from auricle.app.theme import head, plain
from auricle.app.views import components, run_picker
from auricle.app.views.comparison import differences, measurements
from auricle.app.views.error_boundary import guarded
from auricle.app.workspace import Entry
from auricle.core.errors import DataError, SpecError


def page() -> None:
    """B against A, pair by pair."""
    head("Compare", "How a run differs from another, how surely, and in which samples.")
    components.dress()
    known = run_picker.entries()
    if len(known) < 2:
        st.info("Two runs are needed to compare; make another one.", icon=":material/inbox:")
        return
    left, right = st.columns(2)
    with left:
        candidate = st.query_params.get("b", "")
        first = run_picker.beside(known, candidate)
        if "a" not in st.query_params and candidate != st.session_state.get("compare-b-asked", ""):
            run_picker.forget("compare-a")  # a link names B alone: what suits it is found anew
        a = run_picker.chosen("A, the baseline", known, "compare-a", asked="a", first=first)
    with right:
        b = run_picker.chosen("B, the candidate", known, "compare-b", asked="b")
    if a and b:
        with guarded():
            _pair(a, b)


def _pair(a: Entry, b: Entry) -> None:
    if a.path == b.path:
        st.info("Both are the same run: choose another one.", icon=":material/compare_arrows:")
        return
    if a.kind != b.kind:
        measured = a if a.kind == "perf" else b
        st.info(
            plain(
                f"{measured.name} is a load test and the other is not. Its load points are "
                "ordinary runs, but they cannot stand for the whole."
            ),
            icon=":material/compare_arrows:",
        )
        return
    if a.kind == "perf":
        measurements(a.path, b.path)
        return
    for side in (a, b):
        run_data.document(side.path)  # says what is wrong with it, if anything is
        if run_data.is_stale(side.path):  # to score reads sounds, wherever the run says they are
            raise DataError(
                f"More was answered in {side.name} since its numbers were made. Once it is done, "
                f"or after `auricle score {side.name}`, it can be compared."
            )
        if code := run_data.foreign_code(side.path):
            raise DataError(
                f"{side.name} was made by code of its own ({code}), and this app runs no code that "
                f"a run names. On the command line: auricle compare {a.name} {b.name}"
            )
    try:
        differences(a.path, b.path)
    except SpecError as error:
        st.info(plain(f"These two cannot be compared: {error}"), icon=":material/compare_arrows:")
