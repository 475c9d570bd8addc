"""The results of a run; the sections depend on the kind of its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from auricle.app import navigation, run_data, workspace
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import audit, charts, components, sample_card
from auricle.app.views import metrics as metrics_view
from auricle.report.html_format import format_count, typeset_decimal, typeset_interval, typeset_number, typeset_value
from auricle.report.plot_data import ConfusionMatrix, Dimension, Plane, list_averages, list_classes, list_dimensions
from auricle.report.text_format import format_silence
from auricle.runs.metrics import Metrics, Number
from auricle.runs.run_directory import contains_load_test

MAX_CARDS, MAX_PAIR_CARDS = 5, 3
MAX_CONFUSIONS = 20
MAX_POINTS = 3000
ERROR_KINDS = ("substitutions", "deletions", "insertions")
ALIGNMENT_LEGEND = Markup(
    '<p class="muted"><del>Struck through</del>: deleted words. <ins>Underlined</ins>: inserted words. Both together: '
    "a substitution.</p>"
)


def draw_results(path: Path) -> None:
    """Draw the metrics, charts and samples of a run, or the results of a load test."""
    with components.error_boundary():
        if contains_load_test(path):
            from auricle.app.views.load_test import draw_load_test

            draw_load_test(path)
            return
        metrics, key = run_data.load_metrics(path), str(path)
        _draw_links(path)
        metrics_view.draw_headline(metrics)
        metrics_view.draw_warnings(path, metrics)
        metrics_view.draw_overview(metrics)
        audit.draw_audit(path, metrics, key)
        _draw_kind_sections(path, metrics, key)
        metrics_view.draw_breakdown(metrics, key)
        metrics_view.draw_exclusions(metrics)
        metrics_view.draw_provenance(path, metrics)


def _draw_links(path: Path) -> None:
    """Draw links to other pages about this run."""
    name = workspace.current_workspace().run_name(path)
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
    ratings, preferences = select_rating_numbers(metrics), [number for number in numbers if number.plot == "pairs"]
    if error_rates:
        _draw_word_errors(path, metrics, error_rates, key)
    if with_matrix:
        _draw_classification(path, with_matrix[0], key)
    if with_dimensions:
        _draw_dimensions(with_dimensions[0], key)
    if ratings:
        _draw_ratings(path, metrics, ratings, key)
    if preferences:
        _draw_preferences(path, metrics, preferences)
    if not (error_rates or with_matrix or with_dimensions or ratings or preferences) and numbers:
        _draw_answers(path, numbers[0])


def _draw_answers(path: Path, number: Number) -> None:
    """Draw the first samples, incorrect ones first."""
    st.subheader("Answers", anchor=False)
    frame = run_data.sort_worst_first(run_data.load_samples(path).frame, number)
    stat_column = f"stat.{number.metric}"
    if number.right_or_wrong and set(frame[stat_column].unique()) <= {0.0, 1.0}:
        correct = int((frame[stat_column] == float(number.higher_is_better)).sum())
        components.draw_notes(f"{correct:,} correct, {len(frame) - correct:,} incorrect; incorrect first.")
    sample_card.draw_cards(path, frame, number, MAX_CARDS)


def _clicked(state: Any, selection_name: str) -> dict[str, Any]:
    """Return the fields of the mark that was clicked in a chart; empty if none was."""
    selected: list[dict[str, Any]] = (state.get("selection") or {}).get(selection_name) or [] if state else []
    return selected[0] if selected else {}


# --- speech recognisers -------------------------------------------------------------------------


def _draw_word_errors(path: Path, metrics: Metrics, numbers: Sequence[Number], key: str) -> None:
    """Draw the kinds of error over all samples and by group, then the worst samples."""
    st.subheader("Kinds of error", anchor=False)
    headers = ["", "Substitutions", "Deletions", "Insertions", "Reference length", "Mean per utterance"]
    components.draw_table(headers, map(_error_row, numbers))
    silence = {number.title: text for number in numbers if (text := format_silence(number.details))}
    components.draw_notes(*(f"{title}: {text}, which count as insertions." for title, text in silence.items()))
    first = numbers[0]
    if metrics.fields:
        field = st.selectbox("Group by", metrics.fields, key=f"{key}-errors-by")
        frame = _errors_by_group(metrics, first.metric, field)
        if len(frame):
            draw_chart(charts.stacked_error_chart(frame), alt="Kinds of error by group")
    st.subheader("Worst samples", anchor=False)
    worst = run_data.sort_worst_first(run_data.load_samples(path).frame, first)
    components.draw_markup(ALIGNMENT_LEGEND)
    sample_card.draw_cards(path, worst, first, MAX_CARDS)


def _error_row(number: Number) -> list[str]:
    details, length = number.details, number.details["reference_length"]
    shares = (
        f"{format_count(details[kind])} ({typeset_number(details[kind] / length if length else None, 'share')})"
        for kind in ERROR_KINDS
    )
    mean = typeset_number(details.get("utterance_mean"), "share")
    return [number.title, *shares, format_count(length), mean]


def _errors_by_group(metrics: Metrics, metric: str, field: str) -> pd.DataFrame:
    rows = []
    for number in metrics.numbers:
        if number.metric != metric or number.field not in ("", field):
            continue
        group = (number.group or "(empty)") if number.field else "all samples"
        length = number.details.get("reference_length")
        for order, kind in enumerate(ERROR_KINDS):
            count = number.details.get(kind, 0)
            share = count / length if length else 0.0
            rows.append({"group": group, "kind": kind, "order": order, "count": count, "share": share})
    return pd.DataFrame(rows)


# --- classifiers --------------------------------------------------------------------------------


def _draw_classification(path: Path, number: Number, key: str) -> None:
    """Draw the confusion matrix, the samples of the selected cell, and the metrics per class."""
    matrix = ConfusionMatrix.from_details(number.details)
    st.subheader("Confusions", anchor=False)
    cell = None
    if matrix.is_readable:
        cell = _select_cell(matrix, key)
    else:
        draw_frequent_confusions(matrix)
    notes = ["Counts and row percentages. Click a cell to list and play its samples."]
    if matrix.rows != matrix.predicted_labels:
        notes.append(
            f"{matrix.shared} labels occur on both sides and form the outlined diagonal; the others occur on one side "
            "only."
        )
    components.draw_notes(*notes, *matrix.describe_label_matches())
    if cell:
        _draw_cell_samples(path, matrix, cell, number)
    st.subheader("Per class", anchor=False)
    rows = []
    for figures in (*list_classes(number.details), *list_averages(number.details)):
        shares = (typeset_number(share, "share") for share in (figures.precision, figures.recall, figures.f1))
        rows.append([figures.label, *shares, format_count(figures.support)])
    components.draw_table(["Class", "Precision", "Recall", "F1", "Samples"], rows)


def _select_cell(matrix: ConfusionMatrix, key: str) -> tuple[int, int] | None:
    """Draw the matrix and return the row and column of the cell that was clicked."""
    chart, alt = charts.confusion_chart(matrix, "cell"), "Confusion matrix: true against predicted labels"
    fields = _clicked(draw_chart(chart, key=f"{key}-matrix", on_select="rerun", alt=alt), "cell")
    if not {"r", "c"} <= fields.keys():
        return None
    row, column = int(fields["r"]), int(fields["c"])
    return (row, column) if 0 <= row < len(matrix.rows) and 0 <= column < len(matrix.columns) else None


def _draw_cell_samples(path: Path, matrix: ConfusionMatrix, cell: tuple[int, int], number: Number) -> None:
    samples = select_cell_samples(run_data.load_samples(path).frame, matrix, cell)
    row, column = cell
    caption = (
        f"{format_count(len(samples))} samples labelled {matrix.row_names[row]}, predicted "
        f"{matrix.column_names[column]}; showing the first {min(MAX_CARDS, len(samples))}."
    )
    sample_card.draw_cards(path, samples, number, MAX_CARDS, caption)


def select_cell_samples(frame: pd.DataFrame, matrix: ConfusionMatrix, cell: tuple[int, int]) -> pd.DataFrame:
    """Select the samples with the true and the predicted label of a cell."""
    if "true_label" not in frame:
        return frame.iloc[0:0]
    row, column = cell
    has_true_label = frame["true_label"] == matrix.rows[row]
    if column >= len(matrix.predicted_labels):
        return frame[has_true_label & frame["predicted_label"].isna()]
    return frame[has_true_label & (frame["predicted_label"] == matrix.columns[column])]


def draw_frequent_confusions(matrix: ConfusionMatrix) -> None:
    """Draw a table of the most frequent confusions, if there are too many classes for a matrix."""
    components.draw_notes(f"Too many classes ({len(matrix.rows)}) for a matrix; showing the most frequent confusions.")
    confusions = matrix.frequent_confusions(MAX_CONFUSIONS)
    rows = [[true, predicted, format_count(count)] for count, true, predicted in confusions]
    components.draw_table(["True label", "Predicted label", "Count"], rows, 2)


# --- dimensions such as arousal -----------------------------------------------------------------


def _draw_dimensions(number: Number, key: str) -> None:
    """Draw violins of each dimension, a scatter plot of two, and a table of statistics."""
    dimensions = list_dimensions(number.details)
    st.subheader("Dimensions", anchor=False)
    for dimension in components.iter_in_columns(dimensions):
        st.markdown(f"**{escape_markdown(dimension.name)}**")
        draw_chart(charts.violin_chart(dimension), alt="Violins of one dimension by true label")
    components.draw_notes(
        "Raw model values by true label. Width: density of samples. Bar: interquartile range. Tick: median. Dot: mean."
    )
    if plane := Plane.from_details(number.details):
        draw_chart(charts.plane_chart(plane), key=f"{key}-plane", alt="Samples over two dimensions")
        is_subset = len(plane.points) < plane.total
        shown = f"{len(plane.points):,} of {plane.total:,}" if is_subset else "all"
        components.draw_notes(f"Showing {shown} samples. Large markers: mean of each label.")
    _draw_dimension_table(dimensions)


def _draw_dimension_table(dimensions: Sequence[Dimension]) -> None:
    headers = ["Label", "Samples"]
    for dimension in dimensions:
        headers += [f"{dimension.name}, mean ± sd", "d", "AUC"]
    rows = []
    for distributions in zip(*(dimension.labels for dimension in dimensions), strict=True):
        rows.append([distributions[0].name, format_count(distributions[0].n)])
        for values in distributions:
            mean, deviation = typeset_decimal(values.mean, 3), typeset_decimal(values.sd, 3)
            rows[-1] += [f"{mean} ± {deviation}", typeset_decimal(values.d, 2), typeset_decimal(values.auc, 2)]
    components.draw_table(headers, rows)
    explained = " ".join(
        f"{dimension.name}: labels explain {typeset_number(dimension.eta2, 'share')} of the variance "
        f"({typeset_number(dimension.chance, 'share')} expected by chance)."
        for dimension in dimensions
    )
    components.draw_notes(
        "d: Cohen’s d; AUC: area under the ROC curve. Each compares one label with all others; d = 0 and AUC = 0.5 "
        f"mean no difference. {explained}"
    )


# --- reward models: ratings and preferences -----------------------------------------------------


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


def _draw_ratings(path: Path, metrics: Metrics, numbers: Sequence[Number], key: str) -> None:
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
    chart = charts.scatter_chart(points, (f"{dimension}: human rating", f"{dimension}: prediction"))
    alt, chart_key = "Predictions against human ratings", f"{key}-scatter-{dimension}"
    fields = _clicked(draw_chart(chart, key=chart_key, on_select="rerun", alt=alt), "point")
    subset = f" Showing {MAX_POINTS:,} of {len(frame):,} samples." if len(points) == MAX_POINTS else ""
    components.draw_notes(
        f"Each point is a sample; click one to play it. Dashed line: prediction equals rating.{subset}"
    )
    if "index" in fields and 0 <= (index := int(fields["index"])) < len(frame):
        sample_card.draw_card(path, frame.iloc[index], number)


def build_rating_pairs(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return prediction and rating of each sample that has both; an even subset if there are many."""
    if f"stat.{metric}" not in frame or f"reference.{metric}" not in frame:
        return pd.DataFrame()
    names = {f"stat.{metric}": "prediction", f"reference.{metric}": "rating"}
    pairs = frame.assign(index=range(len(frame)))[["index", "id", *names]].rename(columns=names).dropna()
    if len(pairs) <= MAX_POINTS:
        return pairs
    step = len(pairs) / MAX_POINTS
    return pairs.iloc[[int(position * step) for position in range(MAX_POINTS)]]


