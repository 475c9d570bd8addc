"""What a run found, by the kind of its answers. `results(path)` is all that pages call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import navigation, run_data, samples_table, workspace
from auricle.app.views import components, sample_card
from auricle.app.views.dimensions import dimensions
from auricle.app.views.error_boundary import guarded
from auricle.app.views.errors import errors
from auricle.app.views.labels import labels
from auricle.app.views.metrics import breakdown, headline, losses, overview, provenance, remarks
from auricle.app.views.rewards import preferences, preferred, rated, rewards

Document = Mapping[str, Any]


def results(path: Path) -> None:
    """A run's numbers, pictures and samples; of a measurement, how it served."""
    components.dress()
    with guarded():
        if (path / "perf.json").exists():
            from auricle.app.views.performance import serving

            serving(path)
            return
        _told(path, run_data.document(path))


def _told(path: Path, found: Document) -> None:
    key = str(path)
    _ways(path)
    headline(found)
    remarks(path, found)
    overview(found)
    _by_kind(path, found, key)
    breakdown(found, key)
    losses(found)
    provenance(path, found)


def _ways(path: Path) -> None:
    """Where else this run can be looked at."""
    root = workspace.current().root
    if not path.is_relative_to(root):
        return
    name = str(path.relative_to(root))
    with st.container(horizontal=True):
        navigation.link("samples", "All samples", run=name)
        navigation.link("compare", "Compare with another run", b=name)


def _by_kind(path: Path, found: Document, key: str) -> None:
    """Sections for what there is; a run of several kinds has several."""
    numbers = run_data.overall(found)
    spoken = [each for each in numbers if "substitutions" in each["details"]]
    if spoken:
        errors(path, found, spoken, key)
    drawn = [each for each in numbers if "matrix" in each["details"]]
    for number in drawn[:1]:
        labels(path, number, key)
    spread = [each for each in numbers if "dimensions" in each["details"]]
    for number in spread[:1]:
        dimensions(number, key)
    told = rated(found)
    if told:
        rewards(path, found, told, key)
    chosen = preferred(found)
    if chosen:
        preferences(path, found, chosen, key)
    if not (spoken or drawn or spread or told or chosen) and numbers:
        _answers(path, numbers[0])


def _answers(path: Path, number: Mapping[str, Any]) -> None:
    """Answers with right or wrong, the wrong ones first."""
    st.subheader("Answers", anchor=False)
    frame = samples_table.worst_first(run_data.samples(path).frame, number)
    name = f"stat.{number['metric']}"
    if len(frame) and set(frame[name].unique()) <= {0.0, 1.0}:
        right = int((frame[name] == (1.0 if number["higher_is_better"] else 0.0)).sum())
        components.say(f"{right:,} right, {len(frame) - right:,} wrong; wrong ones first.")
    sample_card.cards(path, frame, number, 5)
