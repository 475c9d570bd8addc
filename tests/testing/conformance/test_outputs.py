"""Outputs are compared by what they say, and their numbers are checked."""

import math

import pytest

from auricle import Generation, Likelihood, Prediction
from auricle.core.types import Output
from auricle.testing.conformance.outputs import check_logprobs, check_values, describe_output, outputs_equal
from auricle.testing.conformance.report import CheckFailed

SCORES = Prediction(values={"a": 0.25, "b": 0.75}, scale="probability")


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (Generation(text="a", tokens=1), Generation(text="a", tokens=2), True),
        (Generation(text="a"), Generation(text="A"), False),
        (Likelihood(logprobs=(-1.0, -2.0)), Likelihood(logprobs=(-1.0, -2.001)), True),
        (Likelihood(logprobs=(-1.0, -2.0)), Likelihood(logprobs=(-1.0, -2.1)), False),
        (Likelihood(logprobs=(-1.0,)), Likelihood(logprobs=(-1.0, -1.0)), False),
        (Likelihood(logprobs=(-math.inf,)), Likelihood(logprobs=(-math.inf,)), True),
        (SCORES, Prediction(values={"b": 0.75, "a": 0.25}, scale="probability"), True),
        (SCORES, Prediction(values={"a": 0.25, "b": 0.75}, scale="logit"), False),
        (SCORES, Prediction(values={"a": 0.25, "c": 0.75}, scale="probability"), False),
        (SCORES, Prediction(values={"a": 0.35, "b": 0.65}, scale="probability"), False),
        (SCORES, Generation(text="b"), False),
    ],
)
def test_outputs_are_equal_within_the_tolerance(first: Output, second: Output, equal: bool) -> None:
    assert outputs_equal(first, second, 1e-3) is equal


def test_outputs_are_described_in_one_line() -> None:
    assert describe_output(Generation(text="a\nb")) == r"'a\nb'"
    assert describe_output(Generation(text="x" * 81)) == f"'{'x' * 80}…'"
    assert describe_output(Likelihood(logprobs=(-1.0, -0.5))) == "log-probabilities with a sum of -1.5"
    assert describe_output(SCORES) == "{a: 0.25, b: 0.75}"


@pytest.mark.parametrize("logprobs", [(), (-1.0, 0.01)])
def test_impossible_log_probabilities_are_refused(logprobs: tuple[float, ...]) -> None:
    with pytest.raises(CheckFailed, match="at most 0"):
        check_logprobs(logprobs)


def test_log_probabilities_up_to_0_are_accepted() -> None:
    check_values([Likelihood(logprobs=(0.0, -math.inf))], 1e-3)


def test_all_predictions_have_the_same_names() -> None:
    with pytest.raises(CheckFailed, match="the same names in every prediction: a, b; got a"):
        check_values([SCORES, Prediction(values={"a": 1.0}, scale="probability")], 1e-3)


@pytest.mark.parametrize("values", [{"a": 0.5, "b": 0.4}, {"a": 1.5, "b": -0.5}, {}])
def test_probabilities_add_up_to_1(values: dict[str, float]) -> None:
    with pytest.raises(CheckFailed, match="probabilities from 0 to 1 with a sum of 1"):
        check_values([Prediction(values=values, scale="probability")], 1e-3)
    check_values([Prediction(values=values, scale="logit")], 1e-3)
