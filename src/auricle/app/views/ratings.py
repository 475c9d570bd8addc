"""Results of reward models: predictions against ratings, and how often people are agreed with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import draw_chart
from auricle.app.views import charts, components, sample_card
from auricle.report.html_format import format_count, metric_title, typeset_interval, typeset_value
from auricle.report.markup import Child

MAX_POINTS = 3000
Number = Mapping[str, Any]
Document = Mapping[str, Any]


def select_rating_numbers(document: Document) -> list[Number]:
    """Numbers made from predictions beside ratings, one for each thing that is rated."""
    pairs = [
        each
        for each in run_data.overall_numbers(document)
        if each["metric"].partition(".")[0] in ("lcc", "srcc", "ktau")
        or each["metric"].startswith(("ccc_", "pearson_"))
    ]
    return list({rated_dimension(each): each for each in reversed(pairs)}.values())[::-1]


def rated_dimension(number: Number) -> str:
    """What is rated: `musicality` of `lcc.musicality`, `arousal` of `ccc_arousal`."""
    name = str(number["metric"])
    return name.partition(".")[2] if "." in name else name.partition("_")[2]


def draw_ratings(path: Path, document: Document, numbers: Sequence[Number], key: str) -> None:
    """The scatter of one dimension, its correlations, and the sample of a point."""
    st.subheader("Predictions against ratings", anchor=False)
    names = {rated_dimension(each) or "rating": each for each in numbers}
    chosen = next(iter(names))
    if len(names) > 1:
        chosen = str(st.selectbox("Rated", list(names), key=f"{key}-rated"))
    number = names[chosen]
    held = run_data.load_samples(path)
    points = build_rating_pairs(held.frame, number["metric"])
    _draw_correlations(document, rated_dimension(number))
    if not len(points):
        components.draw_notes("No sample has both a prediction and a rating.")
        return
    state = draw_chart(
        charts.scatter_chart(points, (f"{chosen}, rated by people", f"{chosen}, predicted")),
        key=f"{key}-scatter-{chosen}",
        on_select="rerun",
        alt="Predictions against people's ratings",
    )
    some = f" {MAX_POINTS:,} of {len(held.frame):,} samples." if len(points) == MAX_POINTS else ""
    components.draw_notes(f"Each point is a sample; click one to hear it. On the dashed line both agree.{some}")
    selected = (state.get("selection") or {}).get("point") or [] if state else []
    if selected and "at" in selected[0]:
        at = int(selected[0]["at"])
        if 0 <= at < len(held.frame):
            sample_card.draw_card(path, held.frame.iloc[at], number)


def build_rating_pairs(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Prediction and rating of each sample that has both, evenly thinned where there are many."""
    if f"stat.{metric}" not in frame or f"truth.{metric}" not in frame:
        return pd.DataFrame()
    made = pd.DataFrame(
        {"at": range(len(frame)), "id": frame["id"], "said": frame[f"stat.{metric}"], "true": frame[f"truth.{metric}"]}
    ).dropna()
    if len(made) <= MAX_POINTS:
        return made
    step = len(made) / MAX_POINTS
    return made.iloc[[int(at * step) for at in range(MAX_POINTS)]]


def _draw_correlations(document: Document, dimension: str) -> None:
    rows: list[list[Child]] = [
        [metric_title(each["metric"]), typeset_value(each), typeset_interval(each), format_count(each["scored"])]
        for each in run_data.overall_numbers(document)
        if rated_dimension(each) == dimension and not each["details"].get("matrix")
    ]
    if rows:
        components.draw_markup(components.build_table(["Measure", "Value", "95 % interval", "Samples"], rows))


# --- preferences ------------------------------------------------------------------------------


def select_preference_numbers(document: Document) -> list[Number]:
    """Accuracies of choosing one of two; beside them stand chance and always b."""
    known = {each["metric"] for each in run_data.overall_numbers(document)}
    return [
        each
        for each in run_data.overall_numbers(document)
        if each["metric"].partition(".")[0] == "accuracy" and each["metric"].replace("accuracy", "always_b", 1) in known
    ]


def draw_preferences(path: Path, document: Document, numbers: Sequence[Number], key: str) -> None:
    """How often the model prefers what people do, over all pairs and by group."""
    st.subheader("Which of two is better", anchor=False)
    rows: list[list[Child]] = []
    for number in numbers:
        baseline = number["metric"].replace("accuracy", "always_b", 1)
        for each in document["numbers"]:
            if each["metric"] == number["metric"]:
                beside = _find_same_group(document, baseline, each)
                group = f"{each['field']}: {each['group']}" if each["field"] else "all pairs"
                rows.append(
                    [
                        metric_title(each["metric"]),
                        group,
                        typeset_value(each),
                        typeset_interval(each),
                        typeset_value(beside) if beside else "–",
                        format_count(each["details"].get("ties")),
                        format_count(each["scored"]),
                    ]
                )
    head = ["Metric", "Pairs", "Accuracy", "95 % interval", "Always b", "Ties", "n"]
    components.draw_markup(components.build_table(head, rows, 2))
    components.draw_notes("Choosing blindly earns 50 %; “always b” is what naming the second earns.")
    st.markdown("**Pairs the model got wrong**")
    wrong = samples_table.sort_worst_first(run_data.load_samples(path).frame, numbers[0])
    missed = wrong[wrong[f"stat.{numbers[0]['metric']}"] < 1.0] if len(wrong) else wrong
    sample_card.draw_cards(path, missed, numbers[0], 3, f"{len(missed):,} pairs; the first are shown.")


def _find_same_group(document: Document, metric: str, number: Number) -> Number | None:
    alike = (
        each
        for each in document["numbers"]
        if each["metric"] == metric and (each["field"], each["group"]) == (number["field"], number["group"])
    )
    return next(alike, None)
