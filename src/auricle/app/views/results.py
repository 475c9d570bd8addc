"""The results of a run; the sections depend on the kind of its outputs."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from auricle.app import navigation, run_data, samples_table, workspace
from auricle.app.run_data import Document
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
from auricle.report.html_format import NumberDocument


def draw_results(path: Path) -> None:
    """Draw the metrics, charts and samples of a run, or the results of a load test."""
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
    """Draw links to other pages about this run."""
    root = workspace.current_workspace().root
    if not path.is_relative_to(root):
        return
    name = str(path.relative_to(root))
    with st.container(horizontal=True):
        navigation.draw_page_link("samples", "All samples", run=name)
        navigation.draw_page_link("compare", "Compare with another run", b=name)


def _draw_kind_sections(path: Path, document: Document, key: str) -> None:
    """Draw a section for each kind of metric the run has."""
    numbers = run_data.overall_numbers(document)
    error_rates = [number for number in numbers if "substitutions" in number["details"]]
    if error_rates:
        draw_word_errors(path, document, error_rates, key)
    with_matrix = [number for number in numbers if "matrix" in number["details"]]
    if with_matrix:
        draw_classification(path, with_matrix[0], key)
    with_dimensions = [number for number in numbers if "dimensions" in number["details"]]
    if with_dimensions:
        draw_dimensions(with_dimensions[0], key)
    ratings = select_rating_numbers(document)
    if ratings:
        draw_ratings(path, document, ratings, key)
    preferences = select_preference_numbers(document)
    if preferences:
        draw_preferences(path, document, preferences)
    if not (error_rates or with_matrix or with_dimensions or ratings or preferences) and numbers:
        _draw_answers(path, numbers[0])


def _draw_answers(path: Path, number: NumberDocument) -> None:
    """Draw the first samples, incorrect ones first."""
    st.subheader("Answers", anchor=False)
    frame = samples_table.sort_worst_first(run_data.load_samples(path).frame, number)
    stat_column = f"stat.{number['metric']}"
    if len(frame) and set(frame[stat_column].unique()) <= {0.0, 1.0}:
        correct = int((frame[stat_column] == (1.0 if number["higher_is_better"] else 0.0)).sum())
        components.draw_notes(f"{correct:,} correct, {len(frame) - correct:,} incorrect; incorrect first.")
    sample_card.draw_cards(path, frame, number, 5)
