"""Results of reward models: predictions against ratings, and how often people are agreed with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from auricle.app import run_data, samples_table
from auricle.app.theme import chart
from auricle.app.views import charts, components, sample_card
from auricle.report.formatting import count, spread, title, told
from auricle.report.markup import Child

MOST_POINTS = 3000
Number = Mapping[str, Any]
Document = Mapping[str, Any]


def rated(found: Document) -> list[Number]:
    """Numbers made from predictions beside ratings, one for each thing that is rated."""
    pairs = [
        each
        for each in run_data.overall(found)
        if each["metric"].partition(".")[0] in ("lcc", "srcc", "ktau")
        or each["metric"].startswith(("ccc_", "pearson_"))
    ]
    return list({about(each): each for each in reversed(pairs)}.values())[::-1]


def about(number: Number) -> str:
    """What is rated: `musicality` of `lcc.musicality`, `arousal` of `ccc_arousal`."""
    name = str(number["metric"])
    return name.partition(".")[2] if "." in name else name.partition("_")[2]


def rewards(path: Path, found: Document, numbers: Sequence[Number], key: str) -> None:
    """The scatter of one dimension, its correlations, and the sample of a point."""
    st.subheader("Predictions against ratings", anchor=False)
    names = {about(each) or "rating": each for each in numbers}
    chosen = next(iter(names))
    if len(names) > 1:
        chosen = str(st.selectbox("Rated", list(names), key=f"{key}-rated"))
    number = names[chosen]
    held = run_data.samples(path)
    points = pairs(held.frame, number["metric"])
    _correlations(found, about(number))
    if not len(points):
        components.say("No sample has both a prediction and a rating.")
        return
    state = chart(
        charts.scatter(points, (f"{chosen}, rated by people", f"{chosen}, predicted")),
        key=f"{key}-scatter-{chosen}",
        on_select="rerun",
        alt="Predictions against people's ratings",
    )
    some = f" {MOST_POINTS:,} of {len(held.frame):,} samples." if len(points) == MOST_POINTS else ""
    components.say(
        f"Each point is a sample; click one to hear it. On the dashed line both agree.{some}"
    )
    selected = (state.get("selection") or {}).get("point") or [] if state else []
    if selected and "at" in selected[0]:
        at = int(selected[0]["at"])
        if 0 <= at < len(held.frame):
            sample_card.card(path, held.frame.iloc[at], number)


def pairs(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Prediction and rating of each sample that has both, evenly thinned where there are many."""
    if f"stat.{metric}" not in frame or f"truth.{metric}" not in frame:
        return pd.DataFrame()
    made = pd.DataFrame(
        {
            "at": range(len(frame)),
            "id": frame["id"],
            "said": frame[f"stat.{metric}"],
            "true": frame[f"truth.{metric}"],
        }
    ).dropna()
    if len(made) <= MOST_POINTS:
        return made
    step = len(made) / MOST_POINTS
    return made.iloc[[int(at * step) for at in range(MOST_POINTS)]]


def _correlations(found: Document, name: str) -> None:
    rows: list[list[Child]] = [
        [title(each["metric"]), told(each), spread(each), count(each["scored"])]
        for each in run_data.overall(found)
        if about(each) == name and not each["details"].get("matrix")
    ]
    if rows:
        components.show(components.table(["Measure", "Value", "95 % interval", "Samples"], rows))


# --- preferences ------------------------------------------------------------------------------


def preferred(found: Document) -> list[Number]:
    """Accuracies of choosing one of two; beside them stand chance and always b."""
    known = {each["metric"] for each in run_data.overall(found)}
    return [
        each
        for each in run_data.overall(found)
        if each["metric"].partition(".")[0] == "accuracy"
        and each["metric"].replace("accuracy", "always_b", 1) in known
    ]


def preferences(path: Path, found: Document, numbers: Sequence[Number], key: str) -> None:
    """How often the model prefers what people do, over all pairs and by group."""
    st.subheader("Which of two is better", anchor=False)
    rows: list[list[Child]] = []
    for number in numbers:
        baseline = number["metric"].replace("accuracy", "always_b", 1)
        for each in found["numbers"]:
            if each["metric"] == number["metric"]:
                beside = _same(found, baseline, each)
                group = f"{each['field']}: {each['group']}" if each["field"] else "all pairs"
                rows.append(
                    [
                        title(each["metric"]),
                        group,
                        told(each),
                        spread(each),
                        told(beside) if beside else "–",
                        count(each["details"].get("ties")),
                        count(each["scored"]),
                    ]
                )
    head = ["Metric", "Pairs", "Accuracy", "95 % interval", "Always b", "Ties", "n"]
    components.show(components.table(head, rows, 2))
    components.say("Choosing blindly earns 50 %; “always b” is what naming the second earns.")
    st.markdown("**Pairs the model got wrong**")
    wrong = samples_table.worst_first(run_data.samples(path).frame, numbers[0])
    missed = wrong[wrong[f"stat.{numbers[0]['metric']}"] < 1.0] if len(wrong) else wrong
    sample_card.cards(path, missed, numbers[0], 3, f"{len(missed):,} pairs; the first are shown.")


def _same(found: Document, metric: str, number: Number) -> Number | None:
    alike = (
        each
        for each in found["numbers"]
        if each["metric"] == metric
        and (each["field"], each["group"]) == (number["field"], number["group"])
    )
    return next(alike, None)
