"""The audiogram of a run under conditions, with those of other models."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from auricle.app import run_data
from auricle.app.views import components
from auricle.app.views.drawings import build_layout, embed_drawing
from auricle.core.errors import AuricleError
from auricle.runs.metrics import METRICS_FILE, Metrics
from auricle.runs.suites import contains_suite, read_suite_run
from auricle.studies.audiogram.figure import draw_audiogram
from auricle.studies.audiogram.report import Audiogram

MAX_MODELS = 8
"""Number of curves that can still be distinguished."""


def draw_conditions(path: Path) -> None:
    """Draw the audiogram of the conditions that a run belongs to, if it belongs to some.

    Other models that were run under conditions on the same task can be drawn over it.
    """
    suite = path.parent
    if not _is_suite_of_conditions(suite):
        return
    metrics = run_data.load_metrics(suite)
    if not metrics.families:
        return
    st.subheader("Audiogram", anchor=False)
    components.draw_notes(f"This run is one of the conditions in {suite.name}.")
    others = {other.model.name: other for other in _find_others(suite, metrics)}
    key = f"audiogram-{suite}"
    audiogram = Audiogram.from_metrics([metrics])
    left, right = st.columns(2)
    metric = left.selectbox("Metric", [*audiogram.metrics], key=f"{key}-metric")
    chosen = right.multiselect("Other models", [*others], max_selections=MAX_MODELS - 1, key=f"{key}-models")
    if chosen:
        audiogram = Audiogram.from_metrics([metrics, *(others[name] for name in chosen)])
    components.draw_markup(build_layout(), draw_audiogram(audiogram, metric, embed_drawing))


def _is_suite_of_conditions(folder: Path) -> bool:
    try:
        is_suite = contains_suite(folder) and read_suite_run(folder).average == "conditions"
    except AuricleError:  # a damaged file, which is reported where the suite is opened
        return False
    return is_suite and (folder / METRICS_FILE).is_file()


def _find_others(suite: Path, metrics: Metrics) -> list[Metrics]:
    """Return the numbers of other models under conditions on the same task, next to the folder of a suite."""
    folders = [folder for folder in sorted(suite.parent.iterdir()) if folder != suite and folder.is_dir()]
    loaded = [run_data.load_metrics(folder) for folder in folders if _is_suite_of_conditions(folder)]
    return [other for other in loaded if other.task.name == metrics.task.name and other.families]
