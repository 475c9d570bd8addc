"""Metrics over dimensions: separation of emotions and comparison with ratings."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.stats

from auricle import Metric
from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Generation, Likelihood, Prediction, Record, Sample
from auricle.metrics.capabilities import Restricted
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.labels import dimensions
from auricle.tasks.labels.dimensions import SeparationAggregator, eta_squared

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
    assert result["eta2_arousal"].interval.startswith("cluster-")


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
    for metric in (dimensions.ccc_arousal, dimensions.pearson_arousal):
        assert math.isnan(metric.aggregate([(0.1, 0.2)]))


@pytest.mark.parametrize("metric", ALL_METRICS, ids=lambda metric: metric.name)
def test_class_scores_and_text_are_rejected(metric: Metric) -> None:
    sample = record(0, "sad", prediction(0.5), arousal=1.0).sample
    scores = Prediction(values={"sad": 0.9, "angry": 0.1}, scale="probability")
    with pytest.raises(Unsuited, match="this model's outputs are class scores"):
        metric.score(sample, scores)
    with pytest.raises(Unsuited, match="this model writes text"):
        metric.score(sample, Generation(text="sad"))
    with pytest.raises(Unsuited, match="such as arousal, not Likelihood"):
        metric.score(sample, Likelihood(logprobs=(-1.0,)))


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
    arousals = [point[2] for point in plane["points"]]
    assert arousals == sorted(arousals)
    assert (arousals[0], arousals[-1]) == (0.0, 0.9998)
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


def test_weights_of_eta_squared_equal_repetition() -> None:
    """A label may have no weight or a single sample; the share of variance is computed by hand."""
    rng = np.random.default_rng(8)
    labels, weights = np.repeat(["angry", "bored", "calm", "sad"], 6), rng.integers(0, 4, 24)
    weights[labels == "bored"], weights[labels == "calm"] = 0, np.eye(6, dtype=int)[2]
    values = rng.normal(size=24) + (labels == "sad")
    repeated, names = np.repeat(values, weights), np.repeat(labels, weights)
    groups = [repeated[names == name] for name in ("angry", "calm", "sad")]
    between = sum(len(group) * (group.mean() - repeated.mean()) ** 2 for group in groups)
    assert eta_squared(list(labels), values)(weights.astype(float)) == pytest.approx(
        between / ((repeated - repeated.mean()) ** 2).sum()
    )


def test_eta_squared_needs_two_labels_and_a_variance() -> None:
    values = np.array([0.1, 0.3, 0.3])
    assert math.isnan(eta_squared(["sad", "sad", "calm"], values)(np.array([1.0, 1.0, 0.0])))
    assert math.isnan(eta_squared(["sad", "sad", "calm"], values)(np.array([0.0, 1.0, 1.0])))
    assert eta_squared(["sad", "calm", "calm"], values)(np.ones(3)) == pytest.approx(1.0)


@pytest.mark.parametrize("constant", np.linspace(0.1, 3.0, 30))
def test_the_variance_of_equal_values_is_zero_despite_rounding_errors(constant: float) -> None:
    labels, values = ["sad", *["calm", "angry"] * 50], np.array([0.0, *[constant] * 100])
    assert math.isnan(eta_squared(labels, values)(np.array([0.0, *[1.0] * 100])))


def test_a_single_sample_has_no_separation() -> None:
    assert math.isnan(SeparationAggregator()(SEPARATED_STATS[:1]))


@pytest.mark.parametrize("constant", [0, 1])
def test_a_constant_side_has_an_error_and_no_agreement(constant: int) -> None:
    stats = [(0.1, other)[:: 1 - 2 * constant] for other in (0.0, 0.25, 1.5)]
    expected = math.sqrt((0.01 + 0.0225 + 1.96) / 3)
    assert dimensions.rmse_arousal.aggregate(stats) == pytest.approx(expected)
    assert dimensions.ccc_arousal.aggregate(stats) == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(dimensions.pearson_arousal.aggregate(stats))


def test_two_samples_have_an_agreement() -> None:
    stats = [(0.0, 0.5), (1.0, 1.0)]
    assert dimensions.pearson_arousal.aggregate(stats) == pytest.approx(1.0)
    assert dimensions.ccc_arousal.aggregate(stats) == pytest.approx(0.25 / (0.25 + 0.0625 + 0.0625))


@pytest.mark.parametrize("seed", range(20))
def test_an_error_within_rounding_is_zero(seed: int) -> None:
    truth = np.random.default_rng(seed).normal(size=10)
    stats = np.column_stack([np.nextafter(truth, 9.0), truth])
    assert dimensions.rmse_arousal.aggregate(stats) == pytest.approx(0.0, abs=1e-7)


def test_a_sample_without_a_rating_cannot_be_compared() -> None:
    sample = record(0, "sad", prediction(0.5)).sample
    with pytest.raises(SampleError, match="no rating of arousal in the metadata"):
        dimensions.rmse_arousal.score(sample, prediction(0.5))


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
    assert figures["sad"]["sd"] == pytest.approx(math.sqrt(0.02))
    alone = SeparationAggregator().details(two[:3])["dimensions"]["arousal"]["emotions"]
    assert math.isnan(alone["sad"]["d"])
    assert math.isnan(alone["angry"]["sd"])


# --- figures of a dimension, compared with scipy ------------------------------------------


def random_stats(count: int = 60) -> list[tuple[str, Any]]:
    rng = np.random.default_rng(3)
    return [stat(("angry", "calm", "sad")[i % 3], rng.normal(i % 3, 1.0), rng.gamma(2.0)) for i in range(count)]


def values_of(stats: Sequence[tuple[str, Any]], label: str | None = None, name: str = "arousal") -> Any:
    return np.array([dict(values)[name] for emotion, values in stats if label in (None, emotion)])


def test_densities_are_those_of_a_gaussian_kernel_with_silverman_s_bandwidth() -> None:
    stats = random_stats()
    densities = SeparationAggregator().plot_data(stats)["densities"]["arousal"]
    everything = values_of(stats)
    margin = 0.05 * np.ptp(everything)
    assert (densities["from"], densities["to"]) == pytest.approx((everything.min() - margin, everything.max() + margin))
    grid = np.linspace(densities["from"], densities["to"], 40)
    for label in ("angry", "calm", "sad"):
        values = values_of(stats, label)
        spread = min(values.std(ddof=1), scipy.stats.iqr(values) / 1.34)
        kernel = scipy.stats.gaussian_kde(values, 0.9 * spread * len(values) ** -0.2 / values.std(ddof=1))
        assert densities["of"][label] == pytest.approx(kernel(grid), rel=1e-3, abs=1e-12)


def test_densities_of_values_that_hardly_vary() -> None:
    constant = SeparationAggregator().plot_data([stat("sad", 0.5)] * 6)["densities"]["arousal"]
    assert (constant["from"], constant["to"], constant["of"]) == (
        pytest.approx(0.45),
        pytest.approx(0.55),
        {"sad": None},
    )
    mostly_equal = [stat("sad", value) for value in (0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0)]  # a quartile range of zero
    assert SeparationAggregator().plot_data(mostly_equal)["densities"]["arousal"]["of"]["sad"] is not None
    for count, is_known in ((4, False), (5, True)):
        few = SeparationAggregator().plot_data([stat("sad", number) for number in range(count)])
        assert (few["densities"]["arousal"]["of"]["sad"] is not None) is is_known


def test_figures_of_an_emotion_equal_scipy() -> None:
    stats = random_stats()
    figures = SeparationAggregator().details(stats)["dimensions"]["arousal"]
    groups = {label: values_of(stats, label) for label in ("angry", "calm", "sad")}
    everything = values_of(stats)
    between = sum(len(group) * (group.mean() - everything.mean()) ** 2 for group in groups.values())
    assert figures["eta2"] == pytest.approx(between / ((everything - everything.mean()) ** 2).sum())
    assert figures["chance"] == pytest.approx(2 / 59)
    for label, inside in groups.items():
        outside = np.concatenate([group for other, group in groups.items() if other != label])
        low, first, median, third, high = np.percentile(inside, [0, 25, 50, 75, 100])
        pooled = np.sqrt((19 * inside.var(ddof=1) + 39 * outside.var(ddof=1)) / 58)
        auc = scipy.stats.mannwhitneyu(inside, outside).statistic / (20 * 40)
        emotion = figures["emotions"][label]
        assert emotion["n"] == 20
        assert [emotion[name] for name in ("mean", "sd", "d", "auc", "low", "high")] == pytest.approx(
            [inside.mean(), inside.std(ddof=1), (inside.mean() - outside.mean()) / pooled, auc, low, high]
        )
        assert emotion["quartiles"] == pytest.approx([first, median, third])


def test_the_scatter_plot_has_points_and_centres_of_each_emotion() -> None:
    stats = random_stats()
    plane = SeparationAggregator().plot_data(stats)["plane"]
    x, y = values_of(stats, name="valence"), values_of(stats)
    assert [point[0] for point in plane["points"]] == [i % 3 for i in range(60)]
    assert [point[1:] for point in plane["points"]] == [
        pytest.approx(pair, rel=1e-4) for pair in zip(x, y, strict=True)
    ]
    for label, centre in zip(plane["labels"], plane["centres"], strict=True):
        x, y = values_of(stats, label, "valence"), values_of(stats, label)
        assert centre == pytest.approx({"n": 20, "x": x.mean(), "y": y.mean(), "sd_x": x.std(), "sd_y": y.std()})


def test_the_scatter_plot_falls_back_to_the_first_two_dimensions() -> None:
    stats = [("sad", (("tension", 1.0), ("energy", 2.0), ("valence", 3.0)))] * 3
    plane = SeparationAggregator().plot_data(stats)["plane"]
    assert (plane["x"], plane["y"]) == ("tension", "energy")
    assert "plane" not in SeparationAggregator().plot_data([("sad", (("valence", 1.0),))] * 3)
    assert "plane" in SeparationAggregator().plot_data([("sad", (("tension", 1.0), ("energy", 2.0)))] * 3)


def test_agreements_are_drawn_and_errors_are_not() -> None:
    assert [metric.plot for metric in RATING_METRICS] == ["ratings", "ratings", ""]
    assert [metric.higher_is_better for metric in RATING_METRICS] == [True, True, False]
    assert dimensions.rmse_arousal.badness((0.25, 1.0)) == 0.75
    assert dimensions.eta2_arousal.badness(("sad", 0.25)) == 0.0  # no sample is worse than another


def test_ratings_are_described_on_both_sides() -> None:
    details = dimensions.ccc_arousal.details([(0.0, 0.5), (1.0, 0.25), (0.5, 0.75)])
    assert details == {
        "predicted": {"mean": 0.5, "low": 0.0, "high": 1.0},
        "true": {"mean": 0.5, "low": 0.25, "high": 0.75},
    }


@pytest.mark.parametrize(
    ("rating", "applies"), [(1, True), (0.5, True), (True, False), ("1", False), (math.nan, False)]
)
def test_only_finite_numbers_are_ratings(rating: Any, applies: bool) -> None:
    sample = Sample(id="1", inputs={}, meta={"arousal": rating})
    assert isinstance(dimensions.ccc_arousal, Restricted)
    assert dimensions.ccc_arousal.applies(sample) is applies
    assert isinstance(dimensions.ccc_valence, Restricted)
    assert not dimensions.ccc_valence.applies(sample)


def test_moments_equal_numpy_and_weights_equal_repetition() -> None:
    rng = np.random.default_rng(5)
    pairs = rng.normal(3.0, 1.0, (40, 2)) + rng.normal(size=(40, 1))
    weights = rng.integers(0, 3, 40)
    x, y = np.repeat(pairs, weights, axis=0).T
    expected = {
        dimensions.ccc_arousal: 2 * np.cov(x, y, ddof=0)[0, 1] / (x.var() + y.var() + (x.mean() - y.mean()) ** 2),
        dimensions.pearson_arousal: np.corrcoef(x, y)[0, 1],
        dimensions.rmse_arousal: np.sqrt(((x - y) ** 2).mean()),
    }
    for metric, value in expected.items():
        aggregate: Any = metric.aggregate
        assert aggregate.prepare_weighted(pairs)(weights.astype(float)) == pytest.approx(value)
        assert math.isnan(aggregate.prepare_weighted(pairs)(np.zeros(40)))


@pytest.mark.parametrize("scales", [(1e-9, 1e3), (1e3, 1e-9)])
def test_a_correlation_does_not_depend_on_the_scales(scales: tuple[float, float]) -> None:
    pairs = np.random.default_rng(6).normal(size=(20, 2))
    expected = dimensions.pearson_arousal.aggregate(pairs)
    assert dimensions.pearson_arousal.aggregate(pairs * scales) == pytest.approx(expected)
