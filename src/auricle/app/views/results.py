"""What a run found, by the kind of its answers. `results(path)` is all that pages call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import navigation, run_data, samples_table, workspace
from auricle.app.views import components, sample_card
from auricle.app.views.classification import draw_classification
from auricle.app.views.dimensions import draw_dimensions
from auricle.app.views.error_boundary import error_boundary
from auricle.app.views.metrics import (
    draw_breakdown,
    draw_exclusions,
    draw_headline,
    draw_overview,
    draw_provenance,
    draw_warnings,
)
from auricle.app.views.ratings import draw_preferences, draw_ratings, select_preference_numbers, select_rating_numbers
from auricle.app.views.word_errors import draw_word_errors

Document = Mapping[str, Any]


def draw_results(path: Path) -> None:
    """A run's numbers, pictures and samples; of a measurement, how it served."""
    components.apply_styles()
    with error_boundary():
        if (path / "perf.json").exists():
            from auricle.app.views.load_test import draw_load_test

            draw_load_test(path)
            return
        _draw_run(path, run_data.load_metrics(path))


def _draw_run(path: Path, document: Document) -> None:
    key = str(path)
    _draw_links(path)
    draw_headline(document)
    draw_warnings(path, document)
    draw_overview(document)
    _draw_kind_sections(path, document, key)
    draw_breakdown(document, key)
    draw_exclusions(document)
    draw_provenance(path, document)


def _draw_links(path: Path) -> None:
    """Where else this run can be looked at."""
    root = workspace.current_workspace().root
    if not path.is_relative_to(root):
        return
    name = str(path.relative_to(root))
    with st.container(horizontal=True):
        navigation.draw_page_link("samples", "All samples", run=name)
        navigation.draw_page_link("compare", "Compare with another run", b=name)


def _draw_kind_sections(path: Path, document: Document, key: str) -> None:
    """Sections for what there is; a run of several kinds has several."""
    numbers = run_data.overall_numbers(document)
    spoken = [each for each in numbers if "substitutions" in each["details"]]
    if spoken:
        draw_word_errors(path, document, spoken, key)
    drawn = [each for each in numbers if "matrix" in each["details"]]
    for number in drawn[:1]:
        draw_classification(path, number, key)
    spread = [each for each in numbers if "dimensions" in each["details"]]
    for number in spread[:1]:
        draw_dimensions(number, key)
    told = select_rating_numbers(document)
    if told:
        draw_ratings(path, document, told, key)
    chosen = select_preference_numbers(document)
    if chosen:
        draw_preferences(path, document, chosen, key)
    if not (spoken or drawn or spread or told or chosen) and numbers:
        _draw_answers(path, numbers[0])


def _draw_answers(path: Path, number: Mapping[str, Any]) -> None:
    """Answers with right or wrong, the wrong ones first."""
    st.subheader("Answers", anchor=False)
    frame = samples_table.sort_worst_first(run_data.load_samples(path).frame, number)
    name = f"stat.{number['metric']}"
    if len(frame) and set(frame[name].unique()) <= {0.0, 1.0}:
        right = int((frame[name] == (1.0 if number["higher_is_better"] else 0.0)).sum())
        components.draw_notes(f"{right:,} right, {len(frame) - right:,} wrong; wrong ones first.")
    sample_card.draw_cards(path, frame, number, 5)
