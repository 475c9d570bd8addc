"""Metrics over dimensions: separation of emotions and comparison with ratings."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from auricle import Metric
from auricle.core.errors import Unsuited
from auricle.core.types import Generation, Prediction, Record, Sample
from auricle.metrics import dimensions
from auricle.metrics.dimensions import SeparationAggregator, eta_squared
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise

pytestmark = pytest.mark.slow

RATING_METRICS = [dimensions.ccc_arousal, dimensions.pearson_arousal, dimensions.rmse_arousal]
ALL_METRICS = [dimensions.eta2, dimensions.eta2_arousal, *RATING_METRICS]


def prediction(arousal: float, valence: float = 0.5) -> Prediction:
    values = {"valence": valence, "arousal": arousal, "dominance": 0.5 * arousal}
    return Prediction(values=values, scale="continuous")


def record(row: int, emotion: str, output: Prediction, **meta: float) -> Record:
    sample = Sample(id=str(row), inputs={"choices": ["sad", "angry"]}, target=emotion, meta=meta)
    return Record(sample=sample, row=row, outputs=(output,))


def summaries(
    records: Sequence[Record], metrics: Sequence[Metric] = ALL_METRICS, cluster: str = ""
) -> tuple[ScoreTable, dict[str, Any]]:
    table = ScoreTable(metrics, cluster)
    list(score_records(records, table))
    return table, {number.metric: number for number in summarise(table) if not number.field}


# Arousal separates the two emotions, valence does not.
SEPARATED = [
    record(row, ("sad", "angry")[row % 2], prediction(row % 2 + 0.1 * (row % 3), 0.1 * row), speaker=row % 5)
    for row in range(30)
]


def test_a_separating_dimension_has_a_high_eta_squared() -> None:
    _, result = summaries(SEPARATED)
    assert result["eta2_arousal"].value > 0.9
    assert result["eta2"].details["dimensions"]["valence"]["eta2"] < 0.1
    assert list(result["eta2"].details["dimensions"]) == ["arousal", "dominance", "valence"]


def test_eta_squared_is_the_mean_of_all_dimensions() -> None:
    _, result = summaries(SEPARATED)
    values = [figures["eta2"] for figures in result["eta2"].details["dimensions"].values()]
    assert result["eta2"].value == pytest.approx(sum(values) / 3)


def test_eta_squared_by_chance_is_reported() -> None:
    _, result = summaries(SEPARATED)
    assert result["eta2"].details["dimensions"]["arousal"]["chance"] == pytest.approx(1 / 29)


def test_intervals_resample_speakers() -> None:
    _, result = summaries(SEPARATED, cluster="speaker")
    assert result["eta2_arousal"].interval.startswith("cluster-bootstrap")


def test_a_single_emotion_has_no_eta_squared() -> None:
    _, result = summaries([record(row, "sad", prediction(row)) for row in range(4)])
    assert result["eta2_arousal"].value is None


def test_only_rated_samples_are_compared() -> None:
    records = [record(row, "sad", prediction(row / 10), arousal=row / 10) for row in range(10)]
    records += [record(10, "sad", prediction(0.3))]
    _, result = summaries(records)
    assert result["ccc_arousal"].value == pytest.approx(1.0)
    assert result["rmse_arousal"].value == pytest.approx(0.0, abs=1e-7)
    assert result["ccc_arousal"].scored == 10


def test_a_corpus_without_ratings_is_skipped_silently() -> None:
    table, result = summaries(SEPARATED)
    assert "ccc_arousal" not in result
    assert not table.columns[ALL_METRICS.index(dimensions.ccc_arousal)].refusal_reason


def test_different_scales_give_a_note() -> None:
    records = [record(row, "sad", prediction(row / 10), arousal=2.0 + row) for row in range(9)]
    _, result = summaries(records)
    (note,) = result["ccc_arousal"].details["notes"]
    assert "Predictions range from 0 to 0.8, ratings from 2 to 10" in note
    assert "notes" not in result["pearson_arousal"].details


def test_a_constant_prediction_has_no_agreement() -> None:
    records = [record(row, "sad", prediction(0.1), arousal=0.3) for row in range(5)]
    _, result = summaries(records)
    assert result["ccc_arousal"].value == 0.0
    assert result["pearson_arousal"].value is None
    assert math.isnan(dimensions.ccc_arousal.aggregate([(0.1, 0.2)]))


@pytest.mark.parametrize("metric", ALL_METRICS, ids=lambda metric: metric.name)
def test_class_scores_and_text_are_rejected(metric: Metric) -> None:
    sample = record(0, "sad", prediction(0.5), arousal=1.0).sample
    scores = Prediction(values={"sad": 0.9, "angry": 0.1}, scale="probability")
    with pytest.raises(Unsuited, match="this model's outputs are class scores"):
        metric.score(sample, scores)
    with pytest.raises(Unsuited, match="this model writes text"):
        metric.score(sample, Generation(text="sad"))


def test_a_dimension_that_the_model_lacks_is_rejected() -> None:
    sample = record(0, "sad", prediction(0.5)).sample
    tension = Prediction(values={"tension": 1.0}, scale="continuous")
    with pytest.raises(Unsuited, match="this model returns tension, but not arousal"):
        dimensions.eta2_arousal.score(sample, tension)


def test_plot_data_is_only_reported_for_all_samples() -> None:
    table = ScoreTable([dimensions.eta2])
    list(score_records(SEPARATED, table))
    fields = {number.field for number in summarise(table) if "plane" in number.details}
    assert fields == {""}


NAMES = ("arousal", "dominance", "valence")


def stat(label: str, arousal: float, valence: float = 0.5) -> tuple[str, Any]:
    return label, (("arousal", arousal), ("dominance", 0.5 * arousal), ("valence", valence))


SEPARATED_STATS = [stat(("sad", "angry")[i % 2], i % 2 + 0.1 * (i % 3), 0.1 * i) for i in range(30)]


def test_the_scatter_plot_is_over_valence_and_arousal() -> None:
    plane = SeparationAggregator().plot_data(SEPARATED_STATS)["plane"]
    assert (plane["x"], plane["y"]) == ("valence", "arousal")
    assert len(plane["points"]) == 30
    assert plane["labels"] == ["angry", "sad"]


def test_a_scatter_plot_of_many_samples_shows_some_of_them() -> None:
    plane = SeparationAggregator().plot_data([stat("sad", i / 5000) for i in range(5000)])["plane"]
    assert len(plane["points"]) == 600
    assert plane["of"] == 5000


def test_an_emotion_with_few_samples_has_no_density() -> None:
    densities = SeparationAggregator().plot_data([*SEPARATED_STATS, stat("bored", 0.5)])["densities"]["arousal"]
    assert densities["of"]["bored"] is None
    assert len(densities["of"]["sad"]) == 40


def test_effect_sizes_compare_an_emotion_with_all_others() -> None:
    figures = SeparationAggregator().details(SEPARATED_STATS)["dimensions"]["arousal"]["emotions"]
    assert figures["angry"]["auc"] == 1.0
    assert figures["sad"]["auc"] == 0.0
    assert figures["angry"]["d"] == -figures["sad"]["d"] > 5


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e9])
def test_values_far_from_zero_keep_their_precision(offset: float) -> None:
    labels = ["calm", "angry"] * 20
    values = np.array([offset + at % 2 + 0.25 * (at % 3) for at in range(40)])
    weights = np.array([float(1 + at % 4) for at in range(40)])
    expected = eta_squared(labels, values - offset)(weights)
    assert 0.5 < expected < 1.0
    assert eta_squared(labels, values)(weights) == pytest.approx(expected, rel=1e-6)


def test_a_constant_prediction_has_its_own_error() -> None:
    stats = [(0.5, truth) for truth in (0.0, 0.25, 1.5)]
    expected = math.sqrt((0.25 + 0.0625 + 1.0) / 3)
    assert dimensions.rmse_arousal.aggregate(stats) == pytest.approx(expected)
    assert dimensions.ccc_arousal.aggregate(stats) == 0.0


@pytest.mark.parametrize(("low", "has_note"), [(0.0, False), (1.0, False), (1.5, True)])
def test_ranges_that_touch_are_on_one_scale(low: float, has_note: bool) -> None:
    stats = [(low, 0.0), (low + 1, 1.0)]
    assert ("notes" in dimensions.ccc_arousal.details(stats)) is has_note
    assert ("notes" in dimensions.ccc_arousal.details([(truth, value) for value, truth in stats])) is has_note
    assert "notes" not in dimensions.pearson_arousal.details(stats)


def test_effect_sizes_need_two_samples_on_each_side() -> None:
    two = [stat("sad", 0.1), stat("sad", 0.3), stat("angry", 0.8), stat("angry", 0.9)]
    figures = SeparationAggregator().details(two)["dimensions"]["arousal"]["emotions"]
    assert figures["sad"]["d"] == pytest.approx(-0.65 / math.sqrt((0.02 + 0.005) / 2))
    alone = SeparationAggregator().details(two[:3])["dimensions"]["arousal"]["emotions"]
    assert math.isnan(alone["sad"]["d"])
    assert math.isnan(alone["angry"]["sd"])
