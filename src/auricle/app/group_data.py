"""Groups of a run's samples for the app: slices by signal and gaps between groups, cached until the run changes."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from auricle.app import run_data
from auricle.app.run_data import Fingerprint, fingerprint
from auricle.app.workspace import check_run_file
from auricle.core.gc_tuning import infrequent_gc
from auricle.runs.metrics import METRICS_FILE, Number
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.scores import SCORES_FILE
from auricle.runs.sound_measures import SIGNALS_FILE
from auricle.scoring.gaps import Gap, compute_gaps
from auricle.scoring.grouped_stats import GroupedStats, SampleGroups, load_groups

FILES = (OUTPUTS_FILE, SCORES_FILE, METRICS_FILE, SIGNALS_FILE)


def count_unmeasured(path: Path) -> int:
    """Count the recordings of a run that were not measured."""
    return _load_groups(str(path), fingerprint(path, *FILES)).unmeasured


def load_slice_numbers(path: Path, metric: str, field: str) -> list[Number]:
    """Return the numbers of a metric by a measure of the signal; none if they cannot be computed here."""
    overall = next(number for number in run_data.load_metrics(path).overall if number.metric == metric)
    grouped = _load_grouped(str(path), metric, fingerprint(path, *FILES))
    return list(grouped.compute_numbers(field, overall)) if grouped and field in grouped.groupings else []


def load_gaps(path: Path, metric: str, field: str) -> dict[str, Gap]:
    """Return how much each group of a field differs from the others, by name.

    p values are adjusted over all groups of all metadata fields, and of the field itself if it is none of them.
    """
    grouped = _load_grouped(str(path), metric, fingerprint(path, *FILES))
    if grouped is None or field not in grouped.groupings:
        return {}
    fields = [name for name in dict.fromkeys([*run_data.load_metrics(path).fields, field]) if name in grouped.groupings]
    gaps = _compute_gaps(str(path), metric, tuple(fields), fingerprint(path, *FILES))
    return {gap.group: gap for gap in gaps if gap.field == field}


@st.cache_resource(max_entries=4, show_spinner="Reading groups …")
def _load_groups(path: str, fingerprint: Fingerprint) -> SampleGroups:
    for name in FILES:
        check_run_file(Path(path) / name, run_data.MAX_JOURNAL_BYTES)
    with infrequent_gc():
        return load_groups(Path(path), run_data.load_metrics(Path(path)))


@st.cache_resource(max_entries=8, show_spinner="Reading groups …")
def _load_grouped(path: str, metric: str, fingerprint: Fingerprint) -> GroupedStats | None:
    number = next((number for number in run_data.load_metrics(Path(path)).overall if number.metric == metric), None)
    return _load_groups(path, fingerprint).group(Path(path), number) if number else None


@st.cache_data(max_entries=32, show_spinner="Comparing groups …")
def _compute_gaps(path: str, metric: str, fields: tuple[str, ...], fingerprint: Fingerprint) -> list[Gap]:
    grouped = _load_grouped(path, metric, fingerprint)
    return compute_gaps(grouped, fields) if grouped else []
