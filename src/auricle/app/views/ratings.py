"""Results of reward models: predictions against human ratings, and accuracy on pairwise preferences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import draw_chart
from auricle.app.views import charts, components, sample_card
from auricle.report.html_format import format_count, typeset_interval, typeset_value
from auricle.runs.metrics import Metrics, Number

MAX_POINTS = 3000
MAX_CARDS = 3


def select_rating_numbers(metrics: Metrics) -> list[Number]:
    """Select one correlation metric for each rated dimension."""
    correlations = [number for number in metrics.overall if number.plot == "ratings"]
    return list({rated_dimension(number.metric): number for number in reversed(correlations)}.values())[::-1]


def rated_dimension(metric: str) -> str:
    """Return the rated dimension of a metric.

    >>> rated_dimension("lcc.musicality"), rated_dimension("ccc_arousal")
    ('musicality', 'arousal')
    """
    return metric.partition("." if "." in metric else "_")[2]


def draw_ratings(path: Path, metrics: Metrics, numbers: Sequence[Number], key: str) -> None:
    """Draw the correlations and the scatter plot of one dimension, and the sample of the selected point."""
    st.subheader("Predictions against ratings", anchor=False)
    number_by_dimension = {rated_dimension(number.metric) or "rating": number for number in numbers}
    dimension = next(iter(number_by_dimension))
    if len(number_by_dimension) > 1:
        dimension = str(st.selectbox("Dimension", list(number_by_dimension), key=f"{key}-rated"))
    number = number_by_dimension[dimension]
    frame = run_data.load_samples(path).frame
    points = build_rating_pairs(frame, number.metric)
    _draw_correlations(metrics, rated_dimension(number.metric))
    if not len(points):
        components.draw_notes("No sample has both a prediction and a rating.")
        return
    state = draw_chart(
        charts.scatter_chart(points, (f"{dimension}: human rating", f"{dimension}: prediction")),
        key=f"{key}-scatter-{dimension}",
        on_select="rerun",
        alt="Predictions against human ratings",
    )
    subset = f" Showing {MAX_POINTS:,} of {len(frame):,} samples." if len(points) == MAX_POINTS else ""
    components.draw_notes(
        f"Each point is a sample; click one to play it. Dashed line: prediction equals rating.{subset}"
    )
    selected = (state.get("selection") or {}).get("point") or [] if state else []
    if selected and "index" in selected[0]:
        index = int(selected[0]["index"])
        if 0 <= index < len(frame):
            sample_card.draw_card(path, frame.iloc[index], number)


def build_rating_pairs(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return prediction and rating of each sample that has both; an even subset if there are many."""
    if f"stat.{metric}" not in frame or f"reference.{metric}" not in frame:
        return pd.DataFrame()
    pairs = pd.DataFrame(
        {
            "index": range(len(frame)),
            "id": frame["id"],
            "prediction": frame[f"stat.{metric}"],
            "rating": frame[f"reference.{metric}"],
        }
    ).dropna()
    if len(pairs) <= MAX_POINTS:
        return pairs
    step = len(pairs) / MAX_POINTS
    return pairs.iloc[[int(position * step) for position in range(MAX_POINTS)]]


def _draw_correlations(metrics: Metrics, dimension: str) -> None:
    rows = [
        [number.title, typeset_value(number), typeset_interval(number), format_count(number.scored)]
        for number in metrics.overall
        if rated_dimension(number.metric) == dimension and not number.details.get("matrix")
    ]
    if rows:
        components.draw_table(["Measure", "Value", "95 % interval", "Samples"], rows)


# --- preferences ------------------------------------------------------------------------------


def select_preference_numbers(metrics: Metrics) -> list[Number]:
    """Select the accuracies on pairwise preferences."""
    return [number for number in metrics.overall if number.plot == "pairs"]


def _baseline_metric(number: Number) -> str:
    return number.metric.replace("accuracy", "always_b", 1)


def draw_preferences(path: Path, metrics: Metrics, numbers: Sequence[Number]) -> None:
    """Draw how often the model agrees with human preferences, over all pairs and by group."""
    st.subheader("Pairwise preferences", anchor=False)
    names = {number.metric for number in numbers}
    by_group = {(number.metric, number.field, number.group): number for number in metrics.numbers}
    rows = []
    for number in (number for number in metrics.numbers if number.metric in names):
        baseline = by_group.get((_baseline_metric(number), number.field, number.group))
        rows.append(
            [
                number.title,
                f"{number.field}: {number.group}" if number.field else "all pairs",
                typeset_value(number),
                typeset_interval(number),
                typeset_value(baseline) if baseline else "–",
                format_count(number.details.get("ties")),
                format_count(number.scored),
            ]
        )
    headers = ["Metric", "Pairs", "Accuracy", "95 % interval", "Always second", "Ties", "Samples"]
    components.draw_table(headers, rows, 2)
    components.draw_notes(
        "Random choice scores 50 %; “always second” is the accuracy of always choosing the second item."
    )
    st.markdown("**Incorrect pairs**")
    frame = samples_table.sort_worst_first(run_data.load_samples(path).frame, numbers[0])
    incorrect = frame[frame[f"stat.{numbers[0].metric}"] < 1.0] if len(frame) else frame
    caption = f"{len(incorrect):,} pairs; showing the first {min(MAX_CARDS, len(incorrect))}."
    sample_card.draw_cards(path, incorrect, numbers[0], MAX_CARDS, caption)
