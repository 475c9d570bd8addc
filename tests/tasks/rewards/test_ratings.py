"""Metrics that compare a model's numbers with human ratings."""

from typing import Any

import pytest

from auricle.core.errors import SampleError, Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Likelihood, Prediction, Sample
from auricle.metrics.capabilities import Restricted
from auricle.tasks.rewards.ratings import Dimension, lcc, output_variant, rating_metrics, rmse, srcc


def test_a_number_outside_the_scale_is_unreadable() -> None:
    metric = rating_metrics(Dimension(scale=(1, 5)))[0]
    sample = Sample(id="1", inputs={}, target=3.0)
    assert metric.score(sample, Generation(text="4/5")) == (4.0, 3.0)
    with pytest.raises(Unreadable, match="names no number from 1 to 5: '9'"):
        metric.score(sample, Generation(text="9"))
    with pytest.raises(Unreadable, match="names no number from 1 to 5: 'no idea'"):
        metric.score(sample, Generation(text="no idea"))


def test_a_metric_applies_to_samples_with_its_rating() -> None:
    metric = rating_metrics(Dimension("musicality", "musicality"))[0]
    assert isinstance(metric, Restricted)
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


def test_the_first_of_several_outputs_is_compared() -> None:
    outputs = [Prediction(values={"x": number}, scale="continuous") for number in (1.0, 2.0)]
    assert lcc.score(Sample(id="1", inputs={}, target=3), *outputs) == (1.0, 3.0)


@pytest.mark.parametrize("target", [True, False, "high", "", [3], {"other": 3}])
def test_a_target_that_is_no_number_is_an_error_of_the_sample(target: Any) -> None:
    with pytest.raises(SampleError, match="is not a rating"):
        lcc.score(Sample(id="1", inputs={}, target=target), Prediction(values={"x": 1.0}, scale="continuous"))


def test_an_error_is_squared_and_the_worst_samples_have_the_largest() -> None:
    sample, output = Sample(id="1", inputs={}, target=3.0), Prediction(values={"x": 1.0}, scale="continuous")
    assert rmse.score(sample, output) == 4.0
    assert rmse.aggregate([4.0, 0.0]) == pytest.approx(2**0.5)
    assert rmse.badness(4.0) == 2.0
    assert srcc.badness((1.0, 3.0)) == srcc.badness((3.0, 1.0)) == 2.0


@pytest.mark.parametrize(("output", "variant"), [("", ""), ("musicality", ""), ("quality", "of-quality")])
def test_the_signature_names_an_output_that_differs_from_the_dimension(output: str, variant: str) -> None:
    dimension = Dimension("musicality", output)
    assert output_variant(dimension) == variant
    metric = rating_metrics(dimension, ["srcc"])[0]
    assert (metric.name, metric.title, metric.variant) == ("srcc.musicality", "SRCC musicality", variant)


def test_the_ends_of_a_scale_are_on_it() -> None:
    dimension = Dimension()
    assert [dimension.parse_value(Generation(text=text)) for text in ("1", "5")] == [1.0, 5.0]
    for text in ("0.9", "5.1"):
        with pytest.raises(Unreadable, match="names no number from 1 to 5"):
            dimension.parse_value(Generation(text=text))
    assert (dimension.question_index, dimension.question_count, dimension.is_pairwise) == (0, 1, True)


def test_the_number_of_a_dimension_is_found_by_its_name() -> None:
    two = Prediction(values={"musicality": 2.0, "quality": 4.0}, scale="continuous")
    assert Dimension("musicality").predicted_value(two) == 2.0
    assert Dimension("musicality", "quality").predicted_value(two) == 4.0
    one = Prediction(values={"reward": 3.0}, scale="continuous")
    assert Dimension("musicality").predicted_value(one) == 3.0
    with pytest.raises(
        Unsuited, match=r"this model returns reward, not quality\. Choose one with -T outputs=musicality="
    ):
        Dimension("musicality", "quality").predicted_value(one)
    with pytest.raises(Unsuited, match=r"not a single number\. Choose one with -T outputs=NAME"):
        Dimension().predicted_value(two)
    with pytest.raises(Unsupported, match="needs numbers or text, not Likelihood"):
        Dimension().get_value(Likelihood(logprobs=(-1.0,)))


def test_answers_are_divided_among_the_questions() -> None:
    outputs = [Generation(text=str(number)) for number in range(6)]
    selected = [Dimension("d", question_index=index, question_count=3).select_outputs(outputs) for index in range(3)]
    assert selected == [outputs[:2], outputs[2:4], outputs[4:]]