def _draw_correlations(metrics: Metrics, dimension: str) -> None:
    rows = [
        (number, [number.title, typeset_value(number), typeset_interval(number), format_count(number.scored)])
        for number in metrics.overall
        if rated_dimension(number.metric) == dimension and not number.details.get("matrix")
    ]
    if rows:
        components.draw_table(["Measure", "Value", "95 % interval", "Samples"], [row for _, row in rows])
        metrics_view.draw_few_units_note(number for number, _ in rows)


def _draw_preferences(path: Path, metrics: Metrics, numbers: Sequence[Number]) -> None:
    """Draw how often the model agrees with human preferences, over all pairs and by group."""
    st.subheader("Pairwise preferences", anchor=False)
    names = {number.metric for number in numbers}
    by_group = {(number.metric, number.field, number.group): number for number in metrics.numbers}
    rows = []
    shown = [number for number in metrics.numbers if number.metric in names]
    for number in shown:
        baseline_metric = number.metric.replace("accuracy", "always_b", 1)
        baseline = by_group.get((baseline_metric, number.field, number.group))
        group = f"{number.field}: {number.group}" if number.field else "all pairs"
        values = (typeset_value(number), typeset_interval(number), typeset_value(baseline) if baseline else "–")
        counts = (format_count(number.details.get("ties")), format_count(number.scored))
        rows.append([number.title, group, *values, *counts])
    headers = ["Metric", "Pairs", "Accuracy", "95 % interval", "Always second", "Ties", "Samples"]
    components.draw_table(headers, rows, 2)
    components.draw_notes(
        "Random choice scores 50 %; “always second” is the accuracy of always choosing the second item."
    )
    metrics_view.draw_few_units_note(shown)
    st.markdown("**Incorrect pairs**")
    frame = run_data.sort_worst_first(run_data.load_samples(path).frame, numbers[0])
    incorrect = frame[frame[f"stat.{numbers[0].metric}"] < 1.0] if len(frame) else frame
    caption = f"{len(incorrect):,} pairs; showing the first {min(MAX_PAIR_CARDS, len(incorrect))}."
    sample_card.draw_cards(path, incorrect, numbers[0], MAX_PAIR_CARDS, caption)
