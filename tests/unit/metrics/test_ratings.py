"""Metrics that compare a model's numbers with human ratings."""

from typing import Any

import pytest

from auricle.core.errors import SampleError, Unreadable, Unsuited
from auricle.core.types import Generation, Prediction, Sample
from auricle.metrics.ratings import Dimension, lcc, rating_metrics


def test_a_number_outside_the_scale_is_unreadable() -> None:
    metric = rating_metrics(Dimension(scale=(1, 5)))[0]
    sample = Sample(id="1", inputs={}, target=3.0)
    assert metric.score(sample, Generation(text="4/5")) == (4.0, 3.0)
    with pytest.raises(Unreadable, match="9 is not on the scale from 1 to 5"):
        metric.score(sample, Generation(text="9"))
    with pytest.raises(Unreadable, match="names no number: 'no idea'"):
        metric.score(sample, Generation(text="no idea"))


def test_a_metric_applies_to_samples_with_its_rating() -> None:
    metric = rating_metrics(Dimension("musicality", "musicality"))[0]
    assert metric.applies
    assert metric.applies(Sample(id="1", inputs={}, target={"musicality": 0.0}))
    assert not metric.applies(Sample(id="1", inputs={}, target={"alignment": 2.0}))
    assert not metric.applies(Sample(id="1", inputs={}))


def test_a_dimension_without_a_question_rejects_text_models() -> None:
    dimension = Dimension("musicality", question_count=0)
    with pytest.raises(Unsuited, match="the prompt has no question about musicality"):
        dimension.select_outputs([Generation(text="5")])
    prediction = Prediction(values={"musicality": 2.0}, scale="continuous")
    assert dimension.select_outputs([prediction]) == [prediction]


@pytest.mark.parametrize(("target", "value"), [(3, 3.0), (2.5, 2.5), ("4", 4.0), (" 1e1 ", 10.0), (-1, -1.0), (0, 0.0)])
def test_a_target_may_be_a_number_or_text_of_one(target: Any, value: float) -> None:
    sample = Sample(id="1", inputs={}, target=target)
    assert lcc.score(sample, Prediction(values={"x": 1.0}, scale="continuous")) == (1.0, value)


@pytest.mark.parametrize("target", [True, False, "high", "", [3], {"other": 3}])
def test_a_target_that_is_no_number_is_an_error_of_the_sample(target: Any) -> None:
    with pytest.raises(SampleError, match="is not a rating"):
        lcc.score(Sample(id="1", inputs={}, target=target), Prediction(values={"x": 1.0}, scale="continuous"))
