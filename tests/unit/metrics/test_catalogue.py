"""The catalogue of built-in metrics."""

import pytest

from auricle import Generation, Metric, Sample
from auricle.core.errors import SampleError
from auricle.metrics.catalogue import METRICS, metric_title


@pytest.mark.parametrize("name", METRICS.builtin)
def test_every_metric_loads_under_its_name(name: str) -> None:
    metric = METRICS.get(name)
    assert isinstance(metric, Metric)
    assert metric.name == name


@pytest.mark.parametrize("name", METRICS.builtin)
def test_every_metric_has_a_short_summary(name: str) -> None:
    summary = METRICS.builtin[name].summary
    assert 10 < len(summary) < 65
    assert not summary.endswith(".")


def test_titles_are_those_of_the_metrics() -> None:
    assert [metric_title(name) for name in ("wer", "eta2_valence", "judge-1-5")] == ["WER", "η² valence", "judge-1-5"]
    assert metric_title("accuracy.musicality") == "Accuracy musicality"
    assert metric_title("os:getcwd") == "os:getcwd"


def test_metrics_of_ratings_compare_numbers_written_by_a_model() -> None:
    metric = METRICS.get("srcc")
    samples = [Sample(id=str(rating), inputs={}, target=rating) for rating in (10, "20.5", 30)]
    answers = [Generation(text=text) for text in ("It is 1.", "about 7", "100")]
    stats = [metric.score(sample, answer) for sample, answer in zip(samples, answers, strict=True)]
    assert metric.aggregate(stats) == pytest.approx(1.0)
    with pytest.raises(SampleError, match="'good' is not a rating"):
        metric.score(Sample(id="x", inputs={}, target="good"), answers[0])


def test_metrics_state_how_they_are_drawn() -> None:
    names = ("wer", "uar", "eta2", "srcc", "ccc_arousal", "rmse", "exact_match")
    assert [METRICS.get(name).plot for name in names] == [
        *("errors", "classes", "separation", "ratings", "ratings", "", "")
    ]
