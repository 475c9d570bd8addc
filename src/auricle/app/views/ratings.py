"""Results of reward models: predictions against human ratings, and accuracy on pairwise preferences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.run_data import Document
from auricle.app.theme import draw_chart
from auricle.app.views import charts, components, sample_card
from auricle.report.html_format import NumberDocument, format_count, metric_title, typeset_interval, typeset_value
from auricle.report.markup import Child

MAX_POINTS = 3000
MAX_CARDS = 3


def select_rating_numbers(document: Document) -> list[NumberDocument]:
    """Select one correlation metric for each rated dimension."""
    correlations = [
        number
        for number in run_data.overall_numbers(document)
        if number["metric"].partition(".")[0] in ("lcc", "srcc", "ktau")
        or number["metric"].startswith(("ccc_", "pearson_"))
    ]
    return list({rated_dimension(number): number for number in reversed(correlations)}.values())[::-1]


def rated_dimension(number: NumberDocument) -> str:
    """Return the rated dimension of a metric: `musicality` for `lcc.musicality`, `arousal` for `ccc_arousal`."""
    name = str(number["metric"])
    return name.partition(".")[2] if "." in name else name.partition("_")[2]


def draw_ratings(path: Path, document: Document, numbers: Sequence[NumberDocument], key: str) -> None:
    """Draw the correlations and the scatter plot of one dimension, and the sample of the selected point."""
    st.subheader("Predictions against ratings", anchor=False)
    number_by_dimension = {rated_dimension(number) or "rating": number for number in numbers}
    dimension = next(iter(number_by_dimension))
    if len(number_by_dimension) > 1:
        dimension = str(st.selectbox("Dimension", list(number_by_dimension), key=f"{key}-rated"))
    number = number_by_dimension[dimension]
    frame = run_data.load_samples(path).frame
    points = build_rating_pairs(frame, number["metric"])
    _draw_correlations(document, rated_dimension(number))
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


def _draw_correlations(document: Document, dimension: str) -> None:
    rows: list[list[Child]] = [
        [
            metric_title(number["metric"]),
            typeset_value(number),
            typeset_interval(number),
            format_count(number["scored"]),
        ]
        for number in run_data.overall_numbers(document)
        if rated_dimension(number) == dimension and not number["details"].get("matrix")
    ]
    if rows:
        components.draw_markup(components.build_table(["Measure", "Value", "95 % interval", "Samples"], rows))


# --- preferences ------------------------------------------------------------------------------


def select_preference_numbers(document: Document) -> list[NumberDocument]:
    """Select the accuracies on pairwise preferences, which have an `always_b` baseline."""
    numbers = run_data.overall_numbers(document)
    metrics = {number["metric"] for number in numbers}
    return [
        number
        for number in numbers
        if number["metric"].partition(".")[0] == "accuracy" and _baseline_metric(number) in metrics
    ]


def _baseline_metric(number: NumberDocument) -> str:
    return str(number["metric"]).replace("accuracy", "always_b", 1)


def draw_preferences(path: Path, document: Document, numbers: Sequence[NumberDocument]) -> None:
    """Draw how often the model agrees with human preferences, over all pairs and by group."""
    st.subheader("Pairwise preferences", anchor=False)
    rows: list[list[Child]] = []
    for number in numbers:
        for group_number in document["numbers"]:
            if group_number["metric"] == number["metric"]:
                baseline = _find_same_group(document, _baseline_metric(number), group_number)
                field, group = group_number["field"], group_number["group"]
                rows.append(
                    [
                        metric_title(group_number["metric"]),
                        f"{field}: {group}" if field else "all pairs",
                        typeset_value(group_number),
                        typeset_interval(group_number),
                        typeset_value(baseline) if baseline else "–",
                        format_count(group_number["details"].get("ties")),
                        format_count(group_number["scored"]),
                    ]
                )
    headers = ["Metric", "Pairs", "Accuracy", "95 % interval", "Always second", "Ties", "Samples"]
    components.draw_markup(components.build_table(headers, rows, 2))
    components.draw_notes(
        "Random choice scores 50 %; “always second” is the accuracy of always choosing the second item."
    )
    st.markdown("**Incorrect pairs**")
    frame = samples_table.sort_worst_first(run_data.load_samples(path).frame, numbers[0])
    incorrect = frame[frame[f"stat.{numbers[0]['metric']}"] < 1.0] if len(frame) else frame
    caption = f"{len(incorrect):,} pairs; showing the first {min(MAX_CARDS, len(incorrect))}."
    sample_card.draw_cards(path, incorrect, numbers[0], MAX_CARDS, caption)


def _find_same_group(document: Document, metric: str, number: NumberDocument) -> NumberDocument | None:
    group = (number["field"], number["group"])
    matches = (
        other
        for other in document["numbers"]
        if other["metric"] == metric and (other["field"], other["group"]) == group
    )
    return next(matches, None)
