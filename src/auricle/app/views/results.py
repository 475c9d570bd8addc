"""The results of a run; the sections depend on the kind of its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st
from markupsafe import Markup

from auricle.app import navigation, run_data, workspace
from auricle.app.navigation import build_samples_link
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import audit, charts, components, sample_card, sample_links
from auricle.app.views import metrics as metrics_view
from auricle.app.views.audiogram import draw_conditions
from auricle.app.views.words import draw_words
from auricle.report.axis_labels import shorten_labels
from auricle.report.html_format import format_count, typeset_decimal, typeset_interval, typeset_number, typeset_value
from auricle.report.plot_data import Dimension, Distribution, Plane, list_averages, list_classes, list_dimensions
from auricle.report.text_format import format_silence
from auricle.runs.filter_terms import Term
from auricle.runs.metrics import Metrics, Number
from auricle.runs.run_directory import contains_load_test
from auricle.scoring.confusion_matrix import ConfusionMatrix

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
        name = workspace.current_workspace().run_name(path)
        for chosen in ("filter", "with", "column"):  # links begin with all samples, whatever was chosen there before
            st.session_state.pop(chosen, None)
        with st.container(horizontal=True):
            navigation.draw_page_link("samples", "All samples", **navigation.samples_query(path))
            navigation.draw_page_link("compare", "Compare with another run", b=name)
        metrics_view.draw_headline(metrics)
        metrics_view.draw_warnings(path, metrics)
        is_matrix_first = any("matrix" in number.details for number in metrics.overall)
        if is_matrix_first:
            _draw_kind_sections(path, metrics, key)
        metrics_view.draw_overview(path, metrics)
        draw_conditions(path)
        audit.draw_audit(path, metrics, key)
        if not is_matrix_first:
            _draw_kind_sections(path, metrics, key)
        metrics_view.draw_breakdown(path, metrics, key)
        metrics_view.draw_exclusions(path, metrics)
        metrics_view.draw_provenance(path, metrics)


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
        _draw_dimensions(path, with_dimensions[0], key)
    if ratings:
        _draw_ratings(path, metrics, ratings, key)
    if preferences:
        _draw_preferences(path, metrics, preferences)
    if not (error_rates or with_matrix or with_dimensions or ratings or preferences) and numbers:
        _draw_answers(path, numbers[0])


def _draw_answers(path: Path, number: Number) -> None:
    """Draw the first samples, incorrect ones first."""
    st.header("Answers", anchor=False)
    frame = run_data.sort_worst_first(run_data.load_samples(path).frame, number)
    stat_column = f"stat.{number.metric}"
    if number.right_or_wrong and set(frame[stat_column].unique()) <= {0.0, 1.0}:
        correct = int((frame[stat_column] == float(number.higher_is_better)).sum())
        components.draw_notes(f"{correct:,} correct, {len(frame) - correct:,} incorrect; incorrect first.")
    sample_links.draw_link(path, metric=number.metric)
    sample_card.draw_cards(path, frame, number, MAX_CARDS)


# --- speech recognisers -------------------------------------------------------------------------


def _draw_word_errors(path: Path, metrics: Metrics, numbers: Sequence[Number], key: str) -> None:
    """Draw the kinds of error over all samples and by group, then the worst samples."""
    st.header("Kinds of error", anchor=False)
    headers = ["", "Substitutions", "Deletions", "Insertions", "Reference length", "Mean per utterance"]
    components.draw_table(headers, map(_error_row, numbers))
    silence = {number.title: text for number in numbers if (text := format_silence(number.details))}
    components.draw_notes(*(f"{title}: {text}, which count as insertions." for title, text in silence.items()))
    first = numbers[0]
    if metrics.fields:
        field = st.selectbox("Group by", metrics.fields, key=f"{key}-errors-by")
        frame = _errors_by_group(metrics, first.metric, field)
        if len(frame):
            chart, alt = charts.stacked_error_chart(frame), "Kinds of error by group"
            state = draw_chart(chart, key=f"{key}-errors-{field}", on_select="rerun", alt=alt)
            sample_links.draw_group_link(path, state, field, dict(zip(frame["group"], frame["value"], strict=True)))
    draw_words(path, first)
    st.header("Worst samples", anchor=False)
    worst = run_data.sort_worst_first(run_data.load_samples(path).frame, first)
    components.draw_markup(ALIGNMENT_LEGEND)
    sample_links.draw_link(path, metric=first.metric)
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
    numbers = [number for number in metrics.numbers if number.metric == metric and number.field in ("", field)]
    groups = shorten_labels(
        [(number.group or "(empty)") if number.field else "all samples" for number in numbers],
        metrics_view.MAX_GROUP_LENGTH,
    )
    rows = []
    for number, group in zip(numbers, groups, strict=True):
        length = number.details.get("reference_length")
        for order, kind in enumerate(ERROR_KINDS):
            count = number.details.get(kind, 0)
            share = count / length if length else 0.0
            counts = {"kind": kind, "order": order, "count": count, "share": share}
            rows.append({"group": group, "value": number.group if number.field else None, **counts})
    return pd.DataFrame(rows)


# --- classifiers --------------------------------------------------------------------------------


def _draw_classification(path: Path, number: Number, key: str) -> None:
    """Draw the confusion matrix, the samples of the selected cell, and the metrics per class."""
    matrix = ConfusionMatrix.from_details(number.details)
    st.header("Confusions", anchor=False)
    cell = None
    if matrix.is_readable:
        chart, alt = charts.confusion_chart(matrix, "cell"), "Confusion matrix: true against predicted labels"
        state = draw_chart(chart, key=f"{key}-matrix", on_select="rerun", alt=alt)
        cell = sample_links.get_clicked_cell(state, matrix)
        with st.expander("As a table"):
            draw_matrix_table(matrix, path)
    else:
        draw_frequent_confusions(matrix, path)
    notes = ["Counts and row percentages. Click a cell to list and play its samples."]
    if matrix.rows != matrix.predicted_labels:
        notes.append(
            f"{matrix.shared} labels occur on both sides and form the outlined diagonal; the others occur on one side "
            "only."
        )
    components.draw_notes(*notes, *matrix.describe_label_matches())
    if cell:
        _draw_cell_samples(path, matrix, cell, number)
    st.header("Per class", anchor=False)
    rows = []
    for figures in (*list_classes(number.details), *list_averages(number.details)):
        shares = (typeset_number(share, "share") for share in (figures.precision, figures.recall, figures.f1))
        support = format_count(figures.support)
        if figures.label in matrix.rows:
            support = build_samples_link(path, support, sample_links.equals("label", figures.label))
        rows.append([figures.label, *shares, support])
    components.draw_table(["Class", "Precision", "Recall", "F1", "Samples"], rows)


def _draw_cell_samples(path: Path, matrix: ConfusionMatrix, cell: tuple[int, int], number: Number) -> None:
    terms = sample_links.build_cell_terms(matrix, cell)
    samples = sample_links.select_samples(path, *terms)
    row, column = cell
    shown = f"; showing the first {min(MAX_CARDS, len(samples))}" if len(samples) else ""
    caption = (
        f"{format_count(len(samples))} samples labelled {matrix.row_names[row]}, predicted "
        f"{matrix.column_names[column]}{shown}."
    )
    sample_links.draw_link(path, *terms, metric=number.metric)
    sample_card.draw_cards(path, samples, number, MAX_CARDS, caption)


def draw_matrix_table(matrix: ConfusionMatrix, path: Path, *terms: Term) -> None:
    """Draw the counts as links to their samples, for the keyboard and for screen readers.

    Args:
        matrix: The counts.
        path: The run.
        terms: Further terms of the filter of every link.
    """
    rows = []
    for name, cells in zip(matrix.row_names, matrix.cells, strict=True):
        filters = (sample_links.build_cell_terms(matrix, (cell.row, cell.column)) for cell in cells)
        counts = [
            build_samples_link(path, format_count(cell.count), *own, *terms) if cell.count else "0"
            for cell, own in zip(cells, filters, strict=True)
        ]
        rows.append([name, *counts])
    components.draw_table(["True label", *matrix.column_names], rows)


def draw_frequent_confusions(matrix: ConfusionMatrix, path: Path) -> None:
    """Draw a table of the most frequent confusions, if there are too many classes for a matrix."""
    components.draw_notes(f"Too many classes ({len(matrix.rows)}) for a matrix; showing the most frequent confusions.")
    rows = []
    for cell in matrix.frequent_confusions(MAX_CONFUSIONS):
        terms = sample_links.build_cell_terms(matrix, (cell.row, cell.column))
        count = build_samples_link(path, format_count(cell.count), *terms)
        rows.append([matrix.row_names[cell.row], matrix.column_names[cell.column], count])
    components.draw_table(["True label", "Predicted label", "Count"], rows, 2)


# --- dimensions such as arousal -----------------------------------------------------------------


def _draw_dimensions(path: Path, number: Number, key: str) -> None:
    """Draw violins of each dimension, a scatter plot of two, and a table of statistics."""
    dimensions = list_dimensions(number.details)
    st.header("Dimensions", anchor=False)
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
    _draw_dimension_table(path, dimensions)


def _draw_dimension_table(path: Path, dimensions: Sequence[Dimension]) -> None:
    rows = [
        [
            distributions[0].name,
            build_samples_link(
                path, format_count(distributions[0].n), sample_links.equals("reference", distributions[0].name)
            ),
            *map(_distribution_cell, distributions),
        ]
        for distributions in zip(*(dimension.labels for dimension in dimensions), strict=True)
    ]
    components.draw_table(["Label", "Samples", *(dimension.name for dimension in dimensions)], rows)
    explained = " ".join(
        f"{dimension.name}: labels explain {typeset_number(dimension.eta2, 'share')} of the variance "
        f"({typeset_number(dimension.chance, 'share')} expected by chance)."
        for dimension in dimensions
    )
    components.draw_notes(
        "Mean ± standard deviation. d: Cohen’s d; AUC: area under the ROC curve. Each compares one label with all "
        f"others; d = 0 and AUC = 0.5 mean no difference. {explained}"
    )


def _distribution_cell(values: Distribution) -> Markup:
    mean, deviation = typeset_decimal(values.mean, 3), typeset_decimal(values.sd, 3)
    effect = f"d {typeset_decimal(values.d, 2)}, AUC {typeset_decimal(values.auc, 2)}"
    return components.stack_lines(f"{mean} ± {deviation}", Markup('<small class="muted">{}</small>').format(effect))


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
    st.header("Predictions against ratings", anchor=False)
    number_by_dimension = {rated_dimension(number.metric) or "rating": number for number in numbers}
    dimension = next(iter(number_by_dimension))
    if len(number_by_dimension) > 1:
        dimension = str(st.selectbox("Dimension", list(number_by_dimension), key=f"{key}-rated"))
    number = number_by_dimension[dimension]
    frame = run_data.load_samples(path).frame
    points = build_rating_pairs(frame, number.metric)
    _draw_correlations(metrics, rated_dimension(number.metric))
    sample_links.draw_link(path, metric=number.metric)
    if not len(points):
        components.draw_notes("No sample has both a prediction and a rating.")
        return
    chart = charts.scatter_chart(points, (f"{dimension}: human rating", f"{dimension}: prediction"))
    alt, chart_key = "Predictions against human ratings", f"{key}-scatter-{dimension}"
    fields = sample_links.get_clicked(draw_chart(chart, key=chart_key, on_select="rerun", alt=alt), "point")
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
    st.header("Pairwise preferences", anchor=False)
    names = {number.metric for number in numbers}
    by_group = {(number.metric, number.field, number.group): number for number in metrics.numbers}
    rows = []
    shown = [number for number in metrics.numbers if number.metric in names]
    for number in shown:
        baseline_metric = number.metric.replace("accuracy", "always_b", 1)
        baseline = by_group.get((baseline_metric, number.field, number.group))
        group = f"{number.field}: {number.group}" if number.field else "all pairs"
        values = (typeset_value(number), typeset_interval(number), typeset_value(baseline) if baseline else "–")
        terms = [sample_links.metadata_equals(number.field, number.group)] if number.field else []
        samples = build_samples_link(path, format_count(number.scored), *terms)
        rows.append([number.title, group, *values, format_count(number.details.get("ties")), samples])
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
    sample_links.draw_link(path, Term(numbers[0].metric, "<", "100"), metric=numbers[0].metric)
    sample_card.draw_cards(path, incorrect, numbers[0], MAX_PAIR_CARDS, caption)
