"""The results of a run; the sections depend on the kind of its outputs."""

from __future__ import annotations

from pathlib import Path

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
from auricle.runs.metrics import Metrics, Number
from auricle.runs.run_directory import contains_load_test


def draw_results(path: Path) -> None:
    """Draw the metrics, charts and samples of a run, or the results of a load test."""
    with error_boundary():
        if contains_load_test(path):
            from auricle.app.views.load_test import draw_load_test

            draw_load_test(path)
            return
        _draw_run(path, run_data.load_metrics(path))


def _draw_run(path: Path, metrics: Metrics) -> None:
    key = str(path)
    _draw_links(path)
    draw_headline(metrics)
    draw_warnings(path, metrics)
    draw_overview(metrics)
    _draw_kind_sections(path, metrics, key)
    draw_breakdown(metrics, key)
    draw_exclusions(metrics)
    draw_provenance(path, metrics)


def _draw_links(path: Path) -> None:
    """Draw links to other pages about this run."""
    root = workspace.current_workspace().root
    if not path.is_relative_to(root):
        return
    name = str(path.relative_to(root))
    with st.container(horizontal=True):
        navigation.draw_page_link("samples", "All samples", run=name)
        navigation.draw_page_link("compare", "Compare with another run", b=name)


def _draw_kind_sections(path: Path, metrics: Metrics, key: str) -> None:
    """Draw a section for each kind of metric the run has."""
    numbers = metrics.overall
    error_rates, with_matrix, with_dimensions = (
        [number for number in numbers if detail in number.details]
        for detail in ("substitutions", "matrix", "dimensions")
    )
    if error_rates:
        draw_word_errors(path, metrics, error_rates, key)
    if with_matrix:
        draw_classification(path, with_matrix[0], key)
    if with_dimensions:
        draw_dimensions(with_dimensions[0], key)
    if ratings := select_rating_numbers(metrics):
        draw_ratings(path, metrics, ratings, key)
    if preferences := select_preference_numbers(metrics):
        draw_preferences(path, metrics, preferences)
    if not (error_rates or with_matrix or with_dimensions or ratings or preferences) and numbers:
        _draw_answers(path, numbers[0])


def _draw_answers(path: Path, number: Number) -> None:
    """Draw the first samples, incorrect ones first."""
    st.subheader("Answers", anchor=False)
    frame = samples_table.sort_worst_first(run_data.load_samples(path).frame, number)
    stat_column = f"stat.{number.metric}"
    if len(frame) and set(frame[stat_column].unique()) <= {0.0, 1.0}:
        correct = int((frame[stat_column] == float(number.higher_is_better)).sum())
        components.draw_notes(f"{correct:,} correct, {len(frame) - correct:,} incorrect; incorrect first.")
    sample_card.draw_cards(path, frame, number, 5)
